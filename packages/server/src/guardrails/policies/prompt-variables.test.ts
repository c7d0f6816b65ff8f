import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { scanJsonObject } from '@floe/wire/json-edits';
import { holds, judged, requestOf } from '../test/policy-requests.ts';
import type { PolicyRequest } from './policy-request-view.ts';

test('every tool that the model may call is listed, wherever the request declares it', () => {
  const tool = { type: 'function', name: 'erase' };
  for (const body of [
    { tools: [{ type: 'function', function: { name: 'erase' } }] },
    { tools: [{ type: 'custom', custom: { name: 'erase' } }] },
    { functions: [{ name: 'erase' }] },
    { tools: [tool] },
    { tools: [{ ...tool, function: {} }] },
    { tools: [{ type: 'namespace', name: 'files', tools: [tool] }] },
    { tools: [{ type: 'mcp', server_label: 'files', allowed_tools: ['erase'] }] },
    { tools: [{ type: 'mcp', server_label: 'files', allowed_tools: { tool_names: ['erase'] } }] },
    { input: [{ type: 'additional_tools', role: 'developer', tools: [tool] }] },
    ...[
      { type: 'tool_reference', name: 'erase' },
      { type: 'tool_definition', definition: { name: 'erase', input_schema: {} } },
      { type: 'mcp_toolset_reference', server_name: 'files', name: 'erase' },
    ].map((added) => ({ messages: [{ role: 'system', content: [{ type: 'tool_addition', tool: added }] }] })),
    { input: [{ type: 'tool_search_output', tools: [{ type: 'namespace', name: 'files', tools: [tool] }] }] },
  ])
    assert.ok(holds('"erase" in request.tools', requestOf(body)), JSON.stringify(body));
});

test('a hosted tool is listed by its type and by its name', () => {
  const listed = [
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'web_search_20250305', 'web_search'],
    [{ tools: [{ type: 'code_interpreter', name: 'harmless' }] }, 'code_interpreter', 'harmless'],
    [{ tools: [{ type: 'mcp', function: { name: 'harmless' }, allowed_tools: ['erase'] }] }, 'mcp', 'erase'],
    [
      { tools: [{ type: 'mcp_toolset', mcp_server_name: 'files', configs: { erase: { enabled: true } } }] },
      'mcp_toolset',
      'erase',
    ],
    [{ input: [{ type: 'additional_tools', tools: [{ type: 'mcp', name: 'harmless' }] }] }, 'mcp'],
    [
      { mcp_servers: [{ type: 'url', name: 'files', tool_configuration: { allowed_tools: ['erase'] } }] },
      'mcp',
      'files',
      'erase',
    ],
    [{ web_search_options: {} }, 'web_search'],
  ] as const;
  for (const [body, ...names] of listed)
    for (const name of names)
      assert.ok(
        holds(`"${name}" in request.tools`, requestOf(body)),
        `${name} is not listed: ${JSON.stringify(body)}`,
      );
});

const ERASE_REFERENCE = { type: 'tool_reference', name: 'erase' };

