/** Answers that do not end well: cut, stopped, failed. None of them may look complete, and none is lost. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { countEvents } from '../server/reference.mjs';
import { chunksOf, post, userMessage } from './server-client.mjs';
import { Demo, assertBeginningReceived, expectedMessages, withTextClosed } from './support/demo.mjs';

/** @type {Demo} */
let demo;
before(async () => {
  demo = await Demo.start();
});
after(() => demo.close());

describe('the two-step answer, cut', () => {
  for (const cutMode of /** @type {const} */ (['end', 'destroy'])) {
    test(`at every event (${cutMode}), is never complete`, async () => {
      const { body } = await post(demo.url, { scenario: 'tools', messages: [userMessage('Weather in Lisbon?')] });
      const finish = chunksOf(body).findIndex(({ type }) => type === 'finish');
      assert.equal(countEvents(body), finish + 2, 'the finish chunk and [DONE] are the last events');

      await demo.withPage({ breaksConnections: true }, async page => {
        for (let cut = 0; cut <= finish; cut += 1) {
          const endpoint = `/api/chat?scenario=tools&delay=0&cut=${cut}&cutMode=${cutMode}`;
          const seen = await page.page.evaluate(sendAndRead, { endpoint, text: 'Weather in Lisbon?' });
          assert.equal(seen.outcome, cutMode === 'end' ? 'truncated' : 'disconnect', `cut=${cut}`);
          assert.equal(seen.status, 'error', `cut=${cut}`);
          // A cut before anything has arrived leaves no message to be called incomplete.
          const said = seen.hasAnswer ? 'The answer is incomplete: ' : 'There is no answer: ';
          assert.ok(seen.alert.startsWith(said), `cut=${cut}: “${seen.alert}”`);
          assert.equal(/ – answer incomplete$/.test(seen.ending), seen.hasAnswer, `cut=${cut}: “${seen.ending}”`);
          assert.equal(seen.announced.includes('Response complete'), false, `cut=${cut}`);
        }
        const recordings = await demo.recordings();
        assert.equal(recordings.length, finish + 1, 'nothing is sent again by itself');
        const [messages, last] = [await page.messages(), recordings[finish]];
        if (cutMode === 'destroy') await assertBeginningReceived(messages, last);
        else assert.deepEqual(messages, withTextClosed(await expectedMessages(last)));
      });
    });
  }

  test('after the finish chunk only, is complete', async () => {
    await demo.withPage({ breaksConnections: true }, async page => {
      const { body } = await post(demo.url, { scenario: 'tools', messages: [userMessage('Weather in Lisbon?')] });
      const endpoint = `/api/chat?scenario=tools&delay=0&cut=${countEvents(body) - 1}&cutMode=end`;
      const seen = await page.page.evaluate(sendAndRead, { endpoint, text: 'Weather in Lisbon?' });
      assert.deepEqual(
        { outcome: seen.outcome, alert: seen.alert, ending: seen.ending },
        { outcome: 'complete', alert: '', ending: '' },
      );
    });
  });
});

