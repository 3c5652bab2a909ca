/** How messages become elements: only what changed is touched, and nothing in them can do harm. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Demo } from './support/demo.mjs';

/** @type {Demo} */
let demo;
before(async () => {
  demo = await Demo.start();
});
after(() => demo.close());

describe('redrawing', () => {
  test('leaves earlier messages and finished parts alone', async () => {
    await demo.withPage({ scenario: 'tools' }, async page => {
      await page.sendSuggestion();
      await page.answer().getByText('In Lisbon there is light rain').waitFor();
      await page.settled();
      await page.answer().getByRole('group', { name: 'Weather' }).getByText('Output', { exact: true }).click();
      await page.answer().getByText('"condition": "light rain"').waitFor();
      await page.page.evaluate(recordTouched);
      await page.send('And in Porto?');
      await page.answer().getByText('In Porto there is light rain').waitFor();
      await page.settled();

      const touched = await page.page.evaluate('touched()');
      assert.deepEqual(touched, { isKept: [true, true], mutations: [0, 0] });
      await page.log.locator('details[open]').getByText('"condition": "light rain"').waitFor();
    });
  });

  test('appends to a growing text instead of writing it anew', async () => {
    await demo.withPage({ scenario: 'markdown', delay: 5 }, async page => {
      await page.sendSuggestion();
      await page.answer().getByText('# Streams').waitFor();
      await page.page.evaluate(() => {
        const root = /** @type {ShadowRoot} */ (document.querySelector('chatwire-assistant')?.shadowRoot);
        const text = /** @type {Element} */ (root.querySelector('[data-role="assistant"] .text'));
        /** @type {any} */ (window).firstNode = text.firstChild;
      });
      await page.answer().getByText('That is all.').waitFor();
      const isSameNode = await page.page.evaluate(() => {
        const root = /** @type {ShadowRoot} */ (document.querySelector('chatwire-assistant')?.shadowRoot);
        return root.querySelector('[data-role="assistant"] .text')?.firstChild === /** @type {any} */ (window).firstNode;
      });
      assert.equal(isSameNode, true);
    });
  });

  test('leaves a finished part alone while the next one grows', async () => {
    await demo.withPage({ scenario: 'tools', delay: 60 }, async page => {
      await page.sendSuggestion();
      const tool = page.answer().getByRole('group', { name: 'Weather' });
      await tool.getByText('Done').waitFor();
      await tool.evaluate(card => {
        const seen = { mutations: 0 };
        /** @type {any} */ (window).seen = seen;
        new MutationObserver(records => {
          seen.mutations += records.length;
        }).observe(card, { subtree: true, childList: true, characterData: true, attributes: true });
      });
      await page.answer().getByText('In Lisbon there is').waitFor();
      const seen = await page.page.evaluate(() => {
        const { chat } = /** @type {any} */ (document.querySelector('chatwire-assistant'));
        return { status: chat.status, .../** @type {any} */ (window).seen };
      });
      assert.deepEqual(seen, { status: 'streaming', mutations: 0 });
    });
  });

  test('a long text is shown whole, and is replaced when it is another one', async () => {
    await demo.withPage({ scenario: 'plain' }, async page => {
      const long = 'Ünï🎉 '.repeat(5000);
      const texts = ['🎉'.slice(0, 1), `🎉${long}`, `🎉${long}end`, 'Short'];
      const shown = await page.page.evaluate(
        drawInTurn,
        texts.map(text => [{ type: 'text', text, state: 'streaming' }]),
      );
      assert.deepEqual(
        shown.map(({ text }) => text),
        texts,
      );
    });
  });

  test('follows parts that change their kind or go away', async () => {
    await demo.withPage({ scenario: 'plain' }, async page => {
      const kept = { type: 'text', text: 'Kept', state: 'done' };
      const thought = { type: 'reasoning', text: 'Thought', state: 'done' };
      const source = { type: 'source-url', sourceId: '1', url: 'https://example.org/', title: 'Example' };
      const shown = await page.page.evaluate(drawInTurn, [[kept, thought, kept], [kept, source], [kept]]);
      assert.deepEqual(shown, [
        { text: 'KeptReasoningThoughtKept', sources: '' },
        { text: 'Kept', sources: 'Example' },
        { text: 'Kept', sources: '' },
      ]);
    });
  });
});

