/** Every scenario of the demo in a browser, through the page, compared with the AI SDK's reading of the same bytes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { SCENARIOS } from '../server/scenarios/index.mjs';
import { Demo, assertBeginningReceived, expectedMessages, screenshotPath } from './support/demo.mjs';

/** @import { AssistantPage } from './support/assistant-page.mjs' */

/** @type {Demo} */
let demo;
before(async () => {
  demo = await Demo.start();
});
after(() => demo.close());

/**
 * What a person sees at the end of the first answer.
 *
 * @typedef {object} Expectation
 * @property {boolean} [isCut] whether the connection breaks
 * @property {(page: AssistantPage) => Promise<void>} check
 */

/** @type {Record<string, Expectation>} */
const EXPECTATIONS = {
  plain: {
    check: async page => {
      await page.answer().getByText('I am a scripted model').waitFor();
    },
  },
  markdown: {
    check: async page => {
      await page.answer().getByText('That is all.').waitFor();
      const text = await page.answer().locator('.text').innerText();
      assert.match(text, /^# Streams, in one page\n\nAn answer/, 'line breaks are kept');
      assert.ok(text.includes('Zoë, Łukasz and 美咲'));
    },
  },
  reasoning: {
    check: async page => {
      await page.answer().getByText('A week has 10,080 minutes.').waitFor();
      const thought = page.answer().getByText('A day has 24 hours', { exact: false });
      assert.equal(await thought.isVisible(), false, 'reasoning is folded away');
      await page.answer().getByText('Reasoning', { exact: true }).click();
      assert.equal(await thought.isVisible(), true);
    },
  },
  tools: {
    check: async page => {
      await page.answer().getByText('In Lisbon there is light rain at 14.5 °C.').waitFor();
      const tool = page.answer().getByRole('group', { name: 'Weather' });
      await tool.getByText('Done').waitFor();
      await tool.getByText('Input', { exact: true }).click();
      await tool.getByText('"city": "Lisbon"').first().waitFor();
      await tool.getByText('Output', { exact: true }).click();
      await tool.getByText('"condition": "light rain"').waitFor();
    },
  },
  repair: {
    check: async page => {
      await page.answer().getByText('In Lisbon there is light rain at 14.5 °C.').waitFor();
      const tool = page.answer().getByRole('group', { name: 'Weather' });
      await tool.getByText('Done').waitFor();
      await tool.getByText('Input', { exact: true }).click();
      await tool.getByText('"city": "Lisbon"').first().waitFor();
      assert.equal(await tool.getByText('Here it is').count(), 0, 'only the mended input is left');
    },
  },
  question: {
    check: async page => {
      const question = page.answer().getByRole('group', { name: 'Which tone should the letter have?' });
      assert.equal(await question.getByRole('radio').count(), 3);
      assert.equal(await page.button('Answer').isDisabled(), true, 'there is nothing to answer with yet');
    },
  },
  approval: {
    check: async page => {
      const tool = page.answer().getByRole('group', { name: 'Change the résumé' });
      await tool.getByText('The patch changes your résumé.').waitFor();
      await tool.getByText('Waiting for you').waitFor();
      assert.equal(await tool.getByText('"op": "replace"').isVisible(), false, 'the JSON is folded away');
      await page.button('Approve').waitFor();
      await page.button('Deny').waitFor();
    },
  },
  sources: {
    check: async page => {
      const sources = page.answer().getByRole('list', { name: 'Sources' });
      assert.equal(await sources.getByRole('listitem').count(), 3);
      const link = sources.getByRole('link', { name: 'HTML Standard: Server-sent events' });
      assert.equal(
        await link.getAttribute('href'),
        'https://html.spec.whatwg.org/multipage/server-sent-events.html',
      );
      assert.match((await link.getAttribute('rel')) ?? '', /\bnoopener\b/);
      await sources.getByText('Notes on streaming (streaming-notes.pdf)').waitFor();
    },
  },
  files: {
    check: async page => {
      const image = page.answer().getByRole('img', { name: 'Image' });
      const size = await image.evaluate(async (/** @type {HTMLImageElement} */ element) => {
        await element.decode();
        return [element.naturalWidth, element.naturalHeight];
      });
      assert.deepEqual(size, [96, 96]);
    },
  },
  data: {
    check: async page => {
      const progress = page.answer().getByRole('group', { name: 'Data: progress' });
      assert.equal(await progress.count(), 1, 'a part with an id is updated in place');
      assert.match(await progress.innerText(), /done:?\s*3\s+total:?\s*3/);
      await page.answer().getByRole('group', { name: 'Data: result' }).getByText('Letters, 1871').waitFor();
      await page.page.getByText('Notice from the server: Searching…').waitFor();
      assert.equal(await page.log.getByText('Searching…').count(), 0, 'a transient part is not kept');
    },
  },
  metadata: {
    check: async page => {
      assert.match(await page.answer().innerText(), /scripted · \d+ tokens in · \d+ tokens out/);
    },
  },
  error: {
    check: async page => {
      assert.equal(await page.alert.innerText(), 'The model is overloaded. Please try again.');
      await page.answer().getByText('This answer starts well and then').waitFor();
      await page.answer().getByText('Ended by an error – answer incomplete').waitFor();
      await page.button('Retry').waitFor();
      assert.equal(await page.outcome(), 'error');
    },
  },
  cut: {
    isCut: true,
    check: async page => {
      assert.equal(await page.alert.innerText(), 'The answer is incomplete: the connection was cut.');
      await page.answer().getByText('This answer is long').waitFor();
      await page.answer().getByText('Connection was cut – answer incomplete').waitFor();
      await page.button('Retry').waitFor();
      assert.equal(await page.outcome(), 'disconnect');
    },
  },
};

test('every scenario has its expectation', () => {
  assert.deepEqual(
    Object.keys(EXPECTATIONS),
    SCENARIOS.map(({ name }) => name),
  );
});

describe('scenario', () => {
  for (const [scenario, { isCut = false, check }] of Object.entries(EXPECTATIONS)) {
    test(scenario, async () => {
      // What a browser holds back when a connection breaks is less when the events come one by one.
      await demo.withPage({ scenario, delay: isCut ? 20 : 0, breaksConnections: isCut }, async page => {
        await page.sendSuggestion();
        await page.settled();
        const [recording, ...others] = await demo.recordings();
        assert.deepEqual(others, [], 'one message, one request');
        const messages = await page.messages();
        if (isCut) await assertBeginningReceived(messages, recording);
        else assert.deepEqual(messages, await expectedMessages(recording));

        await check(page);
        await look(page, scenario);
      });
    });
  }
});

/**
 * Makes sure that the page fits and can be used by everyone, in both themes, on a phone and on a desktop; keeps a
 * picture of each.
 *
 * @param {AssistantPage} assistantPage
 * @param {string} name
 */
async function look(assistantPage, name) {
  const { page } = assistantPage;
  for (const theme of /** @type {const} */ (['light', 'dark'])) {
    await page.emulateMedia({ colorScheme: theme });
    await assistantPage.assertAccessible();
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await assistantPage.assertNoOverflow();
      await page.screenshot({ path: await screenshotPath(`${name}-${theme}-${width}`) });
    }
  }
}
