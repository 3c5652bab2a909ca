// What was received goes back byte for byte, whatever JavaScript would make of it.

import { assert, assertEqual, assertSame } from "./check.js";
import { withChat } from "./host.js";

/** Spellings that a parse and a stringify lose. */
const ODD = '{"one":1.0,"big":1e21,"id":9007199254740993,"twice":1,"twice":2,"esc":"\\u0041", "z":-0}';
const call = (input) =>
  `{"type":"tool-input-available","toolCallId":"c","toolName":"edit","input":${input},"providerExecuted":true}`;
const output = (json) => `{"type":"tool-output-available","toolCallId":"c","output":${json}}`;

/** The text behind each object, also when an equal one with another spelling takes its place. */
export function objectsKeepTheirText(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.read(
      `{"type":"start","messageId":"a","messageMetadata":${ODD}}`,
      call(ODD),
      output(`[${ODD}]`),
      `{"type":"data-rows","id":"d","data":${ODD}}`,
    );
    const [tool, data] = chat.parts;
    const { metadata } = chat.messages[1];
    for (const [value, text] of [
      [tool.input, ODD],
      [tool.output, `[${ODD}]`],
      [data.data, ODD],
      [metadata, ODD],
    ]) {
      assertSame(chat.driver.rawText(value), text, "the text of a value");
      assertSame(chat.texts.get(value), text, "the noted text of a value");
      assert(JSON.stringify(value) !== text, "the spelling must be one that JavaScript loses");
    }
    const respelled = ODD.replace("1.0", "1").replace("1e21", "1000000000000000000000");
    await request.read(`{"type":"data-rows","id":"d","data":${respelled}}`);
    assertSame(chat.parts[1].data, data.data, "the value of another spelling");
    assertSame(chat.driver.rawText(data.data), respelled, "the newest text");
    await request.finish();
  });
}

/** A whole message, primitive values and unknown fields included. */
export function messagesKeepTheirText(start) {
  const text = `[{"id":"a","role":"assistant","extra":1.0,"parts":[${[
    '{"type":"tool-edit","toolCallId":"c","state":"output-available","input":1e21,"output":9007199254740993}',
    '{"type":"data-n","data":"\\u0041","unknown":[1.0]}',
  ]}],"metadata":1.0}]`;
  return withChat(start, {}, async (chat) => {
    const given = JSON.parse(text).map((message) => chat.own(message));
    chat.driver.loadMessages(text, given);
    assertSame(chat.messages[0], given[0], "the app's object");
    assertSame(chat.driver.exportMessages(), text, "the export");
    assertSame(`[${chat.driver.rawText(chat.messages[0])}]`, text, "the text of a message");
    assertSame(chat.driver.rawText({}), undefined, "the text of a stranger");
  });
}

/** The body of the next request holds what was received, in the received spelling. */
export function requestsSendWhatWasReceived(start) {
  return withChat(start, {}, async (chat) => {
    const first = await chat.ask("Q\ud800");
    await first.finish(
      '{"type":"start","messageId":"a"}',
      call(ODD),
      output("1e21"),
      '{"type":"data-n","data":9007199254740993}',
      '{"type":"message-metadata","messageMetadata":{"cost":1.0}}',
    );
    const second = await chat.ask("Next");
    assertSame(
      second.context.messagesText,
      `[{"id":"user-1","role":"user","parts":[{"type":"text","text":"Q\\ud800"}]},` +
        `{"id":"a","metadata":{"cost":1.0},"role":"assistant","parts":[` +
        `{"type":"tool-edit","toolCallId":"c","state":"output-available","providerExecuted":true,"input":${ODD},"output":1e21},` +
        `{"type":"data-n","data":9007199254740993}]},` +
        `{"id":"user-3","role":"user","parts":[{"type":"text","text":"Next"}]}]`,
      "the messages of the request",
    );
    assertEqual(JSON.parse(second.context.messagesText), second.context.messages, "as text and as objects");
    await second.finish();
  });
}

/** A message that the app copied to change it brings along the text of what it did not change. */
export function copiesKeepTheTextOfWhatIsTheSame(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.finish(call(ODD), output(`[${ODD}]`));
    const [user, answer] = chat.messages;
    chat.replacesObjects();
    const copy = chat.own({ ...answer, metadata: { starred: true }, parts: [...answer.parts] });
    chat.driver.setMessages([user, copy]);
    assertSame(chat.messages[1], copy, "the copy");
    const text = chat.driver.exportMessages();
    assert(text.includes(`"input":${ODD}`), `the input is not exact in ${text}`);
    assert(text.includes(`"output":[${ODD}]`), `the output is not exact in ${text}`);
    assert(text.includes('"metadata":{"starred":true}'), `the change is not in ${text}`);
  });
}

/** What the client answers is part of the text, and everything around it stays. */
export function answersLeaveTheRestAlone(start) {
  const request = `{"type":"tool-approval-request","approvalId":"p","toolCallId":"c","signature":"\\u0053ig","inputSchemaInput":${ODD}}`;
  return withChat(start, {}, async (chat) => {
    const asked = await chat.ask("Q");
    await asked.finish(call(ODD), request);
    chat.driver.addApprovalResponse("p", true, "because \u2028\ud800", undefined);
    assertSame(chat.parts[0].state, "approval-responded", "the state");
    assertEqual(chat.parts[0].approval.reason, "because \u2028\ud800");
    const text = chat.driver.exportMessages();
    assert(text.includes(`"signature":"\\u0053ig"`), `the signature is not exact in ${text}`);
    assert(text.includes(`"inputSchemaInput":${ODD}`), `what was signed is not exact in ${text}`);
    assert(text.includes(`"input":${ODD}`), `the input is not exact in ${text}`);
  });
}

/** An input that is cut while it streams keeps its raw text; what was shown is what is sent. */
export function cutInputsKeepTheirText(start) {
  return withChat(start, {}, async (chat) => {
    const request = await chat.ask("Q");
    await request.read(
      { type: "tool-input-start", toolCallId: "c", toolName: "edit" },
      { type: "tool-input-delta", toolCallId: "c", inputTextDelta: '{"n":1.0,"half":"\ud83d' },
    );
    chat.driver.stop(undefined);
    const [part] = JSON.parse(chat.driver.exportMessages())[1].parts;
    assertEqual(part, chat.parts[0], "the part in the export");
    assertSame(part.rawInput, '{"n":1.0,"half":"\ud83d', "the raw input");
    assert(chat.driver.exportMessages().includes('"input":{"n":1.0,'), "the spelling of the input");
  });
}

/** Ids are any JSON string. */
export function idsMayBeAnyString(start) {
  return withChat(start, {}, async (chat) => {
    const id = 'c"\\\n\ud800\u0000😀';
    const request = await chat.ask("Q");
    await request.read({ type: "start", messageId: id });
    await request.read({ type: "tool-input-available", toolCallId: id, toolName: "edit", input: {} });
    await request.finish();
    assertSame(chat.messages[1].id, id, "the id of the message");
    await chat.driver.addToolOutput(id, { ok: true }, undefined);
    assertEqual(chat.parts[0].output, { ok: true });
    chat.driver.regenerate(id, undefined);
    assertSame(chat.requests[1].context.messageId, id, "the id in the request");
  });
}
