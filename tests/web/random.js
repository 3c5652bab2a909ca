// Random but repeatable streams.

/** Gives whole numbers below a bound, the same ones for the same seed (mulberry32). */
export function seeded(seed) {
  return (bound) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let bits = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

const KEYS = ["a", "b", "list", "größe", "😀"];
const TEXTS = ["", "word", "line\nbreak", '"quoted"', "ünïcode", "😀👍🏽", "\ud83d", "\u0000\ufeff"];

/** A JSON value. @param {(bound: number) => number} random */
export function randomValue(random, depth = 3) {
  switch (random(depth > 0 ? 7 : 5)) {
    case 0:
      return random(2) === 0;
    case 1:
      return null;
    case 2:
      return [0, -1, 1.5, 20, 1e21, 12345678901][random(6)];
    case 3:
    case 4:
      return TEXTS[random(TEXTS.length)];
    case 5:
      return Array.from({ length: random(4) }, () => randomValue(random, depth - 1));
    default:
      return Object.fromEntries(
        Array.from({ length: random(4) }, () => [KEYS[random(KEYS.length)], randomValue(random, depth - 1)]),
      );
  }
}

let nextCall = 1;

/** Some chunks that belong together: a text, a tool call, a data part, metadata. */
export function randomChunks(random) {
  switch (random(6)) {
    case 0:
    case 1:
      return textChunks(random);
    case 2:
    case 3:
      return toolChunks(random);
    case 4:
      return [{ type: "data-rows", id: `d${random(2)}`, data: similarValue(random) }];
    default:
      return [{ type: "message-metadata", messageMetadata: { usage: similarValue(random) } }];
  }
}

/** Values that often are the same, so that what replaces a value is often equal to it. */
function similarValue(random) {
  return { rows: [{ n: random(2) }, { m: [random(2)] }], total: random(2) };
}

function textChunks(random) {
  const kind = random(2) === 0 ? "text" : "reasoning";
  const id = `t${random(1e9)}`;
  const deltas = Array.from({ length: random(5) }, () => TEXTS[random(TEXTS.length)]);
  return [
    { type: `${kind}-start`, id },
    ...deltas.map((delta) => ({ type: `${kind}-delta`, id, delta })),
    ...(random(4) === 0 ? [] : [{ type: `${kind}-end`, id }]),
  ];
}

function toolChunks(random) {
  const toolCallId = `c${nextCall++}`;
  const names = { toolCallId, toolName: "edit", dynamic: random(2) === 0 };
  const value = { root: randomValue(random), more: randomValue(random) };
  const characters = [...JSON.stringify(value, null, random(2))];
  const chunks = [{ type: "tool-input-start", ...names }];
  while (characters.length > 0) {
    const inputTextDelta = characters.splice(0, 1 + random(9)).join("");
    chunks.push({ type: "tool-input-delta", toolCallId, inputTextDelta });
  }
  const input = random(3) === 0 ? { ...value, more: randomValue(random) } : value;
  chunks.push({ type: "tool-input-available", ...names, input });
  for (let outputs = random(3); outputs > 0; outputs--) {
    chunks.push({ type: "tool-output-available", toolCallId, output: similarValue(random), preliminary: true });
  }
  if (random(2) === 0) chunks.push({ type: "tool-output-available", toolCallId, output: randomValue(random) });
  return chunks;
}

/** Chunks of every kind over few ids: what comes is often what was there before, spelled in another way. */
export function eventfulChunks(random) {
  const id = ["a", "b"][random(2)];
  const kind = ["text", "reasoning"][random(2)];
  const providerMetadata = [{ p: {} }, { p: { n: [random(2)] } }, undefined][random(3)];
  const call = { toolCallId: id, toolName: ["edit", "find"][random(2)], providerMetadata };
  switch (random(12)) {
    case 0:
      return [{ type: `${kind}-start`, id, providerMetadata }];
    case 1:
      return [
        { type: `${kind}-delta`, id, delta: TEXTS[random(TEXTS.length)] },
        { type: `${kind}-delta`, id, delta: TEXTS[random(TEXTS.length)], providerMetadata },
      ];
    case 2:
      return [{ type: `${kind}-end`, id, providerMetadata }];
    case 3:
      return [{ type: "source-url", sourceId: "s", url: "https://example.com/", providerMetadata }];
    case 4:
      return [{ type: ["start-step", "finish-step", "reset-step"][random(3)] }];
    case 5:
      return [{ type: "start", messageMetadata: { usage: similarValue(random) } }];
    case 6:
      return [{ type: "tool-output-available", ...call, output: similarValue(random), preliminary: random(2) === 0 }];
    case 7:
      return [{ type: "tool-output-error", ...call, errorText: "e" }];
    case 8:
      return [{ type: "tool-approval-request", toolCallId: id, approvalId: id }];
    case 9:
      return randomChunks(random);
    default:
      return inputChunks(random, call);
  }
}

/** An input whose text says the same thing in many ways, and members again. */
function inputChunks(random, call) {
  let text = randomJson(random, 3);
  const chunks = [{ type: "tool-input-start", ...call }];
  const input = JSON.parse(text);
  while (text !== "") {
    const end = 1 + random(6);
    chunks.push({ type: "tool-input-delta", toolCallId: call.toolCallId, inputTextDelta: text.slice(0, end) });
    text = text.slice(end);
  }
  // Without its start, too: a call that is known goes on, and one that is not is refused.
  const from = random(8) === 0 ? 1 : 0;
  const end = random(3) === 0 ? [] : [{ type: "tool-input-available", ...call, input }];
  return [...chunks.slice(from), ...end];
}

/** JSON text with few values, several spellings of each and keys that come again. */
function randomJson(random, depth) {
  const space = ["", "", " ", "\n"][random(4)];
  const list = (make) => Array.from({ length: random(4) }, make).join(`,${space}`);
  switch (random(depth > 0 ? 6 : 3)) {
    case 0:
      return ["1", "1.0", "1e0", "10", "-0", "0", "0.0"][random(7)];
    case 1:
      return ["null", "true", '""', '"a"', '"\\u0061"', '"\\ud83d\\ude00"', '"😀"'][random(7)];
    case 2:
      return ["{}", "[]"][random(2)];
    case 3:
      return `[${list(() => randomJson(random, depth - 1))}${space}]`;
    default:
      return `{${list(() => `"${["a", "b"][random(2)]}":${space}${randomJson(random, depth - 1)}`)}${space}}`;
  }
}