describe('retry', () => {
  for (const scenario of ['error', 'cut']) {
    test(`after ${scenario} gives the whole answer`, async () => {
      await demo.withPage({ scenario, breaksConnections: true }, async page => {
        await page.sendSuggestion();
        await page.button('Retry').click();
        await page.answer().getByText('down to the last word.').waitFor();
        await page.settled();
        assert.equal(await page.outcome(), 'complete');
        assert.equal(await page.alert.isVisible(), false);
        assert.equal(await page.answer().getByText('incomplete').count(), 0);

        const recordings = await demo.recordings();
        assert.equal(recordings.length, 2);
        assert.equal(JSON.parse(recordings[1].requestBody).trigger, 'regenerate-message');
        assert.deepEqual(await page.messages(), await expectedMessages(recordings[1]));
      });
    });
  }

  test('sends a message that did not reach the server', async () => {
    await demo.withPage({ scenario: 'plain', breaksConnections: true }, async page => {
      await page.page.route('**/api/chat?**', route => route.abort());
      await page.send('Do not lose me');
      await page.button('Retry').waitFor();
      await page.alert.getByText('There is no answer: the server could not be reached').waitFor();
      assert.equal(await page.userMessage('Do not lose me').count(), 1);

      await page.page.unroute('**/api/chat?**');
      await page.button('Retry').click();
      await page.answer().getByText('You wrote: “Do not lose me”').waitFor();
      assert.equal(await page.userMessage('Do not lose me').count(), 1);
    });
  });

  test('sends a message that was written before the WebAssembly could be loaded', async () => {
    await demo.withPage({ scenario: 'plain', breaksConnections: true }, async page => {
      await page.page.route('**/chatwire/core.wasm', route => route.abort());
      await page.send('Do not lose me');
      await page.alert.waitFor();
      assert.equal(await page.userMessage('Do not lose me').count(), 1);

      await page.page.unroute('**/chatwire/core.wasm');
      await page.button('Retry').click();
      await page.answer().getByText('You wrote: “Do not lose me”').waitFor();
      assert.equal(await page.userMessage('Do not lose me').count(), 1);
    });
  });

  test('is not offered for a message that the chat refuses, whose text comes back', async () => {
    await demo.withPage({ scenario: 'plain' }, async page => {
      await page.page.evaluate(() => {
        const { chat } = /** @type {any} */ (document.querySelector('chatwire-assistant'));
        chat.sendMessage = async () => {
          throw new Error('Refused');
        };
      });
      await page.send('Do not lose me');
      await page.alert.getByText('Refused').waitFor();
      assert.equal(await page.input.inputValue(), 'Do not lose me');
      assert.equal(await page.button('Retry').isVisible(), false);
      assert.equal(await page.button('Send').isEnabled(), true);
    });
  });
});

describe('stop', () => {
  for (const how of ['the button', 'Escape']) {
    test(`with ${how} keeps what has arrived, and says so`, async () => {
      await demo.withPage({ scenario: 'markdown', delay: 20 }, async page => {
        await page.sendSuggestion();
        await page.answer().getByText('## What comes over the wire').waitFor();
        if (how === 'Escape') await page.page.keyboard.press('Escape');
        else await page.button('Stop').click();
        await page.answer().getByText('Stopped', { exact: true }).waitFor();
        await page.settled();

        assert.equal(await page.outcome(), 'stopped');
        assert.equal(await page.alert.isVisible(), false, 'a stop is no failure');
        const text = await page.answer().locator('.text').innerText();
        assert.ok(text.startsWith('# Streams, in one page') && !text.includes('That is all.'));
        assert.equal(await page.button('Stop').isVisible(), false);
        await page.page.waitForFunction(async () => {
          const [{ ended }] = await (await fetch('/api/recordings')).json();
          return ended;
        });

        await page.send('Go on');
        await page.answer().getByText('## Once more').waitFor();
        await page.log.getByText('Stopped', { exact: true }).waitFor();
      });
    });
  }
});

/**
 * Runs in the page: a new chat, one message, and what a person sees of its end.
 *
 * @param {{ endpoint: string, text: string }} request
 */
async function sendAndRead({ endpoint, text }) {
  const assistant = /** @type {any} */ (document.querySelector('chatwire-assistant'));
  assistant.setAttribute('endpoint', endpoint);
  await assistant.chat.sendMessage({ text });

  const root = /** @type {ShadowRoot} */ (assistant.shadowRoot);
  /** @param {string} selector */
  const visibleText = selector =>
    [...root.querySelectorAll(selector)]
      .filter(element => element.checkVisibility())
      .map(element => element.textContent)
      .join('\n');
  const { outcome, status, messages } = assistant.chat;
  return {
    outcome,
    status,
    hasAnswer: messages.at(-1).role === 'assistant',
    alert: visibleText('[role="alert"]'),
    ending: visibleText('.ending'),
    announced: visibleText('[role="status"]'),
  };
}
