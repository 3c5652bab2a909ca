/** While an answer streams: what is shown, what is announced, what stays in view, and what a person can still do. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Demo, expectedMessages } from './support/demo.mjs';

/** @import { AssistantPage } from './support/assistant-page.mjs' */

/** @type {Demo} */
let demo;
before(async () => {
  demo = await Demo.start();
});
after(() => demo.close());

test('a slow answer shows that it is awaited, then how it grows', async () => {
  await demo.withPage({ scenario: 'plain', delay: 350 }, async page => {
    await page.sendSuggestion();
    await page.log.getByText('Waiting for the answer…').waitFor();
    assert.equal(await page.log.getAttribute('aria-busy'), 'true');
    await page.log.getByText('Generating…').waitFor();
    await page.answer().getByText('Hello! You wrote').waitFor();
    const text = await page.answer().locator('.text').innerText();
    assert.ok(!text.includes('scripted model'), `all at once: ${text}`);
    assert.equal(await page.input.isEditable(), true);
    await page.button('Stop').click();
    await page.settled();
    assert.equal(await page.log.getByText('Generating…').isVisible(), false);
    assert.equal(await page.log.getAttribute('aria-busy'), 'false');
  });
});

describe('announcements', () => {
  test('name the states of an answer, never its words', async () => {
    await demo.withPage({ scenario: 'markdown' }, async page => {
      await page.page.evaluate(recordAnnouncements);
      await page.sendSuggestion();
      await page.answer().getByText('That is all.').waitFor();
      await page.settled();
      assert.deepEqual(await announcements(page), ['Generating…', 'Response complete']);
    });
  });

  test('say that the person is needed', async () => {
    await demo.withPage({ scenario: 'approval' }, async page => {
      await page.page.evaluate(recordAnnouncements);
      await page.sendSuggestion();
      await page.button('Approve').click();
      await page.answer().getByText('Done. I changed').waitFor();
      await page.settled();
      assert.deepEqual(await announcements(page), [
        'Generating…',
        'Your approval is needed',
        'Generating…',
        'Response complete',
      ]);
    });
  });

  test('leave a failure to the alert', async () => {
    await demo.withPage({ scenario: 'error' }, async page => {
      await page.page.evaluate(recordAnnouncements);
      await page.sendSuggestion();
      await page.settled();
      await page.alert.waitFor();
      assert.deepEqual(await announcements(page), ['Generating…', 'The model is overloaded. Please try again.']);
    });
  });
});

describe('scrolling', () => {
  test('follows the answer until the person scrolls up, and again from “Jump to latest”', async () => {
    await demo.withPage({ scenario: 'markdown', delay: 10 }, async page => {
      const jump = page.button('Jump to latest');
      await page.sendSuggestion();
      await page.answer().getByText('### A chunk in code').waitFor();
      assert.ok((await distanceToEnd(page)) <= 2, 'the end is in view');
      assert.equal(await jump.isVisible(), false);

      await page.log.hover();
      await page.page.mouse.wheel(0, -40);
      await jump.waitFor();
      const reading = await scrollTop(page);
      await page.answer().getByText('### Cost for each chunk').waitFor();
      assert.equal(await scrollTop(page), reading, 'what is being read stays where it is');
      assert.ok((await distanceToEnd(page)) > 40);

      await jump.click();
      await page.answer().getByText('That is all.').waitFor();
      await page.settled();
      await page.page.waitForFunction(nothingBelow);
      assert.equal(await jump.isVisible(), false);
    });
  });

  test('gives way to the wheel before it has moved anything', async () => {
    await demo.withPage({ scenario: 'markdown' }, async page => {
      await page.sendSuggestion();
      await page.answer().getByText('That is all.').waitFor();
      await page.settled();
      assert.equal(await page.button('Jump to latest').isVisible(), false);
      await page.log.dispatchEvent('wheel', { deltaY: -1 });
      await page.button('Jump to latest').waitFor();
    });
  });

  test('stays at the end when a decision makes the conversation shorter', async () => {
    await demo.withPage({ scenario: 'approval', delay: 20, width: 360, height: 500 }, async page => {
      await page.sendSuggestion();
      await page.button('Approve').click({ trial: true });
      await page.answer().getByText('Input', { exact: true }).click();
      await page.button('Jump to latest').waitFor();
      await page.button('Deny').click();
      await page.answer().getByText('I left the résumé as it is.').waitFor();
      await page.settled();
      await page.page.waitForFunction(nothingBelow);
    });
  });

  test('leaves what the person has unfolded in view', async () => {
    await demo.withPage({ scenario: 'approval', width: 360, height: 500 }, async page => {
      await page.sendSuggestion();
      await page.button('Approve').click({ trial: true });
      const before = await scrollTop(page);
      await page.answer().getByText('Input', { exact: true }).click();
      await page.button('Jump to latest').waitFor();
      assert.equal(await scrollTop(page), before);
    });
  });

  test('follows again when the person sends', async () => {
    await demo.withPage({ scenario: 'markdown' }, async page => {
      await page.sendSuggestion();
      await page.answer().getByText('That is all.').waitFor();
      await page.settled();
      await page.log.press('PageUp');
      await page.button('Jump to latest').waitFor();
      await page.send('Once more');
      await page.answer().getByText('## Once more').waitFor();
      await page.settled();
      await page.page.waitForFunction(nothingBelow);
    });
  });
});

