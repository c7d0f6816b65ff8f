import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from './dialects.ts';

const result = (content: string): JsonObject => ({ role: 'tool', tool_call_id: 'c', content });

/** Translates a conversation with one call per text. */
function translate(target: 'messages' | 'gemini' | 'converse', texts: readonly string[], content = 'R') {
  const call = (text: string) => ({ id: 'c', type: 'function', function: { name: 'f', arguments: text } });
  const calls = texts.flatMap((text) => [{ role: 'assistant', tool_calls: [call(text)] }, result(content)]);
  const request = CLIENT_DIALECTS.chat.readRequest({
    model: 'm',
    messages: [{ role: 'user', content: 'U' }, ...calls],
  });
  const { body, dropped } = UPSTREAM_DIALECTS[target].writeRequest(request);
  return { text: JSON.stringify(body), dropped };
}

const TARGETS = ['messages', 'gemini', 'converse'] as const;
const numbers = (count: number): string => `{"a":[${'1.10,'.repeat(count)}1]}`;

test('the arguments of all calls together have a maximum complexity', () => {
  for (const target of TARGETS) {
    assert.throws(() => translate(target, [numbers(40_000)]), { code: 'request_too_large' });
    assert.throws(() => translate(target, Array(4).fill(numbers(10_000))), { code: 'request_too_large' });
    assert.ok(translate(target, [numbers(10_000)]).text.includes('1.10,1.10'));
  }
  assert.throws(() => translate('gemini', ['{}'], `{"a":[${'{},'.repeat(200_000)}1]}`), {
    code: 'request_too_large',
  });
});

test('arguments with too many levels are sent as text and reported', () => {
  const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  for (const target of TARGETS) {
    const { text, dropped } = translate(target, [deep]);
    assert.ok(text.includes(JSON.stringify(deep)), target);
    assert.deepEqual([...dropped], ['tool_calls.arguments.malformed']);
  }
});

test('a response whose arguments are too complex is an error of the provider', () => {
  const call = { id: 'c', function: { name: 'f', arguments: numbers(40_000) } };
  const body = { choices: [{ message: { tool_calls: [call] }, finish_reason: 'tool_calls' }] };
  const answer = UPSTREAM_DIALECTS.chat.readCompleteResponse(body, { id: 'X' });
  const request = CLIENT_DIALECTS.messages.readRequest({
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'U' }],
  });
  const context = { request, id: 'X', requestId: 'r', createdS: 1, nowS: () => 2 };
  assert.throws(() => CLIENT_DIALECTS.messages.writeCompleteResponse(answer, context), {
    code: 'upstream_error',
  });
});

test('a stream event that is too complex ends the response with an error', () => {
  for (const [count, hasFault] of [
    [20_000, false],
    [40_000, true],
  ] as const) {
    const call = `{"name":"f","args":${numbers(count)},"input":${numbers(count / 2)}}`;
    for (const [dialect, event, data] of [
      ['gemini', 'message', `{"candidates":[{"content":{"parts":[{"functionCall":${call}}]}}]}`],
      ['messages', 'content_block_start', `{"type":"content_block_start","content_block":${call}}`],
      [
        'chat',
        'message',
        `{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":${call}}}]}}]}`,
      ],
    ] as const) {
      const types: string[] = [];
      const reader = UPSTREAM_DIALECTS[dialect].createResponseReader(({ type }) => types.push(type), {
        id: 'X',
      });
      reader.read({ event, data });
      assert.equal(types.includes('error'), hasFault, `${dialect} ${count}`);
    }
  }
});
