// `chatwire/agent` through the package: what a server does with the messages of its clients.

import assert from "node:assert/strict";
import { test } from "node:test";
import { convertToModelMessages } from "ai";
import { ChatwireError } from "chatwire";
import {
  applyStep,
  mergeClientToolResponses,
  pruneContext,
  rawJson,
  repairToolInput,
  reviewPatch,
} from "chatwire/agent";
import { z } from "zod";
import { Random } from "./support/random.mjs";

const text = (text) => ({ type: "text", text });
const message = (id, role, parts) => ({ id, role, parts });
const call = (tool, toolCallId, state, rest = {}) => ({
  type: `tool-${tool}`,
  toolCallId,
  state,
  input: { of: toolCallId },
  ...rest,
});

// merge

const approval = { id: "a", signature: "s" };
const rows = [
  // what is stored, what the client says, the list that the call ends in or the reason
  ["input-available", {}, "output-available", { output: 7 }, "merged"],
  ["input-available", {}, "output-error", { errorText: "no" }, "merged"],
  ["input-available", {}, "output-error", { errorText: 1 }, "invalid_answer"],
  ["output-available", { output: 7 }, "output-available", { output: 7 }, "alreadyResolved"],
  ["output-available", { output: 7 }, "output-available", { output: 8 }, "conflicting_answer"],
  ["input-streaming", {}, "output-available", { output: 7 }, "not_ready"],
  ["input-available", { providerExecuted: true }, "output-available", { output: 7 }, "not_a_client_tool"],
  ["approval-requested", { approval }, "output-available", { output: 7 }, "awaits_approval"],
  ["approval-requested", { approval }, "approval-responded", { approval: { ...approval, approved: true } }, "merged"],
  ["approval-requested", { approval }, "approval-responded", { approval: { id: "b", approved: true } }, "unknown_approval"],
  ["approval-requested", { approval }, "approval-responded", { approval: { ...approval, signature: "t", approved: true } }, "request_altered"],
  ["input-available", {}, "output-available", { output: 7, input: { of: "other" } }, "request_altered"],
];

test("a client's answer: what is stored decides", async () => {
  for (const [state, stored, answerState, answer, expected] of rows) {
    const merged = await mergeClientToolResponses(
      message("m", "assistant", [call("ask", "c", state, stored)]),
      message("m", "assistant", [call("ask", "c", answerState, answer)]),
    );
    const { merged: taken, alreadyResolved, rejected } = merged;
    const found = { merged: taken.length, alreadyResolved: alreadyResolved.length };
    for (const { toolCallId, reason } of rejected) {
      assert.equal(toolCallId, "c");
      found[reason] = 1;
    }
    const verdicts = Object.keys(found).filter((key) => found[key] > 0);
    assert.deepEqual(verdicts, [expected], `${state} ← ${answerState} ${JSON.stringify(answer)}`);
  }
  const unknown = await mergeClientToolResponses(
    message("m", "assistant", []),
    message("m", "assistant", [call("ask", "c", "output-available", { output: 1 })]),
  );
  assert.deepEqual(unknown.rejected, [{ toolCallId: "c", reason: "unknown_tool_call" }]);
});

test("the stored text stays byte for byte but for the answer", async () => {
  const stored =
    '{"id":"m","parts":[{"state":"approval-requested","type":"tool-pay","toolCallId":"c","input":{"b":1.0,"a":9007199254740993,"a":"\\u0041"},"approval":{"id":"a","signature":"s\\/"}}],"role":"assistant","x":1e21}';
  const incoming = message("m", "assistant", [
    call("pay", "c", "approval-responded", {
      input: undefined,
      approval: { id: "a", approved: true, reason: "fine" },
      x: "injected",
    }),
  ]);
  const { message: merged, merged: taken } = await mergeClientToolResponses(stored, incoming);
  assert.deepEqual(taken, ["c"]);
  assert.equal(
    rawJson(merged),
    stored
      .replace("approval-requested", "approval-responded")
      .replace('"signature":"s\\/"}', '"signature":"s\\/","approved":true,"reason":"fine"}'),
  );
  const again = await mergeClientToolResponses(merged, incoming);
  assert.deepEqual([again.merged, again.alreadyResolved], [[], ["c"]]);
  assert.equal(rawJson(again.message), rawJson(merged), "the object knows its text");
});

