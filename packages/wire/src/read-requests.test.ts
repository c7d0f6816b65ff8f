import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import { readRequest as readChat } from './chat/read-request.ts';
import { readRequest as readMessages } from './messages/read-request.ts';
import type { CanonicalRequest } from './request.ts';
import { readRequest as readResponses } from './responses/read-request.ts';

const user = { role: 'user', content: 'hi' };
const chat = (body: JsonObject): CanonicalRequest => readChat({ model: 'm', messages: [user], ...body });
const responses = (input: Json, body: JsonObject = {}): CanonicalRequest =>
  readResponses({ model: 'm', input, ...body });
const messages = (list: Json, body: JsonObject = {}): CanonicalRequest =>
  readMessages({ model: 'm', max_tokens: 9, messages: list, ...body });
const refused = (read: () => unknown, code: string, param: string): void => {
  assert.throws(
    read,
    (error) => error instanceof Fault && error.code === code && error.detail.param === param,
  );
};
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('bodies that are no request', () => {
  test('each is refused by the name of its field', () => {
    refused(() => readChat({ messages: [user] }), 'missing_required_parameter', 'model');
    refused(() => chat({ messages: [] }), 'invalid_request', 'messages');
    refused(() => readChat({ model: 'm' }), 'missing_required_parameter', 'messages');
    refused(() => readChat({ model: 'm', input: 'hi' }), 'invalid_request', 'input');
    refused(
      () => chat({ messages: [{ role: 'wizard', content: 'x' }] }),
      'invalid_request',
      'messages[0].role',
    );
    refused(() => chat({ messages: [7] }), 'invalid_request', 'messages[0]');
    refused(() => chat({ temperature: 'hot' }), 'invalid_request', 'temperature');
    refused(() => responses([]), 'invalid_request', 'input');
    refused(() => readResponses({ model: 'm' }), 'missing_required_parameter', 'input');
    refused(() => messages([]), 'invalid_request', 'messages');
    refused(() => chat({ tools: [{ type: 'function', function: {} }] }), 'invalid_request', 'tools[0]');
    refused(
      () =>
        chat({
          tools: [{ type: 'function', function: { name: 'f' } }],
          tool_choice: { type: 'function', function: { name: 'g' } },
        }),
      'invalid_request',
      'tool_choice',
    );
  });
});

describe('system messages between the messages of the client', () => {
  const added = (tool: JsonObject) => ({ type: 'tool_addition', tool });
  const removed = (name: string) => ({ type: 'tool_removal', tool: { type: 'tool_reference', name } });
  const system = (...content: JsonObject[]) => ({ role: 'system', content });
  const tool = (name: string) => ({ name, input_schema: { type: 'object', properties: {} } });
  const names = (request: CanonicalRequest) => request.tools.map(({ name }) => name);

  test('the tools are those that are available at the end of the conversation', () => {
    const request = messages(
      [
        user,
        system({ type: 'text', text: 'News.' }, added({ type: 'tool_reference', name: 'b' }), removed('a')),
        { role: 'assistant', content: 'ok' },
        user,
        system(removed('b'), added({ type: 'tool_definition', definition: tool('c') }), removed('c')),
        system(added({ type: 'tool_reference', name: 'c' })),
      ],
      { tools: [tool('a'), tool('b'), tool('d')] },
    );
    assert.deepEqual(names(request), ['d', 'c']);
    assert.equal(request.requiredFeatures.size, 0);
    assert.deepEqual(
      request.turns.map(({ role }) => role),
      ['user', 'system', 'assistant', 'user'],
    );
  });

  test('tools of a server that the provider connects to stay with that provider', () => {
    const request = messages([user, system(added({ type: 'mcp_toolset_reference', server_name: 's' }))]);
    assert.equal(request.requiredFeatures.get('hosted-tool'), 'messages[1].content[0].tool');
  });

  test('what a tool change cannot express in another dialect is reported, and an invalid definition is rejected', () => {
    const request = messages(
      [
        user,
        system(
          { ...added({ type: 'tool_reference', name: 'a' }), cache_control: { type: 'ephemeral' } },
          added({ type: 'tool_reference', name: 'unknown' }),
        ),
        { role: 'system', content: 'Later.', clear_at: 'tomorrow' },
      ],
      { tools: [tool('a')] },
    );
    assert.deepEqual(request.dropped.toSorted(), [
      'messages.clear_at',
      'tool_change.cache_control',
      'tool_change.tool',
    ]);
    assert.throws(() => messages([user, system(added({ type: 'tool_definition' }))]), {
      detail: { param: 'messages[1].content[0].tool.definition' },
    });
  });

  test('text that is cleared at the next message of the user is not sent after that message', () => {
    const once = { role: 'system', content: 'Today only.', clear_at: 'next_user_message' };
    const request = messages([user, once, { role: 'assistant', content: 'ok' }, user, once]);
    assert.deepEqual(
      request.turns.map(({ role }) => role),
      ['user', 'assistant', 'user', 'system'],
    );
    assert.deepEqual(request.dropped, []);
  });
});

