// Next month's fields and values: whatever a reader does not know, the request reports.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { CLIENT_DIALECTS } from './dialects.ts';
import { isJsonArray } from './json-narrowing.ts';

const IMAGE = 'data:image/png;base64,iVBORw0KGgo=';
const FILE = { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' };
const SCHEMA = { name: 'answer', schema: { type: 'object' }, strict: true };
const GRAMMAR = { syntax: 'lark', definition: 'start: "x"' };
const CACHE = { type: 'ephemeral', ttl: '1h' };
const CHAT: JsonObject = {
  model: 'm',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'U', cache_control: CACHE },
        { type: 'image_url', image_url: { url: IMAGE, detail: 'high' } },
        { type: 'file', file: FILE },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'refusal', refusal: 'N' }],
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } },
        { id: 'c2', type: 'custom', custom: { name: 'g', input: 'I' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'R' }] },
    { role: 'tool', tool_call_id: 'c2', content: 'R' },
  ],
  tools: [
    { type: 'function', function: { name: 'f', parameters: {} } },
    { type: 'custom', custom: { name: 'g', format: { type: 'grammar', grammar: GRAMMAR } } },
  ],
  tool_choice: { type: 'function', function: { name: 'f' } },
  response_format: { type: 'json_schema', json_schema: SCHEMA },
  stream_options: { include_usage: true },
  reasoning_effort: 'high',
};
const RESPONSES: JsonObject = {
  model: 'm',
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'U' },
        { type: 'input_image', image_url: IMAGE },
        { type: 'input_file', ...FILE },
      ],
    },
    { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'R' }] },
  ],
  tools: [
    { type: 'function', name: 'f', parameters: {} },
    { type: 'custom', name: 'g', format: { type: 'grammar', ...GRAMMAR } },
    { type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'h', parameters: {} }] },
  ],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
  text: { format: { type: 'json_schema', ...SCHEMA } },
  reasoning: { effort: 'high' },
};
const MESSAGES: JsonObject = {
  model: 'm',
  max_tokens: 9_000,
  system: [{ type: 'text', text: 'S', cache_control: CACHE }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
        {
          type: 'document',
          source: { type: 'text', media_type: 'text/plain', data: 'D' },
          citations: { enabled: true },
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'T', signature: 'S' },
        { type: 'redacted_thinking', data: 'D' },
        { type: 'tool_use', id: 'c1', name: 'f', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'c1',
          content: [
            { type: 'text', text: 'R' },
            { type: 'tool_reference', tool_name: 'f' },
          ],
        },
      ],
    },
  ],
  tools: [{ name: 'f', input_schema: {}, cache_control: CACHE }],
  tool_choice: { type: 'tool', name: 'f' },
  thinking: { type: 'enabled', budget_tokens: 2_000 },
  output_config: { effort: 'high', format: { type: 'json_schema', schema: {} } },
  metadata: { user_id: 'u' },
};
const REQUESTS = { chat: CHAT, responses: RESPONSES, messages: MESSAGES } as const;
/** Members whose content belongs to the client: schemas, and the arguments of tool calls. */
const OPAQUE = new Set(['parameters', 'input_schema', 'schema']);

/** Paths of all objects of a request. */
function* objectPaths(value: Json | undefined, path: readonly string[] = []): Generator<readonly string[]> {
  if (OPAQUE.has(path.at(-1) ?? '') || path.slice(-3).join('.') === 'content.2.input') return;
  if (isJsonObject(value)) yield path;
  if (isJsonObject(value) || isJsonArray(value))
    for (const [key, entry] of Object.entries(value)) yield* objectPaths(entry, [...path, key]);
}

/** Copies a value with another member at a path. */
function withMember(value: Json | undefined, path: readonly string[], member: JsonObject): Json {
  const [step, ...rest] = path;
  if (step === undefined) return { ...(isJsonObject(value) ? value : {}), ...member };
  if (isJsonArray(value))
    return value.map((entry, index) => (String(index) === step ? withMember(entry, rest, member) : entry));
  return isJsonObject(value) ? { ...value, [step]: withMember(value[step], rest, member) } : {};
}

