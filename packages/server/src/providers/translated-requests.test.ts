import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '@floe/wire/dialects';
import { createProvider } from './configured-provider.ts';
import type { Dialect } from './provider-definition.ts';
import { findProviderDefinition, PROVIDER_DEFINITIONS } from './provider-definitions.ts';

const TOOL = {
  name: 'get_weather',
  description: 'Weather of a place.',
  input_schema: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
};

/** A tool conversation that uses everything a Messages client can say. */
const CONVERSATION: JsonObject = {
  model: 'm',
  stream: true,
  max_tokens: 20_000,
  temperature: 1.7,
  top_p: 0.9,
  top_k: 40,
  stop_sequences: Array.from({ length: 20 }, (_, index) => `END${index}`),
  thinking: { type: 'enabled', budget_tokens: 4_096 },
  output_config: { effort: 'xhigh' },
  metadata: { user_id: 'user-1' },
  service_tier: 'standard_only',
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  tools: [TOOL],
  tool_choice: { type: 'any' },
  messages: [
    { role: 'user', content: 'Weather in Oslo and Rome?' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Two places.', signature: 'c2ln' },
        { type: 'tool_use', id: 'toolu_01ABCDEFGH', name: 'get_weather', input: { place: 'Oslo' } },
        { type: 'tool_use', id: 'toolu_02ABCDEFGH', name: 'get_weather', input: { place: 'Rome' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_01ABCDEFGH', content: 'rain' },
        { type: 'tool_result', tool_use_id: 'toolu_02ABCDEFGH', content: 'sun' },
        { type: 'text', text: 'Which is nicer?' },
      ],
    },
  ],
};

/** What a Chat client can say beyond that. */
const CHAT: JsonObject = {
  model: 'm',
  stream: true,
  max_tokens: 2_000,
  temperature: 1.7,
  top_p: 0.9,
  top_k: 40,
  presence_penalty: 0.5,
  frequency_penalty: 0.5,
  seed: 7,
  stop: ['a', 'b', 'c', 'd', 'e', 'f'],
  user: 'user-1',
  metadata: { team: 'a' },
  service_tier: 'flex',
  prompt_cache_key: 'conversation-1',
  verbosity: 'low',
  reasoning_effort: 'medium',
  parallel_tool_calls: false,
  tools: [
    {
      type: 'function',
      function: {
        name: TOOL.name,
        description: TOOL.description,
        parameters: TOOL.input_schema,
        strict: true,
      },
    },
  ],
  tool_choice: 'required',
  messages: [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'Weather in Oslo?' },
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'One place.',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"place":"Oslo"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
    { role: 'user', content: 'And Rome?' },
  ],
};

/** Providers page 28.2, 28.3: members that may not leave, by kind and model. */
interface Rule {
  readonly kind: string;
  readonly models: readonly string[];
  readonly dialect: Dialect;
  /** The operator left it no other dialect. */
  readonly only?: true;
  readonly never: readonly string[];
  readonly holds?: (body: JsonObject) => boolean;
}

const SAMPLING = ['temperature', 'top_p', 'top_k', 'presence_penalty', 'frequency_penalty'];
const PENALTIES = ['presence_penalty', 'frequency_penalty'];
const NOT_MESSAGES = ['n', 'seed', ...PENALTIES, 'logprobs', 'logit_bias', 'reasoning_effort', 'stop'];
const atMostOne = (body: JsonObject) => Number(body['temperature'] ?? 0) <= 1;
const stops = (most: number) => (body: JsonObject) =>
  !Array.isArray(body['stop']) || body['stop'].length <= most;
const notForced = (body: JsonObject) => body['tool_choice'] === undefined || body['tool_choice'] === 'auto';