describe('needs and hints', () => {
  const needs: readonly [CanonicalRequest, string, string][] = [
    [chat({ n: 2 }), 'choices', 'n'],
    [chat({ logprobs: true }), 'logprobs', 'logprobs'],
    [chat({ modalities: ['text', 'audio'] }), 'audio-out', 'modalities'],
    [chat({ tools: [{ type: 'web_search' }] }), 'hosted-tool', 'tools[0]'],
    [
      chat({ messages: [{ role: 'user', content: [{ type: 'hologram' }] }] }),
      'unknown-content',
      'messages[0].content[0]',
    ],
    [
      chat({ messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f1' } }] }] }),
      'media-id',
      'messages[0].content[0]',
    ],
    [responses('hi', { previous_response_id: 'resp_1' }), 'stored-state', 'previous_response_id'],
    [responses('hi', { background: true }), 'background', 'background'],
    [messages([user], { mcp_servers: [{ name: 'x' }] }), 'hosted-tool', 'mcp_servers'],
    [
      messages([{ role: 'user', content: [{ type: 'container_upload', file_id: 'f' }] }]),
      'unknown-content',
      'messages[0].content[0]',
    ],
    [
      responses([user, { type: 'shell_call_output', call_id: 'c', output: [] }]),
      'unknown-content',
      'input[1]',
    ],
    [
      responses([user, { type: 'mcp_approval_response', approve: true, approval_request_id: 'a' }]),
      'unknown-content',
      'input[1]',
    ],
  ];
  for (const [ask, need, param] of needs)
    test(`${param} needs ${need}`, () =>
      assert.deepEqual(
        [...ask.requiredFeatures].find(([name]) => name === need),
        [need, param],
      ));

  test('hints nobody understands are listed by name, members that say nothing are not', () => {
    assert.deepEqual(chat({ logit_bias: { 1: 2 }, sparkle: true, empty: {}, none: null }).dropped, [
      'logit_bias',
      'sparkle',
    ]);
    assert.deepEqual(chat({ 'evil\r\nname': 1 }).dropped, ['evil__name']);
  });

  test('a hosted tool may be left out instead, and is listed', () => {
    const ask = readResponses(
      { model: 'm', input: 'hi', tools: [{ type: 'web_search' }] },
      { dropHostedTools: true },
    );
    assert.deepEqual([[...ask.requiredFeatures], ask.dropped], [[], ['tools.web_search']]);
  });
});

describe('tools of every shape', () => {
  const schema = { type: 'object', properties: { x: { type: 'string' } } };
  const forms: readonly [string, JsonObject][] = [
    ['nested', { type: 'function', function: { name: 'f', parameters: schema } }],
    ['flat', { type: 'function', name: 'f', parameters: schema }],
    ['bare input_schema', { name: 'f', input_schema: schema }],
    ['custom with input_schema', { type: 'custom', name: 'f', input_schema: schema }],
  ];
  for (const [name, tool] of forms)
    test(name, () =>
      assert.deepEqual(plain(chat({ tools: [tool] }).tools), [{ kind: 'function', name: 'f', schema }]),
    );

  test('freeform tools in both envelopes', () => {
    const grammar = { syntax: 'lark', definition: 'start: "x"' };
    const flat = { type: 'custom', name: 'p', format: { type: 'grammar', ...grammar } };
    const nested = { type: 'custom', custom: { name: 'p', format: { type: 'grammar', grammar } } };
    for (const tool of [flat, nested])
      assert.deepEqual(plain(chat({ tools: [tool] }).tools), [{ kind: 'freeform', name: 'p', grammar }]);
  });

  test('a namespace is flattened, and its calls find back', () => {
    const tools = [
      { type: 'namespace', name: 'ns', tools: [{ type: 'function', name: 'f', parameters: schema }] },
    ];
    const input = [
      user,
      { type: 'function_call', call_id: 'c', namespace: 'ns', name: 'f', arguments: '{}' },
    ];
    const ask = responses(input, { tools });
    assert.equal(ask.tools[0]?.name, 'ns__f');
    const [call] = ask.turns[1]?.parts ?? [];
    assert.ok(call?.type === 'call' && call.name === 'ns__f');
  });

  test('a freeform tool of a namespace is called by its full name', () => {
    const tools = [{ type: 'namespace', name: 'ns', tools: [{ type: 'custom', name: 'g' }] }];
    const call = { type: 'custom_tool_call', call_id: 'c', namespace: 'ns', name: 'g', input: 'I' };
    const read = responses([user, call], { tools });
    const [part] = read.turns[1]?.parts ?? [];
    assert.deepEqual([read.tools[0]?.name, read.tools[0]?.within], ['ns__g', { namespace: 'ns', name: 'g' }]);
    assert.ok(part?.type === 'call' && part.name === 'ns__g');
  });

  test('only tools of the request can be allowed', () => {
    const allow = (...names: string[]): JsonObject => ({
      tools: [{ name: 'f' }, { name: 'g' }],
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: names.map((name) => ({ name })) },
    });
    refused(() => responses([user], allow('h')), 'invalid_request', 'tool_choice');
    const read = responses([user], allow('f', 'h'));
    assert.deepEqual(read.toolChoice, { mode: 'required', allowed: ['f'] });
    assert.deepEqual(read.dropped, ['tool_choice.tools']);
  });

  test('a thinking budget above 2^53 is refused, as a token limit is', () => {
    const thinking = { type: 'enabled', budget_tokens: 2 ** 60 };
    refused(() => messages([user], { thinking }), 'invalid_request', 'budget_tokens');
  });

  test('a missing schema is the empty object, and no tools means no choice', () => {
    assert.deepEqual(plain(chat({ tools: [{ name: 'f' }] }).tools), [
      { kind: 'function', name: 'f', schema: { type: 'object', properties: {} } },
    ]);
    assert.equal(
      chat({ tools: [], tool_choice: 'required', parallel_tool_calls: true }).toolChoice,
      undefined,
    );
  });
});

describe('conversations', () => {
  test('instructions, system blocks and leading system messages are the prompt, in this order', () => {
    const ask = responses([{ role: 'developer', content: 'B' }, user, { role: 'system', content: 'C' }], {
      instructions: 'A',
    });
    assert.deepEqual(
      ask.system.map((part) => part.text),
      ['A', 'B'],
    );
    assert.equal(ask.turns.at(-1)?.role, 'system');
  });

  test('items of one assistant turn belong together, reasoning among them', () => {
    const ask = responses([
      user,
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'enc' },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: { x: 1 } },
      { type: 'function_call', call_id: 'b', name: 'f' },
      { type: 'function_call_output', call_id: 'b', output: 'B' },
      { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'A' }] },
    ]);
    assert.deepEqual(plain(ask.turns.slice(1)), [
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'hm', seal: { dialect: 'responses', value: 'enc' } },
          { type: 'call', id: 'a', name: 'f', input: '{"x":1}', freeform: false },
          { type: 'call', id: 'b', name: 'f', input: '{}', freeform: false },
        ],
      },
      {
        role: 'user',
        parts: [
          { type: 'result', id: 'a', parts: [{ type: 'text', text: 'A' }], isError: false },
          { type: 'result', id: 'b', parts: [{ type: 'text', text: 'B' }], isError: false },
        ],
      },
    ]);
  });

  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
  const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });

  test('a call without a result gets one, and it is reported', () => {
    const ask = chat({ messages: [user, { role: 'assistant', tool_calls: [call] }, user] });
    assert.deepEqual(ask.dropped, ['tool_result.missing']);
    assert.match(JSON.stringify(ask.turns), /\[no result\]/);
  });

  test('a result that comes turns later is put to its call', () => {
    const late = chat({
      messages: [
        user,
        { role: 'assistant', tool_calls: [call] },
        user,
        { role: 'assistant', content: 'Wait.' },
        result('a', 'late'),
      ],
    });
    assert.deepEqual(late.dropped, []);
    assert.deepEqual(plain(late.turns[2]), {
      role: 'user',
      parts: [
        {
          type: 'result',
          id: 'a',
          parts: [{ type: 'text', text: 'late' }],
          isError: false,
        },
      ],
    });
  });

  test('a result said twice counts once, and it is reported', () => {
    const messages = [
      user,
      { role: 'assistant', tool_calls: [call] },
      result('a', 'one'),
      result('a', 'two'),
    ];
    assert.deepEqual(chat({ messages }).dropped, ['tool_result.repeated']);
    const again = [...messages.slice(0, 3), { role: 'assistant', content: 'ok' }, result('a', 'two')];
    assert.deepEqual(chat({ messages: again }).dropped, ['tool_result.repeated']);
  });

  test('a result whose call is nowhere before it is refused, in every dialect', () => {
    const call_id = 'nobody';
    const asks: readonly (() => unknown)[] = [
      () => chat({ messages: [user, result(call_id, 'lost')] }),
      () => chat({ messages: [user, result('a', 'early'), { role: 'assistant', tool_calls: [call] }, user] }),
      () => responses([user, { type: 'function_call_output', call_id, output: 'lost' }]),
      () =>
        messages([
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: call_id, content: 'lost' }] },
        ]),
    ];
    for (const ask of asks)
      assert.throws(ask, (error) => {
        assert.ok(error instanceof Fault);
        assert.equal(error.status, 400);
        assert.match(String(error.detail.param), /^(messages|input)$/);
        return true;
      });
  });

  test('a function call of a freeform tool carries raw text', () => {
    const text = '*** Begin Patch\n';
    const ask = chat({
      tools: [{ type: 'custom', name: 'patch' }],
      messages: [
        user,
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'patch', arguments: text } }],
        },
      ],
    });
    const [part] = ask.turns[1]?.parts ?? [];
    assert.ok(part?.type === 'call' && part.freeform && part.input === text);
  });

  test('images of every dialect are one', () => {
    const forms: Json[] = [
      { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
      { type: 'input_image', image_url: 'data:image/png;base64,aGk=' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
    ];
    for (const form of forms) {
      const [part] = chat({ messages: [{ role: 'user', content: [form] }] }).turns[0]?.parts ?? [];
      assert.deepEqual(part?.type === 'media' && part.source, { data: 'aGk=', mime: 'image/png' });
    }
  });

  test('an agent’s billing line, which changes with every request, is not part of the prompt', () => {
    const ask = messages([user], {
      system: [
        { type: 'text', text: 'x-vendor-billing-header: a=1' },
        { type: 'text', text: 'S' },
      ],
    });
    assert.deepEqual(
      ask.system.map((part) => part.text),
      ['S'],
    );
  });
});

describe('reasoning in every dialect’s words', () => {
  const forms: readonly [string, CanonicalRequest, JsonObject | undefined][] = [
    ['effort', chat({ reasoning_effort: 'low' }), { effort: 'low' }],
    [
      'an object',
      responses('hi', { reasoning: { effort: 'high', summary: 'auto' } }),
      { effort: 'high', summary: 'auto' },
    ],
    ['an empty object', responses('hi', { reasoning: {} }), undefined],
    [
      'a budget',
      messages([user], { thinking: { type: 'enabled', budget_tokens: 2_000 } }),
      { budget: 2_000 },
    ],
    [
      'adaptive with effort',
      messages([user], { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }),
      { effort: 'max', adaptive: true },
    ],
    ['disabled', messages([user], { thinking: { type: 'disabled' } }), { effort: 'none' }],
  ];
  for (const [name, ask, expected] of forms)
    test(name, () => assert.deepEqual(ask.reasoning && plain(ask.reasoning), expected));
});
