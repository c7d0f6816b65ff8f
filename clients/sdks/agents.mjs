import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  Runner,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import OpenAI from 'openai';
import { PARAMETERS, QUESTION, TOOLS } from './questions.mjs';

setTracingDisabled(true);

export const agentOverChat = (question) => ask(question, OpenAIChatCompletionsModel);
export const agentOverResponses = (question) => ask(question, OpenAIResponsesModel);

async function ask({ url, key, model, want, stream }, Model) {
  const client = new OpenAI({ baseURL: url, apiKey: key, maxRetries: 0 });
  const agent = new Agent({
    name: 'floe',
    model: new Model(client, model),
    ...(want === 'tools' && { tools: TOOLS.map(toolOf), toolUseBehavior: 'stop_on_first_tool' }),
    ...(want === 'thinking' && { modelSettings: { reasoning: { effort: 'low', summary: 'auto' } } }),
  });
  const result = await new Runner().run(agent, QUESTION, { stream, maxTurns: 1 });
  if (stream) {
    for await (const _event of result.toStream());
    await result.completed;
    if (result.error) throw result.error;
  }
  const items = result.newItems.map(({ rawItem }) => rawItem);
  const parts = items.filter(({ role }) => role === 'assistant').flatMap(({ content }) => content);
  const joined = (member) => parts.map((part) => part[member] ?? '').join('');
  const { usage } = result.rawResponses[0];
  const details = [usage.inputTokensDetails ?? {}].flat();
  return {
    text: joined('text'),
    refusal: joined('refusal'),
    thinking: items
      .filter(({ type }) => type === 'reasoning')
      .flatMap(({ content }) => content)
      .map(({ text }) => text)
      .join(''),
    calls: items
      .filter(({ type }) => type === 'function_call')
      .map((item) => ({ id: item.callId, name: item.name, input: JSON.parse(item.arguments || '{}') })),
    finish: '',
    usage: {
      input: usage.inputTokens,
      cached: details.reduce((sum, one) => sum + (one.cached_tokens ?? 0), 0),
      output: usage.outputTokens,
    },
  };
}

function toolOf(name) {
  const parameters = { ...PARAMETERS, required: [] };
  return tool({ name, description: name, parameters, strict: false, execute: async () => 'done' });
}
