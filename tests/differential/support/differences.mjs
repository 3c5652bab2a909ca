// The differences of tests/differences.md that legal streams may show: which chunk shows which one,
// and what the AI SDK's client would have to be told to show what is right.

/**
 * What a chunk does that the clients take differently.
 * @typedef {object} Difference
 * @property {string} id the number in tests/differences.md
 * @property {(chunks: object[], chunk: object) => object[]} repair the response with the chunk, in
 *   the form of which the AI SDK's client makes what is right
 * @property {boolean} [opensMessage] what follows belongs to a message of its own
 */

/**
 * @param {object} chunk
 * @param {import("./stream-state.mjs").StreamState} state before the chunk
 * @returns {Difference | undefined}
 */
export function legalDifference(chunk, state) {
  if (chunk.type === "start") return differenceOfStart(chunk, state);
  if (!/^tool-input-/.test(chunk.type)) return undefined;
  const call = state.toolCalls.get(chunk.toolCallId);
  if (call === undefined) return undefined;
  if (chunk.type === "tool-input-delta" && call.state !== "input-streaming") {
    return { id: "7", repair: (chunks) => chunks };
  }
  const isOfStep = call.step === state.step;
  const namesKind = chunk.type === "tool-input-start" || chunk.type === "tool-input-available";
  const changesKind = namesKind && (chunk.dynamic === true) !== call.isDynamic;
  if (isOfStep && !changesKind) return undefined;
  return {
    id: "6",
    repair: (chunks) => withOnePart(chunks, chunk, call.step - state.stepsBefore, changesKind),
  };
}

function differenceOfStart({ messageId }, state) {
  const isNew = messageId !== undefined && messageId !== state.messageId;
  if (!isNew || !state.isCopied) return undefined;
  if (state.isContinuation) {
    const repair = (chunks, start) => [...chunks, { ...start, messageId: undefined }];
    return { id: "8", repair, opensMessage: true };
  }
  return { id: "8", repair: (chunks, start) => [start, ...chunks] };
}

/** All that the call's chunks do done in the step that its part is in, and of one kind throughout. */
function withOnePart(chunks, chunk, step, changesKind) {
  const { toolCallId, dynamic } = chunk;
  const all = changesKind
    ? chunks.map((other) => (isInputOf(other, toolCallId) ? ofKind(other, dynamic) : other))
    : chunks;
  let end = 0;
  for (let left = step + 1; end < all.length; end++) {
    if (all[end].type === "start-step" && --left === 0) break;
  }
  const approvals = all
    .filter((other) => other.toolCallId === toolCallId)
    .map(({ approvalId }) => approvalId);
  const isOfCall = (other) =>
    other.toolCallId === toolCallId ||
    (other.type === "tool-approval-response" && approvals.includes(other.approvalId));
  const later = all.slice(end);
  return [
    ...all.slice(0, end),
    ...later.filter(isOfCall),
    chunk,
    ...later.filter((other) => !isOfCall(other)),
  ];
}

function isInputOf({ type, toolCallId: id }, toolCallId) {
  return id === toolCallId && /^tool-input-(start|available|error)$/.test(type);
}

function ofKind(chunk, dynamic) {
  return { ...chunk, dynamic: dynamic === true };
}
