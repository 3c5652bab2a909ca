// The example, written for the AI SDK, with its own packages and with chatwire's in their place: the
// same assertions for both. Where they differ by intention, `differs` names the difference.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, openPage } from "./support/browser.mjs";
import { assertListed } from "./support/differences.mjs";
import { startServer } from "./support/server.mjs";

let browser;
let server;
before(async () => {
  [browser, server] = await Promise.all([openBrowser(), startServer()]);
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** A test for both packages. `open(query)` opens the example. */
function testBoth(name, run) {
  for (const variant of ["peer", "chatwire"]) {
    test(`${name} (${variant})`, async () => {
      await Promise.all(
        ["recordings", "executions"].map((what) =>
          fetch(`${server.demoUrl}/api/${what}`, { method: "DELETE" }),
        ),
      );
      const opened = [];
      try {
        const all = [];
        await run({
          variant,
          isChatwire: variant === "chatwire",
          open: async (query) => {
            const { page, complaints } = await openPage(
              browser,
              `${server.url}/${variant}/example.html?${query}`,
            );
            opened.push(page);
            all.push(complaints);
            return new Example(page);
          },
        });
        assert.deepEqual(all.flat().filter((line) => !/Failed to load resource/.test(line)), []);
      } finally {
        for (const page of opened) await page.close();
      }
    });
  }
}

/** What each package does where it differs by intention. @param {string} id as in tests/differences.md */
function differs(isChatwire, id, { peer, chatwire }) {
  assertListed(id);
  return isChatwire ? chatwire : peer;
}

/** The example in a page. */
class Example {
  constructor(page) {
    this.page = page;
    this.messages = page.locator("[role=log] article");
    this.chat = page.locator("section");
  }

  async send(text, files = []) {
    if (files.length > 0) await this.page.getByLabel("Attachments").setInputFiles(files);
    await this.page.getByLabel("Message").fill(text);
    await this.press("Send");
  }

  press(name) {
    return this.page.getByRole("button", { name, exact: true }).click();
  }

  status(status) {
    return this.page.locator(`section[data-status="${status}"]`).waitFor();
  }

  text(text) {
    return this.page.getByText(text).first().waitFor();
  }

  /** The role and the text of each message. */
  shown() {
    return this.messages.evaluateAll((all) =>
      all.map((message) => `${message.dataset.role}: ${message.innerText.replaceAll("\n", " ").trim()}`),
    );
  }

  log() {
    return this.page.locator("[aria-label=Log] li").allInnerTexts();
  }

  /** Waits until this many responses have ended. */
  finished(count) {
    return this.page.locator("[aria-label=Log] li", { hasText: /^finish/ }).nth(count - 1).waitFor();
  }

  statuses() {
    return this.page.getByTestId("statuses").innerText();
  }
}

/** What the example's onFinish writes about a response that ended by itself, and about a stopped one. */
const ENDED = "assistant abort=false disconnect=false error=false";
const STOPPED = "assistant abort=true disconnect=false error=false";

const recordings = async () => (await fetch(`${server.demoUrl}/api/recordings`)).json();
const bodies = async () => (await recordings()).map(({ requestBody }) => JSON.parse(requestBody));
const executions = async () => (await fetch(`${server.demoUrl}/api/executions`)).json();

testBoth("a question and its answer, by the app's own fetch and request", async ({ open }) => {
  // Slow enough that a busy machine paints between the first chunk and the last.
  const example = await open("scenario=plain&delay=20");
  await example.send("Hello there");
  await example.text("always give the same kind of answer.");
  await example.status("ready");
  const [question, answer, ...more] = await example.shown();
  assert.equal(question, "user: Hello there");
  assert.match(answer, /^assistant: Hello! You wrote: “Hello there”/);
  assert.deepEqual(more, []);
  assert.equal(await example.statuses(), "ready submitted streaming ready");
  assert.deepEqual(await example.log(), [
    "fetch POST /api/chat?scenario=plain&delay=20 as prepared first",
    `finish plain ${ENDED}`,
  ]);
  const [body, ...rest] = await bodies();
  assert.deepEqual(rest, []);
  assert.deepEqual(Object.keys(body), ["id", "messages", "trigger"]);
  assert.equal(body.id, "first");
  assert.equal(body.trigger, "submit-message");
});

testBoth("the newest scenario and callbacks count, also for a retry", async ({ open }) => {
  const example = await open("scenario=plain");
  await example.send("One");
  await example.text("always give");
  await example.status("ready");
  await example.page.getByLabel("Scenario").fill("reasoning");
  await example.press("Retry");
  await example.text("A week has 10,080 minutes.");
  await example.status("ready");
  const [first, second] = await bodies();
  assert.equal(second.trigger, "regenerate-message");
  assert.deepEqual(second.messages, first.messages);
  assert.equal((await example.shown()).length, 2);
  assert.equal((await example.log()).at(-1), `finish reasoning ${ENDED}`);
});

testBoth("tools of the server, in two steps", async ({ open }) => {
  const example = await open("scenario=tools");
  await example.send("What is the weather in Porto?");
  await example.text("In Porto there is light rain at 14.5 °C.");
  await example.status("ready");
  const weather = await example.page.locator("dl[data-state=output-available]").innerText();
  assert.equal(weather, "Porto\nlight rain, 14.5 °C");
  assert.equal((await bodies()).length, 1);
  assert.equal((await executions()).length, 1);
});

testBoth("a tool of the page: its output is added without waiting, and sends by itself", async ({ open }) => {
  const example = await open("scenario=question");
  await example.send("Help me write a letter.");
  await example.press("Friendly");
  await example.text("Noted: “Friendly”. I will write it that way.");
  await example.status("ready");
  const [, second, ...rest] = await bodies();
  assert.deepEqual(rest, []);
  const part = second.messages.at(-1).parts.find(({ type }) => type === "tool-ask_user_question");
  assert.equal(part.state, "output-available");
  assert.deepEqual(part.output, { answer: "Friendly" });
  assert.equal((await example.shown()).length, 2);
});

testBoth("Approve, pressed twice, runs the tool once", async ({ open }) => {
  const example = await open("scenario=approval");
  await example.send("Make my résumé sound more senior.");
  await example.page.getByRole("button", { name: "Approve" }).dblclick();
  await example.text("Done. I changed /title and /skills/-.");
  await example.status("ready");
  assert.equal((await executions()).length, 1);
  assert.equal((await bodies()).length, 2);
});

testBoth("Deny, with a reason", async ({ open }) => {
  const example = await open("scenario=approval");
  await example.send("Make my résumé sound more senior.");
  await example.press("Deny");
  await example.text("Your reason was: “Not today”.");
  await example.status("ready");
  assert.deepEqual(await executions(), []);
});

testBoth("attachments are sent as data URLs and shown", async ({ open }) => {
  const example = await open("scenario=plain");
  await example.send("Two files", [
    { name: "dot.svg", mimeType: "image/svg+xml", buffer: Buffer.from("<svg/>") },
    { name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("Grüße") },
  ]);
  await example.text("always give");
  await example.status("ready");
  const [{ messages }] = await bodies();
  assert.deepEqual(messages[0].parts, [
    { type: "file", mediaType: "image/svg+xml", filename: "dot.svg", url: "data:image/svg+xml;base64,PHN2Zy8+" },
    { type: "file", mediaType: "text/plain", filename: "note.txt", url: "data:text/plain;base64,R3LDvMOfZQ==" },
    { type: "text", text: "Two files" },
  ]);
  assert.deepEqual(
    await example.page.locator("article img").evaluateAll((all) => all.map(({ alt }) => alt)),
    ["dot.svg", "note.txt"],
  );
});

testBoth("data parts, kept and transient, sources, files and metadata", async ({ open }) => {
  const example = await open("scenario=data");
  await example.send("Search the archive.");
  await example.text("I went through three shelves.");
  await example.status("ready");
  assert.equal(await example.page.locator("p[role=status]").innerText(), "Searching…");
  assert.equal(await example.page.locator("progress").count(), 1);
  assert.equal(await example.page.locator("progress").getAttribute("value"), "3");
  assert.equal(await example.page.locator("article output").innerText(), "Letters, 1871");

  await example.page.getByLabel("Scenario").fill("sources");
  await example.send("Where is it defined?");
  await example.text("HTML Standard: Server-sent events");
  await example.status("ready");

  await example.page.getByLabel("Scenario").fill("files");
  await example.send("Draw me a sunset.");
  await example.page.locator("img[alt='image/png']").waitFor();
  await example.status("ready");

  await example.page.getByLabel("Scenario").fill("metadata");
  await example.send("How much?");
  await example.page.locator("article small").waitFor();
  await example.status("ready");
  assert.match(await example.page.locator("article small").innerText(), /^\d+ tokens$/);
});

testBoth("another id is another conversation; the first one stops and keeps to itself", async ({ open }) => {
  const example = await open("scenario=markdown&delay=30");
  await example.send("Explain streaming.");
  await example.status("streaming");
  await example.text("Streams");
  await example.page.getByRole("textbox", { name: "Conversation" }).fill("second");
  await example.page.locator("section[data-chat=second][data-status=ready]").waitFor();
  assert.deepEqual(await example.shown(), []);
  await example.page.getByLabel("Scenario").fill("plain");
  await example.send("In the second one");
  await example.text("You wrote: “In the second one”");
  await example.page.waitForTimeout(300);
  const shown = await example.shown();
  assert.equal(shown.length, 2);
  assert.ok(shown.every((message) => !message.includes("Streams")));
  // The callbacks of the latest render count, for the first chat, too, while it stops.
  assert.match((await example.log())[1], /^finish (markdown|plain) assistant abort=true disconnect=false error=false$/);
  const [first, second] = await bodies();
  assert.deepEqual([first.id, second.id], ["first", "second"]);
});

testBoth("a message sent while a response streams", async ({ open, isChatwire }) => {
  const example = await open("scenario=markdown&delay=2");
  await example.send("Explain streaming.");
  await example.status("streaming");
  await example.text("Streams");
  await example.page.getByLabel("Scenario").fill("reasoning");
  await example.send("How many minutes?");
  await example.text("A week has 10,080 minutes.");
  await example.finished(2);
  await example.status("ready");
  const shown = await example.shown();
  assert.ok(shown.includes("user: Explain streaming."));
  assert.ok(shown.includes("user: How many minutes?"));
  assert.ok(shown.some((message) => message.startsWith("assistant: A week has 7 days.")));
  const first = shown.find((message) => message.includes("Streams, in one page"));
  assert.equal(first.includes("That is all."), differs(isChatwire, "10", { peer: true, chatwire: false }));
  const finished = (await example.log()).filter((line) => line.startsWith("finish"));
  assert.deepEqual(
    finished.map((line) => line.replace(/^finish \w+ /, "")).sort(),
    differs(isChatwire, "10", {
      peer: [ENDED, ENDED],
      chatwire: [ENDED, STOPPED],
    }),
  );
});

testBoth("stop keeps what has arrived, and another message goes on", async ({ open }) => {
  const example = await open("scenario=markdown&delay=30");
  await example.send("Explain streaming.");
  await example.text("Streams");
  await example.press("Stop");
  await example.status("ready");
  const [, stopped] = await example.shown();
  await example.page.waitForTimeout(200);
  assert.equal((await example.shown())[1], stopped);
  assert.deepEqual((await example.log()).slice(1), [`finish markdown ${STOPPED}`]);
  await example.page.getByLabel("Scenario").fill("plain");
  await example.send("Go on");
  await example.text("That was message 2: “Go on”");
  await example.status("ready");
  assert.equal((await example.shown()).length, 4);
});

testBoth("a removed conversation stays removed", async ({ open, isChatwire }) => {
  const example = await open("scenario=markdown&delay=2");
  await example.send("Explain streaming.");
  await example.text("Streams");
  await example.press("Clear");
  await example.finished(1);
  await example.status("ready");
  assert.equal((await example.shown()).length, differs(isChatwire, "11", { peer: 1, chatwire: 0 }));
});

testBoth("an error of the server in the stream, its name, and a retry", async ({ open }) => {
  const example = await open("scenario=error");
  await example.send("Tell me something long.");
  await example.status("error");
  assert.equal(
    await example.page.getByRole("alert").innerText(),
    "Error: The model is overloaded. Please try again.",
  );
  assert.match((await example.shown())[1], /^assistant: This answer starts well and then$/);
  assert.deepEqual((await example.log()).slice(1), [
    "error Error",
    "finish error assistant abort=false disconnect=false error=true",
  ]);
  await example.press("Retry");
  await example.text("down to the last word.");
  await example.status("ready");
  assert.equal(await example.page.getByRole("alert").count(), 0);
});

testBoth("an error of HTTP: its name", async ({ open }) => {
  const example = await open("scenario=nothing-like-this");
  await example.send("Hello");
  await example.status("error");
  assert.deepEqual((await example.log()).slice(1, 2), ["error AI_APICallError"]);
  await example.press("Dismiss");
  await example.status("ready");
  assert.equal(await example.page.getByRole("alert").count(), 0);
});

testBoth("a broken connection", async ({ open }) => {
  const example = await open("scenario=cut");
  await example.send("Tell me something long.");
  await example.status("error");
  assert.deepEqual((await example.log()).slice(1), [
    "error TypeError",
    "finish cut assistant abort=false disconnect=true error=true",
  ]);
});

testBoth("a reload in the middle of a response takes it up again", async ({ open }) => {
  const example = await open("scenario=markdown&delay=4&resume");
  await example.send("Explain streaming.");
  await example.text("Streams");
  await example.page.reload();
  await example.status("streaming");
  await example.text("That is all.");
  await example.status("ready");
  const shown = await example.shown();
  assert.equal(shown.length, 2);
  assert.equal(shown[1].match(/That is all\./g).length, 1);
  assert.equal(shown[1].match(/Streams, in one page/g).length, 1);
  assert.equal((await bodies()).length, 1);
  assert.equal((await example.log()).filter((line) => line.startsWith("finish")).length, 1);
});

testBoth("with nothing to resume there is no sign of it", async ({ open }) => {
  const example = await open("scenario=plain&resume");
  await example.page.waitForTimeout(300);
  assert.equal(await example.statuses(), "ready");
  await example.send("Hello");
  await example.text("always give");
  await example.status("ready");
  assert.equal(await example.statuses(), "ready submitted streaming ready");
});

testBoth("a component that goes away stops its response", async ({ open }) => {
  const example = await open("scenario=markdown&delay=30");
  await example.send("Explain streaming.");
  await example.text("Streams");
  await example.press("Close");
  await example.page.getByText("abort=true").waitFor();
});

testBoth("a chat that two components show answers by itself in onToolCall", async ({ open }) => {
  const example = await open("shared");
  await example.send("Help me write a letter.");
  await example.text("Noted: “Formal”. I will write it that way.");
  const summary = example.page.getByTestId("summary");
  await example.page.locator("[data-testid=summary][data-status=ready]").waitFor();
  assert.match(await summary.innerText(), /^2 messages, the last one: .*Noted: “Formal”/);
  assert.deepEqual(await example.log(), ["tool call ask_user_question, shown as input-available"]);
  assert.equal((await bodies()).length, 2);
});
