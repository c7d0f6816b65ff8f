import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { readRequest as readChat } from './chat/read-request.ts';
import { UPSTREAM_DIALECTS } from './dialects.ts';
import { readRequest as readMessages } from './messages/read-request.ts';
import type { CanonicalRequest } from './request.ts';

const user = { role: 'user', content: 'hi' };
const chat = (messages: readonly JsonObject[]): CanonicalRequest => readChat({ model: 'm', messages });
const calls = (...ids: readonly string[]) => ({
  role: 'assistant',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });

/** The ids of all calls in order, and the text of each result by its id. */
function callsAndResults({ turns }: CanonicalRequest) {
  const parts = turns.flatMap((turn) => turn.parts);
  return {
    calls: parts.flatMap((part) => (part.type === 'call' ? [part.id] : [])),
    results: parts.flatMap((part) =>
      part.type === 'result'
        ? [[part.id, part.parts.map((inner) => (inner.type === 'text' ? inner.text : '')).join('')]]
        : [],
    ),
  };
}

test('calls of several turns with the same id get different ids, and keep their results', () => {
  const ask = chat([user, calls('a'), result('a', '1'), calls('a'), result('a', '2'), calls('a_2')]);
  assert.deepEqual(callsAndResults(ask), {
    calls: ['a', 'a_3', 'a_2'],
    results: [
      ['a', '1'],
      ['a_3', '2'],
    ],
  });
  assert.deepEqual(ask.dropped, []);
});

test('the calls of a function in the deprecated form get different ids', () => {
  const call = { role: 'assistant', function_call: { name: 'f', arguments: '{}' } };
  const answer = { role: 'function', name: 'f', content: 'R' };
  const ask = chat([user, call, answer, call, answer]);
  assert.deepEqual(callsAndResults(ask).calls, ['f', 'f_2']);
});

test('calls of one turn with the same id get the results with this id in order', () => {
  const ask = chat([user, calls('', ''), result('', '1'), result('', '2')]);
  assert.deepEqual(callsAndResults(ask), {
    calls: ['', '_2'],
    results: [
      ['', '1'],
      ['_2', '2'],
    ],
  });
  assert.deepEqual(ask.dropped, []);
});

test('a late result of a call whose id is used again gets the id of its call', () => {
  const ask = chat([user, calls('a'), result('a', '1'), calls('a'), user, calls('b'), result('a', '2')]);
  assert.deepEqual(callsAndResults(ask).results, [
    ['a', '1'],
    ['a_2', '2'],
    ['b', '[no result]'],
  ]);
});

test('a part that is in a message of another role moves to a turn of its own role', () => {
  const request = readMessages({
    model: 'm',
    messages: [
      user,
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'f', input: {} },
          { type: 'tool_result', tool_use_id: 'a', content: 'R' },
          { type: 'text', text: 'T' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'thinking', thinking: 'H' },
          { type: 'refusal', refusal: 'N' },
          { type: 'tool_use', id: 'b', name: 'f', input: {} },
        ],
      },
    ],
  });
  assert.deepEqual(
    request.turns.map(({ role, parts }) => [role, ...parts.map(({ type }) => type)]),
    [
      ['user', 'text'],
      ['assistant', 'call'],
      ['user', 'result'],
      ['assistant', 'text', 'reasoning'],
      ['user', 'text'],
      ['assistant', 'call'],
    ],
  );
  assert.deepEqual(callsAndResults(request).results, [['a', 'R']]);
});

test('an image of the assistant requires a target that accepts it', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const shown = (role: string): CanonicalRequest => chat([{ role, content: [image] }, user]);
  assert.equal(shown('assistant').requiredFeatures.get('assistant-media'), 'messages');
  assert.ok(!shown('user').requiredFeatures.has('assistant-media'));
  const accepting = Object.entries(UPSTREAM_DIALECTS).flatMap(([name, { supportedFeatures }]) =>
    supportedFeatures.has('assistant-media') ? [name] : [],
  );
  assert.deepEqual(accepting, ['gemini']);
});