describe('content that would do harm', () => {
  test('never becomes markup', async () => {
    await demo.withPage({ scenario: 'plain' }, async page => {
      const html = '<img src=x onerror="window.harmed = true"><script>window.harmed = true</script>';
      await show(page, [
        { type: 'text', text: html },
        { type: 'reasoning', text: html },
        { type: 'data-x', data: { [html]: html } },
        { type: `tool-${html}`, toolCallId: html, state: 'output-error', input: { html }, errorText: html },
        { type: 'source-document', sourceId: '1', mediaType: html, title: html, filename: html },
      ]);
      assert.equal(await page.answer().locator('img, script').count(), 0);
      assert.equal(await page.page.evaluate('window.harmed'), undefined);
      await page.answer().getByText(html).first().waitFor();
    });
  });

  test('is not linked to, and no image is loaded from elsewhere', async () => {
    await demo.withPage({ scenario: 'plain' }, async page => {
      /** @type {string[]} */
      const requested = [];
      page.page.on('request', request => requested.push(request.url()));
      const urls = ['javascript:alert(1)', ' JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd'];
      await show(page, [
        ...urls.map((url, index) => ({ type: 'source-url', sourceId: String(index), url, title: `Source ${index}` })),
        ...urls.map(url => ({ type: 'file', mediaType: 'text/html', url })),
        { type: 'file', mediaType: 'image/png', url: 'https://example.org/tracked.png', filename: 'tracked.png' },
        { type: 'source-url', sourceId: 'mail', url: 'mailto:someone@example.org', title: 'Mail' },
      ]);
      const links = await page.answer().getByRole('link').evaluateAll(elements => elements.map(element => element.getAttribute('href')));
      assert.deepEqual(links, ['https://example.org/tracked.png', 'mailto:someone@example.org']);
      assert.equal(await page.answer().getByText('Source 1').count(), 1);
      assert.equal(await page.answer().getByRole('img').count(), 0);
      assert.deepEqual(requested, []);
    });
  });

  test('cannot hide in the JSON that a person decides on', async () => {
    await demo.withPage({ scenario: 'plain' }, async page => {
      await show(page, [
        {
          type: 'tool-pay',
          toolCallId: '1',
          state: 'approval-requested',
          input: { to: 'a\u202Eb\u200Bc', amount: 1 },
          approval: { id: 'approval' },
        },
      ]);
      await page.answer().getByText('Input', { exact: true }).click();
      await page.answer().getByText('"to": "a\\u202eb\\u200bc"').waitFor();
    });
  });

  test('that is no question can still be answered', async () => {
    await demo.withPage({ scenario: 'question', breaksConnections: true }, async page => {
      // What follows the answer is not the question here.
      await page.page.route('**/api/chat?**', route => route.abort());
      await show(page, [
        { type: 'tool-ask_user_question', toolCallId: '1', state: 'input-available', input: { options: 3 } },
      ]);
      await page.answer().getByText('The question could not be read.').waitFor();
      await page.assistant.getByRole('textbox', { name: 'Answer' }).fill('In my own words');
      await page.button('Answer').click();
      await page.answer().getByText('Your answer: In my own words').waitFor();
    });
  });

  test('a wide value and a right-to-left text fit on a phone', async () => {
    await demo.withPage({ scenario: 'plain', width: 360 }, async page => {
      const wide = 'x'.repeat(400);
      await page.page.evaluate(() => {
        document.documentElement.dir = 'rtl';
      });
      await show(page, [
        { type: 'text', text: `مرحبا ${wide}` },
        { type: 'data-wide', data: { [wide]: wide } },
        { type: 'source-url', sourceId: '1', url: `https://example.org/${wide}` },
        { type: `tool-${wide}`, toolCallId: '1', state: 'output-error', input: { wide }, errorText: wide },
      ]);
      await page.answer().getByText('Input', { exact: true }).click();
      await page.assertNoOverflow();
      assert.equal(await page.answer().locator('.text').evaluate(element => getComputedStyle(element).direction), 'rtl');
    });
  });
});

/**
 * Shows an assistant message with these parts, the same message as before.
 *
 * @param {import('./support/assistant-page.mjs').AssistantPage} page
 * @param {object[]} parts
 */
function show(page, parts) {
  return page.page.evaluate(shown => {
    const { chat } = /** @type {any} */ (document.querySelector('chatwire-assistant'));
    chat.messages = [
      { id: 'user', role: 'user', parts: [{ type: 'text', text: 'Show me' }] },
      { id: 'assistant', role: 'assistant', parts: shown },
    ];
  }, parts);
}

/**
 * Runs in the page: draws one message with these parts, one set after the other.
 *
 * @param {object[][]} sets
 */
async function drawInTurn(sets) {
  const modulePath = '/assistant/message.js';
  const { MessageView } = await import(modulePath);
  const view = new MessageView('assistant', {});
  return sets.map(parts => {
    view.update({ id: '1', role: 'assistant', parts }, { live: true, canRegenerate: false, ending: undefined });
    return {
      text: view.element.querySelector('.content').textContent,
      sources: view.element.querySelector('.sources:not([hidden])')?.textContent ?? '',
    };
  });
}

/** Runs in the page: watches the content of the first two messages. */
function recordTouched() {
  const root = /** @type {ShadowRoot} */ (document.querySelector('chatwire-assistant')?.shadowRoot);
  const contents = [...root.querySelectorAll('.message .content')].slice(0, 2);
  const mutations = contents.map(() => 0);
  contents.forEach((content, index) => {
    new MutationObserver(records => {
      mutations[index] += records.length;
    }).observe(content, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  /** @type {any} */ (window).touched = () => ({ isKept: contents.map(({ isConnected }) => isConnected), mutations });
}
