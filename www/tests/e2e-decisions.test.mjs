/** What a person decides on the page: approvals and answers, by mouse and by keyboard alone. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { withToolPart } from './server-client.mjs';
import { Demo, expectedMessages } from './support/demo.mjs';

/** @import { AssistantPage } from './support/assistant-page.mjs' */

/** A request stands for 300 ms before it can be approved; less what measuring may lose on a busy machine. */
const SETTLE_MS = 250;

/** @type {Demo} */
let demo;
before(async () => {
  demo = await Demo.start();
});
after(() => demo.close());

describe('approval', () => {
  test('a double click approves once', async () => {
    await demo.withPage({ scenario: 'approval' }, async page => {
      await page.sendSuggestion();
      await page.button('Approve').dblclick();
      await page.answer().getByText('Done. I changed /title and /skills/-.').waitFor();
      await page.settled();

      assert.deepEqual(
        (await demo.executions()).map(({ toolName }) => toolName),
        ['apply_resume_patch'],
      );
      await assertDecisionSent(page, 'apply_resume_patch', part => ({
        state: 'approval-responded',
        approval: { ...part.approval, approved: true },
      }));
      await page.answer().getByRole('group', { name: 'Change the résumé' }).getByText('Done').waitFor();
    });
  });

  test('values that are spelled unusually go back as they were signed', async () => {
    await demo.withPage({ scenario: 'approval' }, async page => {
      await page.sendSuggestion();
      await page.button('Approve').click();
      await page.answer().getByText('Done. I changed /title and /skills/-.').waitFor();
      await page.settled();
      await page.send('And my languages, please.');
      await page.button('Approve').click();
      await page.answer().getByText('Done. I changed /years and /languages.').waitFor();
      await page.settled();
      const inputs = (await demo.executions()).map(({ input }) => input);
      assert.deepEqual(inputs[1].patch[1].value, { 2: 1e-7, 10: 1e21, 'português': 'C2', English: 'C1' });
      assert.equal(inputs.length, 2);
    });
  });

  test('a denial and its reason reach the model, and nothing runs', async () => {
    await demo.withPage({ scenario: 'approval' }, async page => {
      await page.sendSuggestion();
      await page.assistant.getByRole('textbox', { name: 'Reason (optional)' }).fill('Too boastful');
      await page.button('Deny').click();
      await page
        .answer()
        .getByText('I left the résumé as it is. Your reason was: “Too boastful”.')
        .waitFor();
      await page.settled();

      assert.deepEqual(await demo.executions(), []);
      await assertDecisionSent(page, 'apply_resume_patch', part => ({
        state: 'approval-responded',
        approval: { ...part.approval, approved: false, reason: 'Too boastful' },
      }));
      const tool = page.answer().getByRole('group', { name: 'Change the résumé' });
      await tool.getByText('Denied').waitFor();
      await tool.getByText('Reason: Too boastful').waitFor();
    });
  });

  test('cannot be given before the request has stood for a moment', async () => {
    await demo.withPage({ scenario: 'approval' }, async page => {
      await page.page.evaluate(watchApproveButton);
      await page.sendSuggestion();
      const stoodFor = await page.page.waitForFunction(() => /** @type {any} */ (window).approveStoodFor);
      assert.ok((await stoodFor.jsonValue()) >= SETTLE_MS);
    });
  });
});

describe('question', () => {
  test('the answer goes to the model', async () => {
    await demo.withPage({ scenario: 'question' }, async page => {
      await page.sendSuggestion();
      await page.assistant.getByRole('radio', { name: 'Friendly' }).click();
      await page.button('Answer').click();
      await page.answer().getByText('Noted: “Friendly”. I will write it that way.').waitFor();
      await page.settled();

      await assertDecisionSent(page, 'ask_user_question', () => ({
        state: 'output-available',
        output: { answer: 'Friendly' },
      }));
      const question = page.answer().getByRole('group', { name: 'Question' });
      await question.getByText('Your answer: Friendly').waitFor();
      assert.equal(await question.getByRole('radio').count(), 0, 'it cannot be answered again');
    });
  });

  test('can be skipped', async () => {
    await demo.withPage({ scenario: 'question' }, async page => {
      await page.sendSuggestion();
      await page.button('Skip').click();
      await page.answer().getByText('There was no answer (The person did not answer.), so I go on without it.').waitFor();
      await page.settled();
      await assertDecisionSent(page, 'ask_user_question', () => ({
        state: 'output-error',
        errorText: 'The person did not answer.',
      }));
    });
  });
});

