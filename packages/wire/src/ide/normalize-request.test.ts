import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { IDE_BODIES } from '../../test/ide-bodies.ts';
import { asObject, asObjects } from '../json-narrowing.ts';
import { describeBodyShape } from './body-shape.ts';
import { normalizeIdeRequest } from './normalize-request.ts';

const HI = { role: 'user', content: 'hi' };

function body(more: JsonObject): JsonObject {
  return { model: 'lab/m', ...more };
}

function messagesOf(more: JsonObject): Json {
  return normalizeIdeRequest(body(more)).body['messages'] ?? null;
}

function refusalOf(more: JsonObject): string {
  try {
    normalizeIdeRequest(body(more));
  } catch (error) {
    assert.ok(error instanceof Fault);
    return `${error.status} ${error.code} ${error.detail.param}`;
  }
  assert.fail('not refused');
}

describe('every known shape of an IDE', () => {
  for (const { name, body: shape } of IDE_BODIES)
    test(`${name} has one normal form, and its body is left as it was`, () => {
      const given = body(shape);
      const before = structuredClone(given);
      const once = normalizeIdeRequest(given);
      assert.deepEqual(given, before);
      assert.deepEqual(normalizeIdeRequest(once.body).body, once.body);
      assert.ok(!JSON.stringify(once.body).includes('"input_text"'));
    });
});

describe('the conversation', () => {
  const spellings: Readonly<Record<string, JsonObject>> = {
    'a text': { input: 'hi' },
    'an item without a type': { input: [HI] },
    'an item that is no list': { input: { type: 'message', ...HI } },
    'a bare part': { input: [{ type: 'input_text', text: 'hi' }] },
    'a bare string': { messages: ['hi'] },
    'a part of another dialect': {
      messages: [{ role: 'user', content: [{ type: 'output_text', text: 'hi' }] }],
    },
    'both, equal': { input: [HI], messages: [HI] },
    'empty input beside messages': { input: [], messages: [HI] },
  };
  for (const [name, spelling] of Object.entries(spellings))
    test(`${name} is one user message`, () => assert.deepEqual(messagesOf(spelling), [HI]));

  test('instructions, system and leading system messages stand first, in this order', () => {
    const [first, ...rest] = asObjects(
      messagesOf({
        instructions: 'A',
        system: [{ type: 'text', text: 'B', cache_control: { type: 'ephemeral' } }],
        messages: [{ role: 'developer', content: 'C' }, HI, { role: 'system', content: 'D' }, HI],
      }),
    );
    assert.deepEqual(
      asObjects(first?.['content']).map(({ text }) => text),
      ['A', 'B', 'C'],
    );
    assert.deepEqual(
      rest.map(({ role }) => role),
      ['user', 'system', 'user'],
    );
  });

  test('reasoning between two calls does not split their turn and goes no further', () => {
    const messages = asObjects(
      messagesOf({
        input: [
          HI,
          { role: 'assistant', content: 'Looking.' },
          { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'x' },
          { type: 'function_call', call_id: 'b', name: 'g', arguments: { x: 1 } },
          { type: 'function_call_output', call_id: 'a', output: '1' },
          { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: '2' }] },
        ],
      }),
    );
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['user', 'assistant', 'tool', 'tool'],
    );
    assert.equal(messages[1]?.['content'], 'Looking.');
    assert.deepEqual(
      asObjects(messages[1]?.['tool_calls']).map((call) => asObject(call['function'])?.['arguments']),
      ['{}', '{"x":1}'],
    );
  });

  test('a result whose call is gone is left out, and a call nobody answered gets a result', () => {
    const { body: normal, request } = normalizeIdeRequest(
      body({
        messages: [
          HI,
          { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] },
          { role: 'tool', tool_call_id: 'other', content: 'x' },
          HI,
        ],
      }),
    );
    assert.deepEqual(asObjects(normal['messages'])[2], {
      role: 'tool',
      tool_call_id: 'a',
      content: '[no result]',
    });
    assert.deepEqual(request.dropped, ['tool_result.orphan', 'tool_result.missing']);
  });

  test('calls of one turn that share an id share its result, however late it comes', () => {
    const call = { id: 'a', function: { name: 'f', arguments: '{}' } };
    const messages = [
      HI,
      { role: 'assistant', tool_calls: [call, call] },
      HI,
      { role: 'assistant', content: 'Wait.' },
      { role: 'tool', tool_call_id: 'a', content: 'found' },
    ];
    const { body: normal } = normalizeIdeRequest(body({ messages }));
    const results = asObjects(normal['messages']).filter(({ role }) => role === 'tool');
    assert.deepEqual(
      results.map(({ content }) => content),
      ['found', 'found'],
    );
    assert.deepEqual(normalizeIdeRequest(normal).body, normal);
  });

  test('calls without ids are answered by results without ids, in order', () => {
    const messages = asObjects(
      messagesOf({
        messages: [
          HI,
          {
            role: 'assistant',
            content: [
              { type: 'tool_use', name: 'f', input: {} },
              { type: 'tool_use', name: 'g' },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', content: '1' },
              { type: 'tool_result', content: '2' },
            ],
          },
        ],
      }),
    );
    const ids = asObjects(messages[1]?.['tool_calls']).map(({ id }) => id);
    assert.deepEqual(
      messages.slice(2).map(({ tool_call_id, content }) => [tool_call_id, content]),
      [
        [ids[0], '1'],
        [ids[1], '2'],
      ],
    );
  });

  test('a call of a tool declared freeform carries raw text, however the history wraps it', () => {
    const tools = [{ type: 'custom', name: 'Patch' }];
    const wraps: readonly JsonObject[] = [
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'Patch', arguments: '+x' } }],
      },
      { type: 'custom_tool_call', call_id: 'a', name: 'Patch', input: '+x' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Patch', input: { input: '+x' } }] },
    ];
    for (const wrap of wraps) {
      const [, call] = asObjects(messagesOf({ input: [HI, wrap], tools }));
      assert.deepEqual(call?.['tool_calls'], [
        { id: 'a', type: 'custom', custom: { name: 'Patch', input: '+x' } },
      ]);
    }
  });

  test('an unknown item is left out and reported, an unknown role is not guessed', () => {
    const { request } = normalizeIdeRequest(
      body({ input: [HI, { type: 'future_thing', x: 1 }, { type: 'item_reference', id: 'i' }] }),
    );
    assert.deepEqual(request.dropped, ['input[1]', 'input[2]']);
    assert.equal(
      refusalOf({ input: [{ role: 'robot', content: 'x' }] }),
      '400 invalid_request input[0].role',
    );
  });
});