function droppedOf(dialect: keyof typeof REQUESTS, body: Json): readonly string[] {
  assert.ok(isJsonObject(body));
  return CLIENT_DIALECTS[dialect].readRequest(body).dropped;
}

test('an unknown member of any object of a request is reported as dropped', () => {
  for (const dialect of ['chat', 'responses', 'messages'] as const)
    for (const path of objectPaths(REQUESTS[dialect])) {
      const dropped = droppedOf(dialect, withMember(REQUESTS[dialect], path, { novelty: 'on' }));
      assert.ok(
        dropped.some((name) => /(^|\.)novelty$/.test(name)),
        `${dialect}: ${path.join('.')}: ${dropped.join()}`,
      );
    }
});

test('a value without an equivalent is reported as dropped', () => {
  const reasoning = {
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'S' }],
    content: [{ type: 'reasoning_text', text: 'T' }],
  };
  const said = { role: 'assistant', content: 'A', phase: 'commentary' };
  const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: [{ name: 'f' }, { type: 'mcp' }] };
  const twice = { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=', file_id: 'f1' };
  const files = [{ role: 'user', content: [{ type: 'file', file: twice }] }];
  const cases = [
    ['chat', { ...CHAT, messages: files }, 'file.file_id'],
    ['chat', { ...CHAT, audio: { voice: 'alloy', format: 'wav' } }, 'audio'],
    ['chat', { ...CHAT, messages: [said] }, 'messages.phase'],
    ['chat', { ...CHAT, tool_choice }, 'tool_choice.tools'],
    ['responses', { ...RESPONSES, input: [said] }, 'input.phase'],
    ['responses', { ...RESPONSES, input: [reasoning] }, 'reasoning.content'],
  ] as const;
  for (const [dialect, body, name] of cases) assert.ok(droppedOf(dialect, body).includes(name), name);
});

test('a truncation other than the default is reported as dropped', () => {
  for (const [truncation, isDropped] of [
    ['auto', true],
    ['tomorrow', true],
    [{ type: 'auto' }, true],
    ['disabled', false],
    [null, false],
  ] as const)
    assert.equal(
      droppedOf('responses', { ...RESPONSES, truncation }).includes('truncation'),
      isDropped,
      String(truncation),
    );
});

test('an unknown effort, kind of thinking or cache lifetime is reported as dropped', () => {
  const cases = [
    ['chat', [], { reasoning_effort: 'boundless' }, 'reasoning_effort'],
    ['chat', [], { reasoning: { effort: 'boundless' } }, 'reasoning.effort'],
    ['responses', ['reasoning'], { effort: 'boundless' }, 'reasoning.effort'],
    ['messages', ['output_config'], { effort: 'boundless' }, 'output_config.effort'],
    ['messages', ['thinking'], { type: 'turbo' }, 'thinking.type'],
    ['messages', ['system', '0', 'cache_control'], { ttl: '24h' }, 'cache_control.ttl'],
    ['messages', ['tools', '0', 'cache_control'], { ttl: '24h' }, 'cache_control.ttl'],
  ] as const;
  for (const [dialect, path, member, name] of cases) {
    assert.ok(!droppedOf(dialect, REQUESTS[dialect]).includes(name), `${dialect} ${name}`);
    assert.ok(
      droppedOf(dialect, withMember(REQUESTS[dialect], path, member)).includes(name),
      `${dialect} ${name}`,
    );
  }
});