describe('writing meanwhile', () => {
  test('messages wait, can be removed, and are sent in their turn', async () => {
    await demo.withPage({ scenario: 'plain', delay: 40 }, async page => {
      await page.page.evaluate(recordAnnouncements);
      await page.sendSuggestion();
      await page.log.getByText('Generating…').waitFor();
      const queue = page.assistant.getByRole('list', { name: 'Waiting messages' });
      await page.send('Second message');
      await page.send('Unwanted message');
      await queue.getByText('Second message').waitFor();
      await page.button('Remove: Unwanted message').click();
      assert.equal(await queue.getByRole('listitem').count(), 1);
      assert.ok((await announcements(page)).includes('Your message waits until the answer is finished'));

      await page.answer().getByText('That was message 2: “Second message”').waitFor();
      await page.settled();
      assert.equal(await queue.isVisible(), false);
      assert.equal(await page.userMessage('Unwanted message').count(), 0);
      const recordings = await demo.recordings();
      assert.equal(recordings.length, 2);
      const [first] = recordings;
      assert.deepEqual(JSON.parse(recordings[1].requestBody).messages.slice(0, 2), await expectedMessages(first));
    });
  });

  test('after a stop they wait until the person goes on', async () => {
    await demo.withPage({ scenario: 'plain', delay: 40, width: 360 }, async page => {
      const text = 'A second message, which is longer than a phone is wide';
      await page.sendSuggestion();
      await page.log.getByText('Generating…').waitFor();
      await page.send(text);
      await page.page.keyboard.press('Escape');
      await page.assistant.getByText('Waiting messages are paused.').waitFor();
      await page.assertNoOverflow();
      await page.assertAccessible();
      await page.button('Send them now').click();
      await page.answer().getByText(`That was message 2: “${text}”`).waitFor();
    });
  });

  test('Shift+Enter makes a new line, and Enter that accepts a word of an input method does not send', async () => {
    await demo.withPage({ scenario: 'plain' }, async page => {
      await page.input.click();
      await page.page.keyboard.type('One');
      await page.page.keyboard.press('Shift+Enter');
      assert.equal(await page.input.inputValue(), 'One\n');

      const devtools = await page.page.context().newCDPSession(page.page);
      await devtools.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
      await page.page.keyboard.press('Enter');
      assert.equal(await page.log.getByRole('listitem').count(), 0);

      await devtools.send('Input.insertText', { text: '日本' });
      await page.page.keyboard.press('Enter');
      await page.userMessage('日本').waitFor();
      assert.equal((await page.userMessage('日本').locator('.text').innerText()).trim(), 'One\n日本');
    });
  });
});

/** @param {AssistantPage} page */
function scrollTop(page) {
  return page.log.evaluate(log => log.scrollTop);
}

/** @param {AssistantPage} page */
function distanceToEnd(page) {
  return page.log.evaluate(log => log.scrollHeight - log.clientHeight - log.scrollTop);
}

/** Runs in the page. */
function nothingBelow() {
  const log = document.querySelector('chatwire-assistant')?.shadowRoot?.querySelector('[role="log"]');
  return log != null && log.scrollHeight - log.clientHeight - log.scrollTop <= 2;
}

/** Runs in the page: keeps every text that a screen reader would read out by itself. */
function recordAnnouncements() {
  const root = /** @type {ShadowRoot} */ (document.querySelector('chatwire-assistant')?.shadowRoot);
  /** @type {string[]} */
  const announced = (/** @type {any} */ (window).announced = []);
  const isLive = '[role="status"], [role="alert"], [role="log"], [aria-live]';
  const observer = new MutationObserver(mutations => {
    const regions = new Set(
      mutations.map(({ target }) => (target instanceof Element ? target : target.parentElement)?.closest(isLive)),
    );
    for (const region of regions) {
      if (region == null || region.getAttribute('aria-live') === 'off') continue;
      if (region.textContent) announced.push(region.textContent);
    }
  });
  observer.observe(root, { subtree: true, childList: true, characterData: true });
}

/** @param {AssistantPage} page @returns {Promise<string[]>} */
function announcements(page) {
  return page.page.evaluate('announced');
}
