import { ChatAnthropic } from '@langchain/anthropic';
import { ChatOpenAI } from '@langchain/openai';
import { PARAMETERS, QUESTION, TOOLS } from './questions.mjs';

export const langchainChat = (question) => ask(question, openaiOf(question, false));
export const langchainResponses = (question) => ask(question, openaiOf(question, true));

export function langchainMessages(question) {
  const { url, key, model, want } = question;
  return ask(
    question,
    new ChatAnthropic({
      model,
      apiKey: key,
      anthropicApiUrl: url.replace(/\/v1$/, ''),
      maxRetries: 0,
      maxTokens: 4096,
      ...(want === 'thinking' && { thinking: { type: 'enabled', budget_tokens: 1024 } }),
    }),
  );
}

function openaiOf({ url, key, model, want }, useResponsesApi) {
  return new ChatOpenAI({
    model,
    apiKey: key,
    configuration: { baseURL: url },
    useResponsesApi,
    maxRetries: 0,
    // Its own `reasoning` would turn Chat into Responses.
    ...(want === 'thinking' &&
      (useResponsesApi
        ? { reasoning: { effort: 'low', summary: 'auto' } }
        : { modelKwargs: { reasoning_effort: 'low' } })),
  });
}

async function ask({ want, stream }, chat) {
  const tools = TOOLS.map((name) => ({
    type: 'function',
    function: { name, description: name, parameters: PARAMETERS },
  }));
  const asked = want === 'tools' ? chat.bindTools(tools) : chat;
  const message = stream ? await concatenated(await asked.stream(QUESTION)) : await asked.invoke(QUESTION);
  const { response_metadata: meta, additional_kwargs: more, usage_metadata: usage } = message;
  const blocks = Array.isArray(message.content) ? message.content : [];
  return {
    text: message.text,
    refusal: more.refusal ?? '',
    thinking:
      blocks.map(({ thinking, reasoning }) => thinking ?? reasoning ?? '').join('') ||
      (more.reasoning?.summary ?? []).map(({ text }) => text).join('') ||
      (more.reasoning_content ?? ''),
    // A call without arguments that a provider sends as an empty string counts as invalid here.
    calls: [...message.tool_calls, ...message.invalid_tool_calls].map(({ id, name, args }) => ({
      id,
      name,
      input: args || {},
    })),
    finish:
      meta.finish_reason ??
      meta.stop_reason ??
      more.stop_reason ??
      meta.incomplete_details?.reason ??
      meta.status ??
      '',
    usage: {
      input: usage?.input_tokens,
      cached: usage?.input_token_details?.cache_read ?? 0,
      output: usage?.output_tokens ?? 0,
    },
  };
}

async function concatenated(stream) {
  let whole;
  for await (const chunk of stream) whole = whole === undefined ? chunk : whole.concat(chunk);
  return whole;
}