test('a member that another one takes precedence over is reported as dropped, unless both have the same value', () => {
  const part = (given: JsonObject) => ({ messages: [{ role: 'user', content: [given] }] });
  const call = (given: JsonObject) => ({
    messages: [
      { role: 'assistant', tool_calls: [{ id: 'c1', ...given }] },
      { role: 'tool', tool_call_id: 'c1', content: 'R' },
    ],
  });
  const use = (given: JsonObject) => ({
    messages: [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', ...given }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'R' }] },
    ],
  });
  const inner = { name: 'f', parameters: {} };
  const thinking = { type: 'enabled', budget_tokens: 2_000 };
  const url = 'https://example.com/a.png';
  const source = { type: 'url', url, data: 'AAAA' };
  const schema = { type: 'json_schema', schema: { type: 'object' } };
  const cases: readonly (readonly [keyof typeof REQUESTS, JsonObject, readonly string[]])[] = [
    ['chat', { safety_identifier: 'a', user: 'b' }, ['user']],
    ['chat', { safety_identifier: 'a', user: 'a' }, []],
    ['chat', { safety_identifier: null, user: 'b' }, []],
    ['chat', { max_completion_tokens: 5, max_tokens: 6 }, ['max_tokens']],
    ['chat', { max_completion_tokens: 5, max_tokens: 5 }, []],
    ['chat', { functions: [{ name: 'g' }] }, ['functions']],
    ['chat', { tool_choice: 'auto', function_call: { name: 'f' } }, ['function_call']],
    ['chat', { reasoning_effort: 'high', reasoning: { effort: 'low' } }, ['reasoning_effort']],
    ['chat', { reasoning_effort: 'high', thinking: { type: 'disabled' } }, ['thinking.type']],
    ['chat', { reasoning_effort: 'none', thinking }, ['thinking.type', 'thinking.budget_tokens']],
    ['chat', { thinking, reasoning: { max_tokens: 3_000 } }, ['reasoning.max_tokens']],
    ['chat', { reasoning: { enabled: false, effort: 'low' } }, ['reasoning.enabled']],
    ['chat', { tools: [{ type: 'function', name: 'g', function: inner }] }, ['tools.name']],
    ['chat', { tools: [{ type: 'function', name: 'f', function: inner }] }, []],
    ['chat', { tools: [{ name: 'f', input_schema: {}, parameters: { title: 'P' } }] }, ['tools.parameters']],
    ['chat', { response_format: { ...schema, json_schema: { schema: {} } } }, ['response_format.schema']],
    ['chat', part({ type: 'image_url', image_url: { url }, file_id: 'f1' }), ['image.file_id']],
    ['chat', part({ type: 'refusal', refusal: 'N', text: 'T' }), ['refusal.text']],
    ['chat', call({ custom: { name: 'g', input: 'I' }, function: inner }), ['tool_calls.function']],
    ['chat', call({ name: 'g', function: { name: 'f', arguments: '{}' } }), ['tool_calls.name']],
    [
      'messages',
      use({ name: 'f', input: {}, function: { arguments: '{"a":1}' } }),
      ['tool_use.function.arguments'],
    ],
    [
      'messages',
      use({ name: 'f', function: { name: 'g', arguments: '{"a":1}' } }),
      ['tool_use.function.name'],
    ],
    ['messages', use({ name: 'f', input: '{"a":1}', function: { name: 'f', arguments: '{"a":1}' } }), []],
    ['responses', { safety_identifier: 'a', user: 'b' }, ['user']],
    ['responses', { max_output_tokens: 5, max_tokens: 6 }, ['max_tokens']],
    [
      'responses',
      { reasoning: { summary: 'auto', generate_summary: 'concise' } },
      ['reasoning.generate_summary'],
    ],
    ['messages', { output_config: { format: schema }, output_format: { type: 'text' } }, ['output_format']],
    ['messages', { ...part({ type: 'image', source }), thinking: null }, ['source.data']],
  ];
  for (const [dialect, members, names] of cases) {
    const base: JsonObject = { reasoning_effort: null, reasoning: null, thinking: null, output_config: null };
    const { messages, input, model, tools } = REQUESTS[dialect];
    const plain = dialect === 'responses' ? { model, input, tools } : { model, messages, tools };
    const before = new Set(droppedOf(dialect, { ...plain, ...base }));
    const added = droppedOf(dialect, { ...plain, ...base, ...members }).filter((name) => !before.has(name));
    assert.deepEqual(added, names, `${dialect}: ${JSON.stringify(members)}`);
  }
});