test("only the tools of the client take an output from it", async () => {
  const stored = message("m", "assistant", [call("ask", "1", "input-available"), call("run", "2", "input-available")]);
  const incoming = message("m", "assistant", [
    call("ask", "1", "output-available", { output: 1 }),
    call("run", "2", "output-available", { output: 2 }),
  ]);
  const result = await mergeClientToolResponses(stored, incoming, { clientTools: ["ask"] });
  assert.deepEqual(result.merged, ["1"]);
  assert.deepEqual(result.rejected, [{ toolCallId: "2", reason: "not_a_client_tool" }]);
  assert.equal(result.message.parts[1].state, "input-available");
});

// steps

const step = (delta) => [
  { type: "start-step" },
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta },
  { type: "text-end", id: "t" },
  { type: "finish-step" },
];

test("a draft grows step by step, under one id", async () => {
  const first = await applyStep(undefined, [{ type: "start", messageId: "m" }, ...step("One")]);
  assert.deepEqual([first.message.id, first.message.parts.length, first.finished], ["m", 2, false]);
  const second = await applyStep(first.message, [...step("Two"), { type: "finish" }]);
  assert.deepEqual(second.message.parts.map((part) => part.text), [undefined, "One", undefined, "Two"]);
  assert.equal(second.finished, true);
  assert.equal(rawJson(second.message), JSON.stringify(second.message));
});

test("what does not fit a draft is an error with its code", async () => {
  const cases = [
    [() => applyStep(message("m", "user", []), []), "invalid_message"],
    [() => applyStep("{", []), "invalid_message"],
    [() => applyStep(undefined, [{ type: "text-delta", id: 1 }]), "invalid_chunk"],
    [() => applyStep(undefined, "[1"), "invalid_chunk"],
    [() => applyStep(undefined, [{ type: "tool-output-available", toolCallId: "x", output: 1 }]), "stream_order"],
    [
      () => applyStep(message("m", "assistant", [text("a")]), [{ type: "start", messageId: "n" }]),
      "message_mismatch",
    ],
    [() => mergeClientToolResponses("[]", "{}"), "invalid_message"],
    [() => pruneContext("{}", { budgetTokens: 1 }), "invalid_message"],
    [() => pruneContext('[{"id":"a","parts":[],"role":"user","__proto__":1}]', { budgetTokens: 1 }), "forbidden_key"],
  ];
  for (const [run, code] of cases) {
    await assert.rejects(run, (error) => ChatwireError.isInstance(error) && error.code === code, String(run));
  }
});

// pruning

const result = (tool, id, output) => call(tool, id, "output-available", { output });

test("three hundred turns keep the budget and one snapshot of the document", async () => {
  const document = (turn) => JSON.stringify({ turn, sections: Array(1000).fill("section") });
  const messages = [message("system", "system", [text("Edit the document.")])];
  for (let turn = 0; turn < 300; turn++) {
    messages.push(message(`u${turn}`, "user", [text("Change it again.")]));
    messages.push(
      message(`a${turn}`, "assistant", [
        { type: "step-start" },
        { type: "reasoning", text: "The document first.", providerMetadata: { p: { signature: "s" } } },
        result("read", `r${turn}`, document(turn)),
        { type: "step-start" },
        result("patch", `p${turn}`, document(turn + 1)),
        text("Done."),
      ]),
    );
  }
  const pruned = await pruneContext(messages, {
    budgetTokens: 40_000,
    snapshotTools: ["read", "patch"],
  });
  assert.equal(pruned.overBudget, false);
  assert.ok(pruned.tokens <= 40_000, `${pruned.tokens} tokens`);
  assert.equal(pruned.messages.length, 601);
  const sent = JSON.stringify(await convertToModelMessages(pruned.messages));
  assert.equal(sent.split("sections").length - 1, 1, "full snapshots");
  assert.ok(sent.includes('{\\"turn\\":300,') || sent.includes('{\\\\\\"turn\\\\\\":300,'), "the newest one");
  assert.equal(pruned.messages[0], messages[0], "what was left alone is the same object");
  assert.equal(messages[2].parts[2].output, document(0), "the originals stay");
});