const RULES: readonly Rule[] = [
  {
    kind: 'openai',
    models: ['gpt-5.6', 'gpt-5', 'o3', 'o4-mini'],
    dialect: 'responses',
    never: [...SAMPLING, 'stop', 'seed', 'n', 'logit_bias', 'max_tokens', 'messages', 'user'],
  },
  { kind: 'openai', models: ['gpt-4.1'], dialect: 'chat', never: ['max_tokens', 'top_k'], holds: stops(4) },
  { kind: 'azure-openai', models: ['gpt-5.4'], dialect: 'responses', never: [...SAMPLING, 'stop'] },
  { kind: 'azure-openai', models: ['prod'], dialect: 'chat', never: ['max_tokens', 'reasoning_effort'] },
  {
    kind: 'anthropic',
    models: ['claude-opus-4-7', 'claude-sonnet-5', 'claude-opus-5', 'claude-mythos-5'],
    dialect: 'messages',
    never: [...NOT_MESSAGES, ...SAMPLING],
    holds: (body) => !isJsonObject(body['thinking']) || body['thinking']['budget_tokens'] === undefined,
  },
  {
    kind: 'anthropic',
    models: ['claude-opus-4-6', 'claude-opus-4-7', 'claude-sonnet-4-5'],
    dialect: 'messages',
    never: ['thinking'],
  },
  {
    kind: 'anthropic',
    models: ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-fable-5-1', 'claude-mythos-5'],
    dialect: 'messages',
    never: [],
    holds: ({ tool_choice: choice }) => isJsonObject(choice) && choice['type'] === 'auto',
  },
  {
    kind: 'anthropic',
    models: ['claude-sonnet-4-5', 'claude-opus-4-1', 'claude-sonnet-4-6'],
    dialect: 'messages',
    never: [...NOT_MESSAGES, 'top_p'],
    holds: (body) => atMostOne(body) && !JSON.stringify(body).includes('xhigh'),
  },
  {
    kind: 'openai',
    models: ['gpt-5.6', 'o3'],
    dialect: 'chat',
    only: true,
    never: [...SAMPLING, 'stop', 'max_tokens', 'logit_bias'],
  },
  {
    kind: 'gemini',
    models: ['gemini-3-pro', 'gemini-2.5-flash'],
    dialect: 'gemini',
    never: ['user', 'parallel_tool_calls'],
    holds: ({ generationConfig: config }) =>
      isJsonObject(config) &&
      !('presencePenalty' in config || 'frequencyPenalty' in config) &&
      Array.isArray(config['stopSequences']) &&
      config['stopSequences'].length <= 5,
  },
  { kind: 'xai', models: ['grok-4.6'], dialect: 'chat', only: true, never: [...PENALTIES, 'stop', 'top_k'] },
  {
    kind: 'mistral',
    models: ['mistral-large-latest', 'mistral-small-latest'],
    dialect: 'chat',
    never: ['user', 'metadata', 'service_tier', 'store', 'stream_options', 'seed', 'top_k', 'verbosity'],
    holds: atMostOne,
  },
  {
    kind: 'groq',
    models: ['openai/gpt-oss-120b', 'llama-3.3-70b-versatile'],
    dialect: 'chat',
    never: ['logprobs', 'top_logprobs', 'logit_bias', 'n', 'top_k'],
    holds: stops(4),
  },
  {
    kind: 'deepseek',
    models: ['deepseek-v4-pro'],
    dialect: 'chat',
    never: ['logprobs', 'n', 'seed', 'top_k', 'logit_bias', 'user'],
    holds: (body) => stops(16)(body) && notForced(body),
  },
  { kind: 'xai', models: ['grok-4.6'], dialect: 'responses', never: [...PENALTIES, 'stop'] },
  { kind: 'xai', models: ['grok-4.20-reasoning'], dialect: 'responses', never: ['reasoning'] },
  { kind: 'together', models: ['meta/Llama-4'], dialect: 'chat', never: [], holds: notForced },
  {
    kind: 'moonshot',
    models: ['kimi-k2.6', 'kimi-k3'],
    dialect: 'chat',
    never: [...SAMPLING, 'seed', 'n', 'max_tokens'],
    holds: (body) => stops(5)(body) && notForced(body) && !JSON.stringify(body).includes('"strict"'),
  },
  {
    kind: 'moonshot',
    models: ['moonshot-v1-32k'],
    dialect: 'chat',
    never: ['seed', 'top_k'],
    holds: atMostOne,
  },
  {
    kind: 'cerebras',
    models: ['gpt-oss-120b', 'gemma-4-31b'],
    dialect: 'chat',
    never: [...PENALTIES, 'logit_bias', 'parallel_tool_calls', 'service_tier'],
  },
  { kind: 'perplexity', models: ['perplexity/sonar'], dialect: 'responses', never: ['include', 'messages'] },
];

