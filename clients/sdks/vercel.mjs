import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import { PARAMETERS, QUESTION, TOOLS } from './questions.mjs';

const openaiOf = ({ url, key }) => createOpenAI({ baseURL: url, apiKey: key });
const openaiThinks = { openai: { reasoningEffort: 'low', reasoningSummary: 'auto', forceReasoning: true } };

export const vercelResponses = (question) =>
  ask(question, openaiOf(question).responses(question.model), openaiThinks);

export const vercelChat = (question) =>
  ask(question, openaiOf(question).chat(question.model), { openai: { reasoningEffort: 'low' } });

export function vercelCompatible(question) {
  const { url, key, model } = question;
  const floe = createOpenAICompatible({ name: 'floe', baseURL: url, apiKey: key, includeUsage: true });
  return ask(question, floe(model), { floe: { reasoningEffort: 'low' } });
}

export function vercelAnthropic(question) {
  const { url, key, model } = question;
  const thinks = { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } };
  return ask(question, createAnthropic({ baseURL: url, apiKey: key })(model), thinks);
}

async function ask({ want, stream }, model, thinks) {
  const options = {
    model,
    prompt: QUESTION,
    maxRetries: 0,
    ...(want === 'tools' && {
      tools: Object.fromEntries(TOOLS.map((name) => [name, tool({ inputSchema: jsonSchema(PARAMETERS) })])),
    }),
    ...(want === 'thinking' && { providerOptions: thinks }),
  };
  const result = stream ? await streamed(options) : await generateText(options);
  const { text, reasoningText, toolCalls, finishReason, usage } = result;
  return {
    text,
    refusal: '',
    thinking: reasoningText ?? '',
    calls: toolCalls.map(({ toolCallId, toolName, input }) => ({ id: toolCallId, name: toolName, input })),
    finish: finishReason,
    usage: {
      input: usage.inputTokens,
      cached: usage.inputTokenDetails?.cacheReadTokens ?? usage.cachedInputTokens ?? 0,
      output: usage.outputTokens,
    },
  };
}

async function streamed(options) {
  let failed;
  const result = streamText({ ...options, onError: ({ error }) => (failed ??= error) });
  await result.consumeStream({ onError: (error) => (failed ??= error) });
  if (failed !== undefined) throw failed;
  const members = ['text', 'reasoningText', 'toolCalls', 'finishReason', 'usage'];
  return Object.fromEntries(await Promise.all(members.map(async (name) => [name, await result[name]])));
}