test('a tool is listed however the case of its members is spelled', () => {
  for (const body of [
    { tools: [{ type: 'function', function: { name: 'harmless', Name: 'erase' } }] },
    { tools: [{ type: 'function', Function: { name: 'erase' } }] },
    { tools: [{ type: 'function', Name: 'erase' }] },
    { tools: [{ TYPE: 'erase', name: 'harmless' }] },
    { messages: [{ role: 'developer', Tools: [{ name: 'erase' }] }] },
    { messages: [{ role: 'system', Content: [{ type: 'tool_addition', tool: ERASE_REFERENCE }] }] },
    { messages: [{ role: 'system', content: [{ type: 'tool_addition', TOOL: ERASE_REFERENCE }] }] },
    {
      messages: [
        {
          role: 'system',
          content: [{ type: 'tool_addition', tool: { Type: 'tool_reference', Name: 'erase' } }],
        },
      ],
    },
    {
      messages: [
        {
          role: 'system',
          content: [
            {
              type: 'tool_addition',
              tool: { type: 'tool_definition', Definition: { name: 'erase' }, definition: { name: 'f' } },
            },
          ],
        },
      ],
    },
    {
      messages: [
        { role: 'system', content: [{ type: 'tool_removal', Type: 'tool_addition', tool: ERASE_REFERENCE }] },
      ],
    },
    {
      messages: [
        {
          role: 'system',
          content: [{ type: 'tool_addition', tool: { ...ERASE_REFERENCE, name: 'f', NAME: 'erase' } }],
        },
      ],
    },
    { mcp_servers: [{ type: 'url', name: 'files', Tool_Configuration: { Allowed_Tools: ['erase'] } }] },
    { input: [{ type: 'additional_tools', 'tool\u017f': [{ name: 'erase' }] }] },
  ])
    assert.ok(holds('"erase" in request.tools', requestOf(body)), JSON.stringify(body));
});

test('a tool is listed at any depth of a list, and as a single value', () => {
  for (const body of [
    { tools: [[{ name: 'erase' }]] },
    { tools: { name: 'erase' } },
    { tools: ['erase'] },
    { tools: [{ type: 'function', function: [{ name: 'erase' }] }] },
    { tools: [{ type: 'mcp', allowed_tools: [['erase']] }] },
    { tools: [{ type: 'namespace', name: 'n', tools: [[[{ name: 'erase' }]]] }] },
    { messages: [[{ role: 'developer', tools: [{ name: 'erase' }] }]] },
    { messages: [{ role: 'system', content: [[{ type: 'tool_addition', tool: [ERASE_REFERENCE] }]] }] },
    { messages: [{ role: 'system', content: { type: 'tool_addition', tool: ERASE_REFERENCE } }] },
    { mcp_servers: { name: 'files', tool_configuration: [{ allowed_tools: 'erase' }] } },
  ])
    assert.ok(holds('"erase" in request.tools', requestOf(body)), JSON.stringify(body));
  const removed = [{ role: 'system', content: [{ type: 'tool_removal', tool: ERASE_REFERENCE }] }];
  assert.ok(!holds('"erase" in request.tools', requestOf({ messages: removed })));
});

test('the web search of Chat is a tool, whatever its options are', () => {
  for (const [options, isTool] of [
    [{}, true],
    [[], true],
    [{ search_context_size: 'low' }, true],
    [null, false],
  ] as const)
    assert.equal(holds('"web_search" in request.tools', requestOf({ web_search_options: options })), isTool);
});

test('the prompt of a batch is read however its member is spelled, and ambiguous fields in it deny', () => {
  const tools = [{ name: 'erase' }];
  for (const entry of [
    { params: { tools } },
    { Params: { tools } },
    { BODY: { tools } },
    { params: { Tools: tools } },
  ])
    assert.ok(
      holds('"erase" in request.tools', requestOf({ requests: [{ custom_id: 'c', ...entry }] })),
      JSON.stringify(entry),
    );
  const harmless = { requests: [{ custom_id: 'c', params: { model: 'm', messages: [], Extra: 1 } }] };
  assert.ok(!holds('"erase" in request.tools', requestOf(harmless)));
});