describe('tools and settings', () => {
  test('four spellings of one function are one tool', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const spellings: readonly JsonObject[] = [
      { type: 'function', function: { name: 'f', parameters: schema } },
      { type: 'function', name: 'f', parameters: schema },
      { name: 'f', input_schema: schema },
      { type: 'custom', name: 'f', input_schema: schema },
    ];
    const forms = spellings.map(
      (tool) => normalizeIdeRequest(body({ messages: [HI], tools: [tool] })).body['tools'],
    );
    for (const form of forms) assert.deepEqual(form, [spellings[0]]);
  });

  test('a tool the provider would run is left out; a choice that names it is refused', () => {
    const hosted = { input: 'hi', tools: [{ type: 'web_search' }] };
    assert.deepEqual(normalizeIdeRequest(body(hosted)).request.dropped, ['tools.web_search']);
    assert.equal(normalizeIdeRequest(body(hosted)).body['tools'], undefined);
    assert.equal(
      refusalOf({ ...hosted, tool_choice: { type: 'web_search' } }),
      '400 invalid_request tool_choice',
    );
  });

  const choices: readonly (readonly [Json, Json | undefined])[] = [
    ['auto', 'auto'],
    [{ type: 'any' }, 'required'],
    [{ type: 'none' }, 'none'],
    [
      { type: 'tool', name: 'f' },
      { type: 'function', function: { name: 'f' } },
    ],
    [
      { type: 'function', name: 'f' },
      { type: 'function', function: { name: 'f' } },
    ],
    [
      { type: 'function', function: { name: 'p' } },
      { type: 'custom', custom: { name: 'p' } },
    ],
    [{ name: 'p' }, { type: 'custom', custom: { name: 'p' } }],
    [{}, undefined],
  ];
  for (const [given, wanted] of choices)
    test(`tool_choice ${JSON.stringify(given)}`, () => {
      const tools = [{ name: 'f' }, { type: 'custom', name: 'p' }];
      assert.deepEqual(
        normalizeIdeRequest(body({ input: 'hi', tools, tool_choice: given })).body['tool_choice'],
        wanted,
      );
    });

  test('the first token limit of the three counts', () => {
    const limits = { max_tokens: 1, max_completion_tokens: 2, max_output_tokens: 3 };
    assert.equal(normalizeIdeRequest(body({ input: 'hi', ...limits })).body['max_completion_tokens'], 3);
  });

  test('the conversation id of the metadata names the conversation, the account name never does', () => {
    const { body: normal } = normalizeIdeRequest(
      body({
        input: 'hi',
        user: 'account',
        metadata: { cursorConversationId: 'c1', cursorRequestId: 'r', team: 'x' },
      }),
    );
    assert.equal(normal['prompt_cache_key'], 'c1');
    assert.equal(normal['user'], 'account');
    assert.deepEqual(normal['metadata'], { team: 'x' });
  });

  test('members nobody knows are reported by name, and not too many of them', () => {
    const unknown = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`x${at}`, 'secret']));
    const { dropped } = normalizeIdeRequest(body({ input: 'hi', ...unknown })).request;
    assert.equal(dropped.length, 40);
    assert.ok(!dropped.join().includes('secret'));
  });

  const refused: readonly (readonly [JsonObject, string])[] = [
    [{}, 'missing_required_parameter messages'],
    [{ messages: [] }, 'missing_required_parameter messages'],
    [{ input: [{ role: 'user', content: ' ' }] }, 'missing_required_parameter input'],
    [{ messages: 'hi' }, 'invalid_request messages'],
    [{ input: 7 }, 'invalid_request input'],
    [{ input: 'hi', n: 2 }, 'unsupported_parameter n'],
    [{ input: 'hi', background: true }, 'unsupported_parameter background'],
    [{ input: 'hi', conversation: 'conv_1' }, 'unsupported_parameter conversation'],
    [{ input: 'hi', previous_response_id: 'resp_1' }, 'previous_response_not_found previous_response_id'],
    [{ input: 'hi', max_tokens: 0 }, 'invalid_request max_tokens'],
    [{ input: 'hi', temperature: 'hot' }, 'invalid_request temperature'],
    [{ input: 'hi', stream: 'yes' }, 'invalid_request stream'],
    [{ input: 'hi', tools: { a: 1 } }, 'invalid_request tools'],
    [{ input: 'hi', tools: [{ name: '' }] }, 'invalid_request tools'],
    [
      { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] },
      'unsupported_parameter input[0].content[0]',
    ],
    [{ input: [{ type: 'function_call', call_id: 'a', arguments: '{}' }] }, 'invalid_request input[0]'],
  ];
  for (const [given, wanted] of refused)
    test(`${JSON.stringify(given).slice(0, 70)} is refused`, () =>
      assert.equal(refusalOf(given), `400 ${wanted}`));

  test('an unknown previous answer is passed over when the body tells the whole history', () => {
    const history = { input: [{ role: 'system', content: 'S' }, HI], previous_response_id: 'resp_1' };
    assert.deepEqual(normalizeIdeRequest(body(history)).request.dropped, ['previous_response_id']);
  });
});

