import { tool } from 'ai';
import { z } from 'zod';

const weatherInput = z.strictObject({ city: z.string().min(1) });

const questionInput = z.strictObject({
  question: z.string(),
  options: z.array(z.string()).min(2),
});

const pointer = z.string().regex(/^(\/([^~/]|~[01])*)*$/, 'must be a JSON Pointer');
const patchInput = z.strictObject({
  patch: z
    .array(
      z.discriminatedUnion('op', [
        z.strictObject({ op: z.literal('add'), path: pointer, value: z.unknown() }),
        z.strictObject({ op: z.literal('replace'), path: pointer, value: z.unknown() }),
        z.strictObject({ op: z.literal('test'), path: pointer, value: z.unknown() }),
        z.strictObject({ op: z.literal('remove'), path: pointer }),
      ]),
    )
    .min(1),
});

/** The tools that the page runs. */
export const CLIENT_TOOLS = ['ask_user_question'];

/**
 * Tools that run only after the person has agreed; see `toolApproval` of `streamText`.
 *
 * @param {boolean} reviewEdits whether the person wants to see each edit first
 */
export function toolApproval(reviewEdits) {
  return /** @type {const} */ ({
    apply_resume_patch: reviewEdits
      ? { type: 'user-approval', reason: 'The patch changes your résumé.' }
      : 'not-applicable',
  });
}

/**
 * The tools of one request. All of them are always known, so that a chat goes on when the scenario changes; which
 * ones the model may call is the scenario's choice.
 *
 * @param {object} context
 * @param {string} context.chatId
 * @param {import('./executions.mjs').ExecutionLog} context.executions
 * @param {import('./resumes.mjs').Resumes} context.resumes
 */
export function createTools({ chatId, executions, resumes }) {
  return {
    weather: tool({
      title: 'Weather',
      description: 'The current weather in a city.',
      inputSchema: weatherInput,
      execute: (input, { toolCallId }) => {
        executions.append({ chatId, toolCallId, toolName: 'weather', input });
        return { city: input.city, condition: 'light rain', temperature: 14.5, unit: '°C' };
      },
    }),

    // No `execute`: the page asks the person and sends the answer back as the tool's output.
    ask_user_question: tool({
      title: 'Question',
      description: 'Asks the person a question with a few options and waits for the answer.',
      inputSchema: questionInput,
    }),

    apply_resume_patch: tool({
      title: 'Change the résumé',
      description: 'Applies a JSON Patch (RFC 6902) to the résumé, once the person has agreed.',
      inputSchema: patchInput,
      execute: ({ patch }, { toolCallId }) => {
        executions.append({ chatId, toolCallId, toolName: 'apply_resume_patch', input: { patch } });
        const resume = resumes.applyPatch(chatId, patch);
        return { changedPaths: patch.filter(({ op }) => op !== 'test').map(({ path }) => path), resume };
      },
    }),
  };
}

/** @typedef {keyof ReturnType<typeof createTools>} ToolName */