test("the app's own estimate decides; what it throws is thrown", async () => {
  const messages = [1, 2, 3].map((n) => message(`a${n}`, "assistant", [result("look", `c${n}`, "x".repeat(50))]));
  const counted = [];
  const estimate = (text) => {
    counted.push(text);
    return text.length > 40 ? 1000 : 1;
  };
  const pruned = await pruneContext(messages, { budgetTokens: 1500, estimate });
  assert.ok(counted.some((text) => text.includes("xxx")));
  assert.deepEqual(pruned.applied.map(({ tier, toolCallId }) => [tier, toolCallId]), [[2, "c1"], [2, "c2"]]);
  const failing = () => {
    throw new RangeError("no tokenizer");
  };
  await assert.rejects(pruneContext(messages, { budgetTokens: 1, estimate: failing }), RangeError);
});

/** A conversation of a server, with every kind of part that a model is sent. */
function conversation(pick) {
  const some = (list) => list[pick(list.length)];
  const messages = [message("s", "system", [text("Be brief.")])];
  let calls = 0;
  for (let turn = 0; turn < 3 + pick(4); turn++) {
    const file = { type: "file", mediaType: "image/png", url: `data:image/png;base64,${"A".repeat(4 * (1 + pick(400)))}` };
    messages.push(message(`u${turn}`, "user", pick(2) ? [text("Go on."), file] : [text("Go on.")]));
    const parts = [];
    for (let steps = 0; steps < 1 + pick(3); steps++) {
      parts.push({ type: "step-start" });
      if (pick(2)) {
        const providerMetadata = pick(2) ? { anthropic: { signature: "s" } } : undefined;
        parts.push({ type: "reasoning", text: "Because. ".repeat(pick(40)), ...(providerMetadata && { providerMetadata }) });
      }
      for (let tools = 0; tools < pick(3); tools++) {
        const id = `c${calls++}`;
        const tool = some(["read", "patch", "search", "pinned"]);
        const output = "o".repeat(pick(2000));
        parts.push(
          some([
            () => result(tool, id, output),
            () => call(tool, id, "output-error", { errorText: output }),
            () => call(tool, id, "output-denied", { approval: { id: `p${id}`, approved: false, reason: "no" } }),
            () => ({ ...result(tool, id, { output }), type: "dynamic-tool", toolName: tool }),
            () => ({ ...result(tool, id, output), providerExecuted: true }),
          ])(),
        );
      }
      if (pick(2)) parts.push(text("So it is."));
    }
    messages.push(message(`a${turn}`, "assistant", parts));
  }
  return messages;
}

/** The calls and the results of model messages, by id. */
function pairs(modelMessages) {
  const content = modelMessages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const ids = (type) => content.filter((part) => part.type === type).map(({ toolCallId }) => toolCallId);
  return { calls: ids("tool-call"), results: ids("tool-result") };
}

test("random histories, pruned, convert with the real convertToModelMessages, call and result together", async () => {
  const seeded = new Random(20_261_203);
  const pick = (bound) => seeded.below(bound);
  let collapsed = 0;
  for (let round = 0; round < 300; round++) {
    const messages = conversation(pick);
    const { calls, results } = pairs(await convertToModelMessages(messages));
    assert.deepEqual([...results].sort(), [...calls].sort(), "the histories are whole");
    const pruned = await pruneContext(messages, {
      budgetTokens: pick(1500),
      pinnedTools: ["pinned"],
      snapshotTools: ["read"],
    });
    const after = pairs(await convertToModelMessages(pruned.messages));
    assert.deepEqual([...after.results].sort(), [...after.calls].sort(), JSON.stringify(pruned.applied));
    assert.ok(after.calls.every((id) => calls.includes(id)));
    collapsed += calls.length - after.calls.length;
    assert.equal(pruned.messages.length, messages.length);
    if (pruned.applied.length === 0) assert.deepEqual(pruned.messages, messages);
  }
  assert.ok(collapsed > 100, `only ${collapsed} calls were collapsed`);
});

// repair

const operations = z.object({ operations: z.array(z.object({ op: z.string(), path: z.string(), value: z.any() })) });

