import { createOpenAICompatible } from '@ai-sdk/openai-compatible';

import { scriptedModel } from './scripted-model.mjs';

/**
 * A chat completions endpoint that is used instead of the scripted model.
 *
 * @typedef {object} Endpoint
 * @property {string} baseURL up to and without `/chat/completions`
 * @property {string} [apiKey] not needed by most local servers
 * @property {string} model the model's name at this endpoint
 */

/** @typedef {(scenario: import('./scenarios/index.mjs').Scenario, request: { isRetry: boolean }) => import('ai').LanguageModel & { modelId: string }} ChooseModel */

/**
 * @param {Endpoint} [endpoint]
 * @returns {ChooseModel}
 */
export function modelSource(endpoint) {
  if (endpoint === undefined) return (scenario, request) => scriptedModel(scenario.script, request);

  const provider = createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: endpoint.baseURL,
    apiKey: endpoint.apiKey,
    includeUsage: true,
  });
  const model = provider.chatModel(endpoint.model);
  return () => model;
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Endpoint | undefined} undefined when no endpoint is configured
 * @throws when the configuration is incomplete
 */
export function endpointFromEnvironment(env) {
  const baseURL = env.OPENAI_BASE_URL;
  if (!baseURL) return undefined;
  const model = env.OPENAI_MODEL;
  if (!model) throw new Error('OPENAI_BASE_URL is set, so OPENAI_MODEL has to name the model to use.');
  return { baseURL, apiKey: env.OPENAI_API_KEY || undefined, model };
}