test('a condition that reads the request cannot be evaluated if an object contains a field twice', () => {
  const texts = [
    '{"model":"m","messages":[{"role":"user","content":"launch code","content":"Hi"}]}',
    '{"model":"m","messages":[],"tools":[{"name":"erase","name":"harmless"}]}',
    '{"model":"m","requests":[{"params":{"max_tokens":9000,"max_\\u0074okens":1,"messages":[]}}]}',
  ];
  for (const text of texts) {
    const body = Buffer.from(text);
    const members = scanJsonObject(body);
    const request = { ...requestOf({}), body, members, memberCount: members.memberCount };
    const when = 'request.text == "none" || "none" in request.tools || request.max_tokens == 7';
    const { decisions, deniedBy } = judged([{ name: 'rule', on: 'request', when, action: 'deny' }], request);
    assert.equal(deniedBy?.name, 'rule', text);
    assert.match(decisions[0]?.reason ?? '', /an object in the request contains the same field twice/);
    const allow = { name: 'rule', on: 'request', when: 'request.text != ""', action: 'allow' };
    assert.equal(judged([allow], request).decisions[0]?.outcome, 'not_evaluated');
    assert.ok(!holds('key == "other"', request), text);
  }
});

test('the text of a document in base64 is part of the text of the request', () => {
  const data = Buffer.from('the launch code is in this document. '.repeat(9)).toString('base64');
  for (const part of [
    { type: 'file', file: { filename: 'a.txt', file_data: `data:text/plain;base64,${data}` } },
    { type: 'document', source: { type: 'base64', media_type: 'text/plain', data } },
    { type: 'file', file: { file_data: `data:text/plain;base64,${btoa('launch code')}` } },
  ]) {
    const request = requestOf({ messages: [{ role: 'user', content: [part] }] });
    assert.ok(holds('request.text.contains("launch code")', request), JSON.stringify(part));
  }
});

test('the type of a tool that the caller runs is not a name of it', () => {
  for (const body of [
    { tools: [{ type: 'function', function: { name: 'erase' } }] },
    { tools: [{ type: 'custom', name: 'erase' }] },
    { tools: [{ type: 'namespace', name: 'files', tools: [{ type: 'function', name: 'erase' }] }] },
    { mcp_servers: null, web_search_options: null },
  ])
    assert.ok(holds('request.tools.all(t, t in ["erase", "files"])', requestOf(body)), JSON.stringify(body));
});

test('a number of the wrong type or size cannot be evaluated, and does not affect other conditions', () => {
  const bodies = ['"9000"', '1e999', '[9000]', 'true'].flatMap((value) => [
    [`{"max_tokens":1,"max_completion_tokens":${value}}`, 'request.max_tokens > 8000'],
    [`{"temperature":${value}}`, 'request.temperature > 1.0'],
  ]);
  for (const [text = '', when = ''] of bodies) {
    const body = Buffer.from(text);
    const request = { ...requestOf({}), body, members: scanJsonObject(body) };
    assert.ok(holds(when, request), text);
    assert.ok(!holds('key == "other"', request), text);
  }
  const missing = requestOf({ max_tokens: null, temperature: null });
  assert.ok(holds('request.max_tokens == 0 && request.temperature == 0.0', missing));
});

const prompt = (content: string, more: JsonObject = {}) => ({
  model: 'up/small',
  max_tokens: 10,
  messages: [{ role: 'user', content }],
  ...more,
});
const batchOf = (...prompts: readonly JsonObject[]) =>
  requestOf({ requests: prompts.map((params, at) => ({ custom_id: `c${at}`, params })) }, { model: '' });

test('a condition is evaluated for each prompt of a batch', () => {
  const tools = [{ name: 'erase', input_schema: {} }];
  const large = { model: 'up/large', system: 'Be brief.', max_tokens: 9000, temperature: 2, tools };
  const batch = batchOf(prompt('hello'), prompt('launch code', large));
  for (const when of [
    'request.text.contains("launch code")',
    'request.system == "Be brief."',
    'request.max_tokens > 8000',
    'request.temperature > 1.0',
    'request.model == "up/large"',
    '"erase" in request.tools',
  ])
    assert.ok(holds(when, batch), when);
  assert.ok(!holds('request.text.contains("hello") && request.max_tokens > 8000', batch));
  assert.ok(holds('request.max_tokens > 8000', batchOf(prompt('hello', { max_tokens: '9000' }))));
});

