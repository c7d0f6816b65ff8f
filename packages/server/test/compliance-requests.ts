// Requests of every surface that a model behind OpenAI gets, for a judge that knows OpenAI's specification.
import type { Json, JsonObject } from '@floe/contract/json';

type Request = readonly [name: string, path: string, body: JsonObject];

const SCHEMA = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] };
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const LARK = { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' };

/** Models that are asked in Chat and in Responses, by what is known of them. */
const MODELS = ['openai/gpt-4o', 'openai/gpt-5', 'openai/gpt-5.5'];

const CHAT: Readonly<Record<string, JsonObject>> = {
  text: { messages: [{ role: 'user', content: 'Hi' }] },
  'tool turn': {
    messages: [
      { role: 'system', content: 'S' },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"q":"x"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'r' },
    ],
    tools: [{ type: 'function', function: { name: 'f', parameters: SCHEMA } }],
    tool_choice: 'auto',
  },
};

const RESPONSES: Readonly<Record<string, JsonObject>> = {
  text: { input: 'Hi', instructions: 'Be brief.' },
  'tool turn': {
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'D' }] },
      { role: 'user', content: 'Hi' },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'r' },
    ],
    tools: [
      { type: 'function', name: 'f', parameters: SCHEMA, strict: false },
      { type: 'custom', name: 'patch', format: LARK },
    ],
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    store: false,
  },
};

const MESSAGES: Readonly<Record<string, JsonObject>> = {
  text: { max_tokens: 100, system: 'Be brief.', messages: [{ role: 'user', content: 'Hi' }] },
  'tool turn': {
    max_tokens: 100,
    system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }, image()] },
      { role: 'system', content: 'In French from here.' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
          { type: 'tool_use', id: 'toolu_1', name: 'f', input: { q: 'x' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'r' }, image()] },
        ],
      },
    ],
    tools: [{ name: 'f', description: 'd', input_schema: SCHEMA, defer_loading: false }],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
    metadata: { user_id: 'u' },
  },
  thinking: {
    max_tokens: 4000,
    messages: [{ role: 'user', content: 'Hi' }],
    thinking: { type: 'enabled', budget_tokens: 2000 },
  },
};

function image(): Json {
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } };
}

export const COMPLIANCE_REQUESTS: readonly Request[] = MODELS.flatMap((model) =>
  (
    [
      ['/chat/completions', CHAT],
      ['/responses', RESPONSES],
      ['/messages', MESSAGES],
    ] as const
  ).flatMap(([path, bodies]) =>
    Object.entries(bodies).map(
      ([name, body]) => [`${path} ${name} (${model})`, path, { model, ...body }] as const,
    ),
  ),
);