test("an input is repaired, and must match the schema", async () => {
  const patch = (path) => JSON.stringify({ operations: [{ op: "replace", path, value: 1 }] });
  const options = { schema: operations, pathPrefixes: ["/data"], shortcuts: { "/work": "/sections/work/items" } };
  const cases = [
    [patch("/name"), patch("/name"), []],
    [patch("/data/name"), patch("/name"), ["path_prefix"]],
    [patch("/work/0"), patch("/sections/work/items/0"), ["path_shortcut"]],
    [`\`\`\`json\n${patch("/name")}\n\`\`\``, patch("/name"), ["prose"]],
    [JSON.stringify(patch("/name")), patch("/name"), ["unwrapped"]],
    [patch("/name").slice(0, -1), patch("/name"), ["closed"]],
  ];
  for (const [given, expected, repairs] of cases) {
    const repaired = await repairToolInput(given, options);
    assert.deepEqual({ ...repaired, text: JSON.parse(repaired.text) }, { ok: true, text: JSON.parse(expected), repairs }, given);
  }
});

test("what cannot be repaired is given up, with a reason", async () => {
  for (const [given, options, reason] of [
    ["what?", {}, "invalid_json"],
    ['{"a":"cut', {}, "truncated"],
    ['{"__proto__":1}', {}, "forbidden_key"],
    ['{"operations":1}', { schema: operations }, "invalid_value"],
    ['{"n":1}', { schema: { type: "object", required: ["m"] } }, "invalid_value"],
  ]) {
    const given_up = await repairToolInput(given, options);
    assert.deepEqual([given_up.ok, given_up.reason], [false, reason], given);
    if (reason === "invalid_value") assert.ok(given_up.issues.length > 0);
  }
  assert.equal((await repairToolInput('{"n":1.0}')).text, '{"n":1.0}');
});

// patch review

const resume = { name: "Ada", n: 1, skills: ["Rust", "C"] };

test("a patch in rows, with its preview, its inverse and what others changed", async () => {
  const input = JSON.stringify({
    operations: [
      { op: "replace", path: "/name", value: "Eve" },
      { op: "add", path: "/skills/-", value: "Go" },
      { op: "remove", path: "/skills/0" },
      { op: "move", from: "/n", path: "/m" },
    ],
  });
  const base = { ...resume, name: "Bob", skills: ["C"] };
  const reviewed = await reviewPatch(resume, input, { base });
  assert.deepEqual(reviewed.preview, { name: "Eve", skills: ["C", "Go"], m: 1 });
  assert.deepEqual(
    reviewed.rows.map(({ op, text }) => [op, text]),
    [
      ["changed", 'changed /name from "Ada" to "Eve"'],
      ["added", 'added /skills/2: "Go"'],
      ["removed", 'removed /skills/0, which was "Rust"'],
      ["moved", "moved /n to /m: 1"],
    ],
  );
  assert.deepEqual(reviewed.changedPaths, ["/name", "/skills/2", "/skills/0", "/n", "/m"]);
  assert.deepEqual(
    reviewed.conflicts.map(({ kind, path }) => [kind, path]),
    [["changed", "/name"], ["drift", "/skills"]],
  );
  assert.equal(reviewed.conflicts[0].base, "Bob");
  const undone = await reviewPatch(reviewed.preview, JSON.stringify(reviewed.inverse));
  assert.deepEqual(undone.preview, resume);
  assert.equal(reviewed.complete, true);
});

test("an input that is arriving, one with a fault, and one that is none", async () => {
  const growing = await reviewPatch(resume, '[{"op":"remove","path":"/n"},{"op":"remove","pa');
  assert.deepEqual([growing.complete, growing.rows.length, growing.preview.n], [false, 1, undefined]);
  const faulty = await reviewPatch(resume, '[{"op":"test","path":"/n","value":2},{"op":"remove","path":"/n"}]');
  assert.deepEqual(faulty.rows.map(({ fault }) => fault), ["test_failed", "not_reached"]);
  assert.deepEqual(faulty.preview, resume);
  for (const [document, input, code] of [
    [resume, "7", "invalid_patch"],
    [resume, "{]", "invalid_patch"],
    [resume, '[{"op":"add","path":"","value":{"__proto__":1}}]', "forbidden_key"],
  ]) {
    await assert.rejects(reviewPatch(document, input), { code });
  }
});

test("what the server received keeps its spelling in the preview", async () => {
  const { preview } = await reviewPatch(JSON.parse('{"a":1,"b":2}'), '[{"op":"add","path":"/c","value":1.0}]');
  assert.equal(rawJson(preview), '{"a":1,"b":2,"c":1.0}');
});