const REQUESTS = { messages: CONVERSATION, chat: CHAT };

function written(kind: string, model: string, client: keyof typeof REQUESTS, dialects?: readonly Dialect[]) {
  const definition = findProviderDefinition(kind);
  assert.ok(definition, kind);
  const provider = createProvider({
    id: kind,
    definition,
    baseUrl: definition.baseUrl ?? 'https://host.test',
    credentials: [],
    models: ['*'],
    headers: {},
    body: {},
    dialects,
    timeouts: { connectMs: 1, headersMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
  });
  const dialect = provider.dialectFor(model);
  const options = { sealOrigin: 'a', ...provider.optionsFor(model), model };
  const { body: request } = UPSTREAM_DIALECTS[dialect].writeRequest(
    CLIENT_DIALECTS[client].readRequest(REQUESTS[client]),
    options,
  );
  return { dialect, body: told(request) };
}

/** What leaves: members without a value are not written. */
function told(body: JsonObject): JsonObject {
  const parsed: unknown = JSON.parse(JSON.stringify(body));
  assert.ok(isJsonObject(parsed));
  return parsed;
}

for (const rule of RULES)
  for (const model of rule.models)
    test(`a tool conversation for ${rule.kind}/${model} in ${rule.dialect} contains nothing that it rejects`, () => {
      for (const client of ['messages', 'chat'] as const) {
        const { dialect, body } = written(rule.kind, model, client, rule.only && [rule.dialect]);
        assert.equal(dialect, rule.dialect);
        for (const field of rule.never) assert.ok(!(field in body), `${field} of a ${client} client`);
        assert.ok(rule.holds?.(body) ?? true, JSON.stringify(body));
      }
    });

test("no provider receives another provider's service tiers", () => {
  for (const { kind } of PROVIDER_DEFINITIONS)
    for (const client of ['messages', 'chat'] as const)
      assert.ok(!('service_tier' in written(kind, 'm', client).body), kind);
});

test('Mistral receives short ids for calls and results, and no user message after a result', () => {
  const { messages } = written('mistral', 'mistral-large-latest', 'messages').body;
  assert.ok(Array.isArray(messages));
  const said = messages.filter(isJsonObject);
  assert.deepEqual(
    said.map((message) => message['role']),
    ['system', 'user', 'assistant', 'tool', 'tool'],
  );
  const ids = JSON.stringify(said).match(/"(?:id|tool_call_id)":"[^"]*"/g) ?? [];
  assert.equal(ids.length, 4);
  for (const id of ids) assert.match(id, /:"[A-Za-z0-9]{9}"$/);
  assert.equal(new Set(ids.map((id) => id.split(':')[1])).size, 2);
});

test('DeepSeek and Kimi receive earlier reasoning with its calls', () => {
  for (const [kind, model] of [
    ['deepseek', 'deepseek-flash'],
    ['moonshot', 'kimi-k3'],
  ] as const)
    assert.match(JSON.stringify(written(kind, model, 'chat').body), /"reasoning_content":"One place\."/);
});

test('an effort between two supported ones is rounded as the provider would', () => {
  assert.equal(written('moonshot', 'kimi-k3', 'chat').body['reasoning_effort'], 'high');
  assert.equal(written('moonshot', 'kimi-k3', 'messages').body['reasoning_effort'], 'max');
  assert.deepEqual(written('openai', 'gpt-5.6', 'messages').body['reasoning'], {
    effort: 'xhigh',
    summary: 'auto',
  });
});