test('the entries of a batch contain their prompts in any of the members that providers use', () => {
  const tools = [{ type: 'function', function: { name: 'erase' } }];
  const large = prompt('launch code', { max_tokens: 9000, tools });
  for (const entry of [
    { body: large },
    { custom_id: 'c1', body: large },
    { params: prompt('hello'), body: large },
  ])
    for (const when of [
      'request.max_tokens > 8000',
      '"erase" in request.tools',
      'request.messages.exists(m, m.role == "user" && m.text == "launch code")',
    ])
      assert.ok(
        holds(when, requestOf({ model: 'm', endpoint: '/v1/chat/completions', requests: [entry] })),
        when,
      );
});

test('in an entry of a batch without messages, a member for messages does not hide other text', () => {
  const says = 'request.text.contains("launch code")';
  const batch = (body: JsonObject) => requestOf({ model: 'm', requests: [{ body }] });
  assert.ok(holds(says, batch({ prompt: '', suffix: 'launch code' })));
  assert.ok(holds(says, batch({ prompt: 'Hi', query: 'launch code' })));
  assert.ok(!holds(says, batch(prompt('Hi', { tools: [{ description: 'launch code' }] }))));
});

test('a prompt that names another model than the body around it is evaluated with both', () => {
  const batch = requestOf(
    { model: 'up/outer', requests: [{ body: prompt('hello') }] },
    { model: 'up/outer' },
  );
  const session = requestOf({ model: 'up/outer', session: prompt('hello') }, { model: 'up/outer' });
  for (const request of [batch, session])
    for (const model of ['up/outer', 'up/small'])
      assert.ok(holds(`request.model == "${model}" && request.text == "hello"`, request), model);
});

test('a policy allows a batch only if its condition is true for all prompts', () => {
  const allows = (request: PolicyRequest) =>
    judged(
      [
        { name: 'small', on: 'request', when: 'request.model == "up/small"', action: 'allow' },
        { name: 'nothing', on: 'request', when: 'true', action: 'deny' },
      ],
      request,
    ).deniedBy === null;
  assert.ok(allows(batchOf(prompt('one'), prompt('two'))));
  assert.ok(!allows(batchOf(prompt('one'), prompt('two', { model: 'up/large' }))));
});

test('a prompt next to a batch hides nothing, and a session of the Realtime API is a prompt', () => {
  const says = 'request.text.contains("launch code")';
  const batch = { requests: [{ params: prompt('launch code') }] };
  assert.ok(holds(says, requestOf({ ...batch, ...prompt('hello') })));
  assert.ok(
    holds(
      says,
      requestOf({ ...batch, ...prompt('hello', { requests: [] }), session: prompt('launch code') }),
    ),
  );
  const tools = [{ type: 'function', name: 'erase' }];
  const session = requestOf({ session: { type: 'realtime', instructions: 'launch code', tools } });
  assert.ok(holds(`${says} && request.system != "" && "erase" in request.tools`, session));
});

test('a batch has steps for each of its prompts, up to a hundred', () => {
  const rule = { name: 'code', on: 'request', when: 'request.text.contains("launch code")', action: 'deny' };
  const policies = [rule, { ...rule, name: 'other', when: 'request.text.contains("other code")' }];
  const prompts = Array.from({ length: 40_000 }, () => prompt('hello'));
  assert.equal(judged(policies, batchOf(...prompts)).deniedBy, null);
  assert.equal(judged(policies, batchOf(...prompts, prompt('other code'))).deniedBy?.name, 'other');
  // 750,000 steps, but a search without a first match is fast.
  const when = `request.text.contains("${'b'.repeat(3_000)}")`;
  const slow = (count: number) =>
    holds(when, batchOf(...Array.from({ length: count }, () => prompt('a'.repeat(128_000)))));
  assert.ok(!slow(20));
  assert.ok(slow(140));
});

