import { PART_STYLES } from './part-styles.js';

/** @type {CSSStyleSheet | undefined} */
let sheet;

/**
 * The style sheet of the assistant, one for all of them on a page. Constructed, because a strict content security
 * policy refuses `<style>` and `style=""`.
 */
export function assistantStyles() {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(FRAME_STYLES + PART_STYLES);
  }
  return sheet;
}

const FRAME_STYLES = `
:host {
  --chatwire-background: light-dark(#ffffff, #16181d);
  --chatwire-surface: light-dark(#f5f6f8, #20232a);
  --chatwire-bubble: light-dark(#e6ecfd, #26345a);
  --chatwire-text: light-dark(#1b1f27, #e8eaee);
  --chatwire-muted: light-dark(#596170, #a3abb9);
  --chatwire-border: light-dark(#d8dce3, #3a3f4a);
  --chatwire-accent: light-dark(#2f5bd7, #8fb0ff);
  --chatwire-on-accent: light-dark(#ffffff, #10131a);
  --chatwire-danger: light-dark(#b3261e, #ffb4ab);
  --chatwire-danger-surface: light-dark(#fdeceb, #3a2220);
  --chatwire-success: light-dark(#1d6b3a, #8fd6a8);
  --chatwire-attention: light-dark(#855400, #f3c26b);
  --chatwire-radius: 0.75rem;
  --chatwire-font: system-ui, sans-serif;
  --chatwire-code-font: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;

  display: grid;
  grid-template-rows: minmax(0, 1fr) auto;
  min-block-size: 20rem;
  overflow: hidden;
  color-scheme: light dark;
  background: var(--chatwire-background);
  color: var(--chatwire-text);
  font: 1rem/1.55 var(--chatwire-font);
}

:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }

:host([hidden]), [hidden] { display: none !important; }

*, ::before, ::after { box-sizing: border-box; }

p, ol, ul, dl, dd, fieldset { margin: 0; padding: 0; border: 0; min-inline-size: 0; }
ol, ul { list-style: none; }

:focus-visible {
  outline: 2px solid var(--chatwire-accent);
  outline-offset: 2px;
}

.visually-hidden {
  position: absolute;
  inline-size: 1px;
  block-size: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}

.button {
  min-block-size: 2.25rem;
  border: 1px solid var(--chatwire-border);
  border-radius: 0.5rem;
  padding: 0.25rem 0.875rem;
  background: var(--chatwire-background);
  color: inherit;
  font: inherit;
  font-size: 0.9375rem;
  cursor: pointer;
}
.button:hover { border-color: var(--chatwire-accent); }
.button.primary {
  border-color: var(--chatwire-accent);
  background: var(--chatwire-accent);
  color: var(--chatwire-on-accent);
  font-weight: 600;
}
.button.quiet {
  border-color: transparent;
  padding-inline: 0.5rem;
  background: none;
  color: var(--chatwire-muted);
  font-size: 0.8125rem;
}
.button.quiet:hover { color: var(--chatwire-text); text-decoration: underline; }
.button:disabled {
  border-color: var(--chatwire-border);
  background: var(--chatwire-surface);
  color: var(--chatwire-muted);
  cursor: default;
}

.input {
  inline-size: 100%;
  min-inline-size: 0;
  border: 1px solid light-dark(#8a92a1, #6d7584);
  border-radius: 0.5rem;
  padding: 0.375rem 0.75rem;
  background: var(--chatwire-background);
  color: inherit;
  /* 1rem: below 16 px, phones zoom in when it gets the focus. */
  font: 1rem/1.5 var(--chatwire-font);
}
.input::placeholder { color: var(--chatwire-muted); opacity: 1; }

.log-frame {
  position: relative;
  display: grid;
  min-block-size: 0;
}
.log {
  overflow: hidden auto;
  /* The scroll position is kept by hand: not every browser anchors it, and those that do would interfere. */
  overflow-anchor: none;
  overscroll-behavior: contain;
  padding: 1rem;
}
.log:focus-visible { outline-offset: -2px; }
.jump {
  position: absolute;
  inset-block-end: 0.75rem;
  inset-inline: 0;
  inline-size: fit-content;
  margin-inline: auto;
  border-radius: 2rem;
  box-shadow: 0 2px 8px rgb(0 0 0 / 20%);
}

.messages {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: 1.25rem;
}
.message {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: 0.5rem;
}
.content {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: 0.625rem;
  overflow-wrap: anywhere;
}
.message[data-role="user"] .content {
  justify-self: end;
  max-inline-size: min(85%, 40rem);
  border-radius: var(--chatwire-radius);
  border-end-end-radius: 0.25rem;
  padding: 0.5rem 0.875rem;
  background: var(--chatwire-bubble);
}
.message[data-role="user"] .footer { display: none; }
.ending {
  color: var(--chatwire-muted);
  font-size: 0.875rem;
  font-style: italic;
}
.footer {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0 0.25rem;
  min-block-size: 2.25rem;
  margin-inline-start: -0.5rem;
  color: var(--chatwire-muted);
  font-size: 0.8125rem;
}
.metadata {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem;
  margin-inline: 0.5rem;
}

.busy {
  display: flex;
  align-items: center;
  gap: 0.5rem;
  margin-block-start: 0.75rem;
  color: var(--chatwire-muted);
  font-size: 0.875rem;
}
.busy::before {
  content: "";
  inline-size: 0.625rem;
  block-size: 0.625rem;
  border-radius: 50%;
  background: var(--chatwire-accent);
  animation: breathe 1.2s ease-in-out infinite;
}
@keyframes breathe {
  50% { opacity: 0.25; transform: scale(0.75); }
}

.welcome {
  display: grid;
  justify-items: center;
  gap: 1rem;
  padding-block: clamp(1rem, 12vh, 6rem) 1rem;
  text-align: center;
}
.welcome-title { font-size: 1.25rem; font-weight: 600; text-wrap: balance; }
.suggestions { display: flex; flex-wrap: wrap; justify-content: center; gap: 0.5rem; }
.suggestions .button { border-radius: 1.25rem; overflow-wrap: anywhere; }

.dock {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: 0.5rem;
  border-block-start: 1px solid var(--chatwire-border);
  padding: 0.75rem;
}
.composer {
  display: flex;
  align-items: end;
  gap: 0.5rem;
}
.composer .input {
  flex: 1;
  field-sizing: content;
  min-block-size: 2.5rem;
  max-block-size: 40vh;
  resize: none;
}
.composer .button { min-block-size: 2.5rem; }
.stop::before {
  content: "";
  display: inline-block;
  inline-size: 0.625rem;
  block-size: 0.625rem;
  margin-inline-end: 0.5rem;
  border-radius: 0.125rem;
  background: currentColor;
}

.notice {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.25rem 0.5rem;
  border-radius: 0.5rem;
  padding: 0.375rem 0.75rem;
  background: var(--chatwire-danger-surface);
}
.notice-text {
  flex: 1 1 12rem;
  min-inline-size: 0;
  color: var(--chatwire-danger);
  overflow-wrap: anywhere;
}

.queue {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: 0.375rem;
  max-block-size: 30vh;
  overflow-y: auto;
}
.queue-list { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.25rem; }
.queued, .queue-paused {
  display: flex;
  align-items: center;
  justify-content: space-between;
  gap: 0.5rem;
}
.queued {
  border: 1px dashed var(--chatwire-border);
  border-radius: 0.5rem;
  padding-inline: 0.75rem 0.25rem;
}
.queued-text {
  min-inline-size: 0;
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
}
.queue-paused { color: var(--chatwire-muted); font-size: 0.875rem; }
.queued .button, .queue-paused .button { flex: none; }

@media (pointer: coarse) {
  .button, .composer .button, .composer .input, .choice { min-block-size: 2.75rem; }
}

@media (prefers-reduced-motion: reduce) {
  .busy::before { animation: none; }
}

@media (forced-colors: active) {
  .message[data-role="user"] .content, .notice { border: 1px solid CanvasText; }
  .busy::before, .stop::before { forced-color-adjust: none; background: CanvasText; }
}
`;
