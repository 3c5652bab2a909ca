/** How the parts of a message look. */
export const PART_STYLES = `
.text {
  white-space: pre-wrap;
  /* Each paragraph takes its own direction. */
  unicode-bidi: plaintext;
  text-align: start;
}

summary {
  inline-size: fit-content;
  border-radius: 0.25rem;
  color: var(--chatwire-muted);
  font-size: 0.875rem;
  cursor: pointer;
}
summary:hover { color: var(--chatwire-text); }

.reasoning .text {
  margin-block-start: 0.375rem;
  border-inline-start: 3px solid var(--chatwire-border);
  padding-inline-start: 0.75rem;
  color: var(--chatwire-muted);
  font-size: 0.9375rem;
}

.card {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: 0.5rem;
  max-inline-size: 40rem;
  border: 1px solid var(--chatwire-border);
  border-radius: var(--chatwire-radius);
  padding: 0.625rem 0.875rem;
  background: var(--chatwire-surface);
}
.card-header {
  display: flex;
  flex-wrap: wrap;
  align-items: baseline;
  justify-content: space-between;
  gap: 0 1rem;
}
.card-title { font-weight: 600; }
.tool-state { color: var(--chatwire-muted); font-size: 0.875rem; }
.tool[data-progress="done"] .tool-state,
.tool[data-progress="approved"] .tool-state { color: var(--chatwire-success); }
.tool[data-progress="failed"] .tool-state,
.tool[data-progress="denied"] .tool-state,
.error { color: var(--chatwire-danger); }
.tool[data-progress="waiting"] { border-color: var(--chatwire-attention); }
.tool[data-progress="waiting"] .tool-state { color: var(--chatwire-attention); font-weight: 600; }

.json pre {
  margin: 0.375rem 0 0;
  border-radius: 0.5rem;
  padding: 0.5rem 0.75rem;
  background: var(--chatwire-background);
  font: 0.8125rem/1.5 var(--chatwire-code-font);
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}

.decision, .controls, .field { display: grid; gap: 0.5rem; }
.controls { grid-template-columns: minmax(0, 1fr); }
.field { gap: 0.25rem; font-size: 0.875rem; }
.actions { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.question legend, .asked { padding: 0; font-weight: 600; }
.question legend { margin-block-end: 0.25rem; }
.choice {
  display: flex;
  align-items: center;
  gap: 0.625rem;
  min-block-size: 2.25rem;
  border: 1px solid var(--chatwire-border);
  border-radius: 0.5rem;
  padding-inline: 0.75rem;
  background: var(--chatwire-background);
  cursor: pointer;
}
.choice:hover, .choice:has(:checked) { border-color: var(--chatwire-accent); }
.choice input { inline-size: 1.125rem; block-size: 1.125rem; margin: 0; accent-color: var(--chatwire-accent); }

.sources { display: flex; flex-wrap: wrap; gap: 0.375rem; }
.source {
  max-inline-size: 100%;
  border: 1px solid var(--chatwire-border);
  border-radius: 1rem;
  padding: 0.125rem 0.75rem;
  background: var(--chatwire-surface);
  font-size: 0.875rem;
  overflow-wrap: anywhere;
}
a { color: var(--chatwire-accent); }

.file img {
  display: block;
  max-inline-size: min(100%, 24rem);
  max-block-size: 24rem;
  border: 1px solid var(--chatwire-border);
  border-radius: var(--chatwire-radius);
}

.fields { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
.fields div { display: flex; gap: 0.375rem; min-inline-size: 0; }
.fields dt { color: var(--chatwire-muted); }
.fields dt::after { content: ":"; }
.fields dd { overflow-wrap: anywhere; }
`;
