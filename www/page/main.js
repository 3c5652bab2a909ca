/**
 * The demo page: picks a scenario of the demo's server for the assistant.
 *
 * The page's own query can name the `scenario`; `delay`, `cut` and `cutMode` go to the server as they are.
 *
 * @module
 */
import { ChatwireAssistant, defineAssistant } from './assistant.js';

/** @typedef {{ name: string, title: string, description: string, prompt: string }} Scenario */

const SERVER_OPTIONS = ['delay', 'cut', 'cutMode'];

defineAssistant();

const assistant = find('chatwire-assistant', ChatwireAssistant);
const select = find('#scenario', HTMLSelectElement);
const description = find('#scenario-description', HTMLElement);
const pageStatus = find('#page-status', HTMLElement);

find('#new-chat', HTMLButtonElement).addEventListener('click', () => {
  pageStatus.textContent = '';
  assistant.newChat();
});

assistant.addEventListener('chatwire-data', event => {
  const { type, data } = /** @type {CustomEvent<{ type: string, data: any }>} */ (event).detail;
  if (type === 'data-notice') pageStatus.textContent = `Notice from the server: ${data.text}`;
});

loadScenarios().then(offerScenarios, error => {
  pageStatus.textContent = `The scenarios could not be loaded: ${error.message}`;
});

/** @returns {Promise<Scenario[]>} */
async function loadScenarios() {
  const response = await fetch('/api/scenarios');
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return response.json();
}

/** @param {Scenario[]} scenarios */
function offerScenarios(scenarios) {
  select.replaceChildren(...scenarios.map(({ name, title }) => new Option(title, name)));
  const wanted = new URLSearchParams(location.search).get('scenario');
  if (scenarios.some(({ name }) => name === wanted)) select.value = wanted ?? '';

  const useSelected = () => {
    const scenario = scenarios.find(({ name }) => name === select.value);
    if (scenario !== undefined) useScenario(scenario);
  };
  select.addEventListener('change', useSelected);
  useSelected();
}

/** @param {Scenario} scenario */
function useScenario(scenario) {
  const pageUrl = new URL(location.href);
  pageUrl.searchParams.set('scenario', scenario.name);
  history.replaceState(null, '', pageUrl);

  const endpoint = new URLSearchParams({ scenario: scenario.name });
  for (const name of SERVER_OPTIONS) {
    const value = pageUrl.searchParams.get(name);
    if (value !== null) endpoint.set(name, value);
  }
  pageStatus.textContent = '';
  description.textContent = scenario.description;
  assistant.suggestions = [scenario.prompt];
  assistant.setAttribute('endpoint', `/api/chat?${endpoint}`);
}

/**
 * @template {HTMLElement} ELEMENT
 * @param {string} selector
 * @param {new () => ELEMENT} type
 */
function find(selector, type) {
  const found = document.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`The page has no ${selector}.`);
  return found;
}