describe('with the keyboard alone', () => {
  test('a scenario is picked, a message sent, a question answered', async () => {
    await demo.withPage({}, async page => {
      await tabTo(page, 'Tab', 'Scenario');
      await page.page.keyboard.type('Question');
      await tabTo(page, 'Tab', 'Message');
      await page.page.keyboard.type('Help me.');
      await page.page.keyboard.press('Enter');
      await page.assistant.getByRole('radio', { name: 'Friendly' }).waitFor();
      await page.settled();
      assert.equal(await focused(page), 'Message', 'the answer has not moved the focus');

      await tabTo(page, 'Shift+Tab', 'Short and direct');
      await page.page.keyboard.press('ArrowUp');
      await page.page.keyboard.press('Enter');
      await page.answer().getByText('Noted: “Friendly”.').waitFor();
      assert.equal(await focused(page), 'Message', 'the conversation can go on');
    });
  });

  test('a change is approved', async () => {
    await demo.withPage({ scenario: 'approval' }, async page => {
      await tabTo(page, 'Tab', 'Message');
      await page.page.keyboard.type('Make it better.');
      await page.page.keyboard.press('Enter');
      await page.page.waitForFunction(() => {
        const root = /** @type {ShadowRoot} */ (document.querySelector('chatwire-assistant')?.shadowRoot);
        return root.querySelector('.decision .primary:enabled') !== null;
      });
      await tabTo(page, 'Shift+Tab', 'Approve');
      await page.page.keyboard.press('Enter');
      await page.answer().getByText('Done. I changed /title and /skills/-.').waitFor();
      assert.equal(await focused(page), 'Message');
      assert.equal((await demo.executions()).length, 1);
    });
  });
});

/**
 * The decision was sent once, as the only change to what the server had sent, and the page shows what the AI SDK
 * reads from the answer.
 *
 * @param {AssistantPage} page
 * @param {string} toolName
 * @param {(part: any) => object} change what the decision sets in the tool part
 */
async function assertDecisionSent(page, toolName, change) {
  const [question, decision, ...others] = await demo.recordings();
  assert.deepEqual(others, []);
  const sent = JSON.parse(decision.requestBody).messages;
  assert.deepEqual(sent, withToolPart(await expectedMessages(question), toolName, change));
  assert.deepEqual(await page.messages(), await expectedMessages(decision));
}

/**
 * Moves the focus until it is on the control with this name.
 *
 * @param {AssistantPage} page
 * @param {'Tab' | 'Shift+Tab'} key
 * @param {string} name
 */
async function tabTo(page, key, name) {
  for (let presses = 0; presses < 25; presses += 1) {
    await page.page.keyboard.press(key);
    if ((await focused(page)) === name) return;
  }
  assert.fail(`${key} does not reach “${name}”`);
}

/** The name of what has the focus. @param {AssistantPage} page */
function focused(page) {
  return page.page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    const label = /** @type {HTMLInputElement | null} */ (element)?.labels?.[0];
    return (label ?? element)?.textContent?.trim();
  });
}

/** Runs in the page: measures how long the Approve button is there before it can be pressed. */
function watchApproveButton() {
  const root = /** @type {ShadowRoot} */ (document.querySelector('chatwire-assistant')?.shadowRoot);
  let appeared = 0;
  new MutationObserver(() => {
    const approve = /** @type {HTMLButtonElement | null} */ (root.querySelector('.decision .primary'));
    if (approve === null) return;
    appeared ||= performance.now();
    if (!approve.disabled) /** @type {any} */ (window).approveStoodFor ??= performance.now() - appeared;
  }).observe(root, { subtree: true, childList: true, attributes: true });
}
