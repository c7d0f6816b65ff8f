import Anthropic from '@anthropic-ai/sdk';
import { PARAMETERS, QUESTION, TOOLS } from './questions.mjs';

let client;

export async function askMessages({ url, key, model, want, stream }) {
  client ??= new Anthropic({ baseURL: url.replace(/\/v1$/, ''), apiKey: key, maxRetries: 0 });
  const body = {
    model,
    max_tokens: 4096,
    messages: [{ role: 'user', content: QUESTION }],
    ...(want === 'tools' && { tools: TOOLS.map((name) => ({ name, input_schema: PARAMETERS })) }),
    ...(want === 'thinking' && { thinking: { type: 'enabled', budget_tokens: 1024 } }),
  };
  const { content, stop_reason, usage } = stream
    ? await client.messages.stream(body).finalMessage()
    : await client.messages.create(body);
  const joined = (member) => content.map((block) => block[member] ?? '').join('');
  const cached = usage.cache_read_input_tokens ?? 0;
  return {
    text: joined('text'),
    refusal: '',
    thinking: joined('thinking'),
    calls: content
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id, name, input })),
    finish: stop_reason,
    usage: {
      input: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
      cached,
      output: usage.output_tokens,
    },
  };
}