test('no member of a body hides the text of another, and a member without a prompt is not an additional prompt', () => {
  const rerank = { model: 'up/m', query: 'launch code', documents: ['x'] };
  const empty = { params: prompt('hello', { messages: [] }) };
  for (const body of [
    { ...rerank, session: {} },
    { ...rerank, session: { id: 'x' } },
    { ...rerank, session: { instructions: 'hello' } },
    { contents: [{ parts: [{ text: 'launch code' }] }], session: {} },
    { query: 'launch code', requests: [{ params: {} }] },
    { query: 'launch code', requests: [empty] },
    { requests: [empty, { request: { contents: 'launch code' } }] },
    { requests: [{ ...empty, request: { contents: 'launch code' } }] },
    { requests: [empty, 'launch code'] },
    { requests: [empty], session: 'launch code' },
    { requests: { first: { contents: 'launch code' } }, session: { type: 'realtime' } },
    { requests: [{ params: { contents: 'launch code' } }] },
  ])
    assert.ok(holds('request.text.contains("launch code")', requestOf(body)), JSON.stringify(body));
  for (const body of [
    prompt('hello', { session: { id: 'x' } }),
    prompt('hello', { session: {}, requests: [{ params: {} }] }),
    { requests: [{ custom_id: 'c0', params: prompt('hello') }], session: {} },
    { session: { instructions: 'hello', max_output_tokens: 10 }, expires_after: { anchor: 'created_at' } },
    { session: { type: 'realtime', max_output_tokens: 10 } },
  ])
    assert.ok(!holds('request.max_tokens == 0', requestOf(body)), JSON.stringify(body));
  assert.ok(holds('request.max_tokens > 8000', requestOf({ session: prompt('hello'), max_tokens: 9000 })));
});

test('the text of a body without messages is all text in it', () => {
  const says = 'request.text.contains("launch code") && request.messages.exists(m, m.role == "user")';
  for (const body of [
    { model: 'up/m', query: 'launch code', documents: ['x'] },
    { items: [{ type: 'message', role: 'user', content: 'launch code' }] },
    { thread: { messages: [{ role: 'user', content: 'launch code' }] } },
    { contents: [{ parts: [{ text: 'launch code' }] }] },
  ])
    assert.ok(holds(says, requestOf(body)), JSON.stringify(body));
  assert.ok(holds('request.text == "" && request.messages.size() == 0', requestOf({ model: 'up/m' })));
});

test('outside of the APIs for messages, a member for messages does not hide other text', () => {
  const says = 'request.text.contains("launch code")';
  const hidden = { query: 'launch code', documents: ['x'], prompt: '' };
  for (const surface of ['rerank', 'other', 'images']) {
    assert.ok(holds(says, requestOf(hidden, { surface })), surface);
    assert.ok(holds(says, requestOf({ prompt: 'Hi', suffix: 'launch code' }, { surface })), surface);
    const thread = { messages: [{ role: 'user', content: 'launch code' }] };
    assert.ok(holds(says, requestOf({ instructions: 'Be brief.', thread }, { surface })), surface);
    assert.ok(
      holds('request.text == "Hi"', requestOf({ model: 'up/m', prompt: 'Hi' }, { surface })),
      surface,
    );
  }
  for (const surface of ['chat', 'responses', 'messages', 'embeddings'])
    assert.ok(
      !holds(says, requestOf(prompt('Hi', { tools: [{ description: 'launch code' }] }), { surface })),
    );
});

test('the text of a tool call contains all arguments, whatever their names', () => {
  const call = {
    type: 'tool_use',
    id: 'call_1',
    name: 'save',
    input: { status: 'secret', to: { id: 'deep' } },
  };
  const request = requestOf({ messages: [{ role: 'assistant', content: [call] }] });
  assert.ok(holds('request.text.contains("secret") && request.text.contains("deep")', request));
  assert.ok(!holds('request.text.contains("call_1")', request));
});
