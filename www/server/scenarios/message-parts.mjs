/** @import { Scenario } from './index.mjs' */

/** @type {Scenario} */
export const sources = {
  name: 'sources',
  title: 'Sources',
  description: 'An answer with links and a document that it rests on.',
  prompt: 'Where is the event stream format defined?',
  script: ({ number }) => [
    {
      type: 'source',
      sourceType: 'url',
      id: `source-${number}-1`,
      url: 'https://html.spec.whatwg.org/multipage/server-sent-events.html',
      title: 'HTML Standard: Server-sent events',
    },
    {
      type: 'source',
      sourceType: 'url',
      id: `source-${number}-2`,
      url: 'https://www.rfc-editor.org/rfc/rfc6902',
    },
    {
      type: 'source',
      sourceType: 'document',
      id: `source-${number}-3`,
      mediaType: 'application/pdf',
      title: 'Notes on streaming',
      filename: 'streaming-notes.pdf',
    },
    { type: 'text', text: 'The event stream format is part of the HTML Standard; JSON Patch is RFC 6902.' },
  ],
};

/** A palette PNG of 96 × 96 pixels: hills at sunset. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAGAAAABgBAMAAAAQtmoLAAAAGFBMVEUbJk9GOnOWUHjieGD6vm7/7KomRj4YLiwaKaZaAAABBElEQVR42u3S7W' +
  '3CMBSF4bsCK1TqBIgNnA7Q1kxQ3WyQsz75xo7PNY4UCYp8fua+jwIIkbq6f7PTzlVQwfPAx85V8Fbg0w8rB1PPBQVz778LgfcZIedklzvw6fUI' +
  'EPT+pwCELyCvOABEffqZKngR4LaLwe/2fABoIuD2gatOy4LgM+m6vxxo0j4QGaDKBAGO9atgwLF+ERQ0rJ8FBa5RuhEoA19qClEt74dWNBV237' +
  'eiicj1qrL9rzzoZ6DF/QKG3xjDjGy8dSHQFrDFfOsCsPRUrLfuDgBbBLduAYAt2ugm6bPpy/EeEPIsFiAA29n9CABbtAQAtkj6HgC2IM8FO1dB' +
  'BcZuigomUEyARvAAAAAASUVORK5CYII=';

/** @type {Scenario} */
export const files = {
  name: 'files',
  title: 'Generated file',
  description: 'The model makes a picture, which comes as a data URL.',
  prompt: 'Draw me a sunset.',
  script: ({ number }) => [
    { type: 'text', text: number === 1 ? 'Here is your picture.' : 'I drew it once more.' },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PICTURE } },
    { type: 'text', text: 'It shows hills at sunset.' },
  ],
};

/** @type {Scenario} */
export const data = {
  name: 'data',
  title: 'Data parts',
  description: 'The server adds its own data: one part that is updated in place, one that is not kept.',
  prompt: 'Search the archive.',
  script: ({ number }) => [{ type: 'text', text: `Search ${number} is finished: I went through three shelves.` }],
  writeData: async (chunks, writer) => {
    const writeProgress = (/** @type {number} */ done) =>
      writer.write({ type: 'data-progress', id: 'search', data: { done, total: 3 } });

    for await (const chunk of chunks) {
      if (chunk.type === 'finish') {
        writeProgress(3);
        // Without an id, so that each one is a part of its own.
        writer.write({ type: 'data-result', data: { shelf: 2, title: 'Letters, 1871' } });
      }
      writer.write(chunk);
      if (chunk.type === 'start') {
        writer.write({ type: 'data-notice', data: { text: 'Searching…' }, transient: true });
        writeProgress(0);
      }
      if (chunk.type === 'text-start') writeProgress(1);
      if (chunk.type === 'text-end') writeProgress(2);
    }
  },
};

/** @type {Scenario} */
export const metadata = {
  name: 'metadata',
  title: 'Metadata and usage',
  description: 'The message carries the model’s name and, at the end, the tokens used.',
  prompt: 'How much did this answer cost?',
  script: ({ number }) => [
    { type: 'text', text: `The tokens of answer ${number} are in its metadata, below this text.` },
  ],
  messageMetadata: modelId => ({ part }) => {
    if (part.type === 'start') return { model: modelId };
    if (part.type === 'finish') return { usage: part.totalUsage };
    return undefined;
  },
};