describe('the shape of a body', () => {
  test('has its keys, types and lengths, and no value', () => {
    const secret = 'Tr0ub4dor';
    const text = describeBodyShape({
      model: secret,
      stream: true,
      temperature: 0.25,
      [secret.repeat(9)]: secret,
      messages: [
        { role: 'user', content: [{ type: 'input_text', text: secret }] },
        { role: secret, content: [{ type: secret, text: secret }] },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: secret, name: secret, input: { [secret]: secret } }],
        },
      ],
      tools: [{ name: secret, input_schema: { type: 'object', properties: { [secret]: { type: secret } } } }],
    });
    assert.ok(!text.includes(secret) && !text.includes('0.25'), text);
    const shape: unknown = JSON.parse(text);
    assert.ok(isJsonObject(shape));
    assert.equal(shape['model'], 'string(9)');
    assert.equal(shape['temperature'], 'number');
    const [user] = asObjects(shape['messages'] ?? null);
    assert.deepEqual(user, { role: 'user', content: [{ type: 'input_text', text: 'string(9)' }] });
  });

  test('stays short however long the conversation is', () => {
    const messages = Array.from({ length: 5000 }, (_, at) => ({
      role: at % 2 ? 'user' : 'assistant',
      content: 'x'.repeat(at),
    }));
    assert.ok(describeBodyShape({ messages }).length < 17_000);
  });
});
