import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { readRequest } from '../chat/read-request.ts';
import type { RequestWriteOptions } from '../dialect.ts';
import { readRequest as readResponsesRequest } from '../responses/read-request.ts';
import { packSeal } from '../seal.ts';
import { writeRequest } from './write-request.ts';

function write(body: JsonObject, options?: RequestWriteOptions): { body: JsonObject; dropped: string[] } {
  const { body: written, dropped } = writeRequest(readRequest({ model: 'm', ...body }), options);
  return { body: JSON.parse(JSON.stringify(written)), dropped: [...dropped] };
}

const user = { role: 'user', content: 'hi' };
const tool = { type: 'function', function: { name: 'f' } };

describe('Messages requests', () => {
  test('system goes to the top, a later one becomes a reminder in its place, or stays where allowed', () => {
    const messages = [{ role: 'system', content: 'A' }, user, { role: 'system', content: 'B' }];
    const { body } = write({ messages });
    assert.deepEqual(body['system'], [{ type: 'text', text: 'A' }]);
    assert.match(JSON.stringify(body['messages']), /<system-reminder>\\nB\\n<\/system-reminder>/);
    const kept = write({ messages }, { messages: ['system-in-place'] });
    assert.deepEqual(kept.body['messages'], [
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'system', content: [{ type: 'text', text: 'B' }] },
    ]);
  });

  test('a later system message keeps its cache breakpoint', () => {
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    const later = { role: 'system', content: [{ type: 'text', text: 'B', cache_control }] };
    const { body } = write({ messages: [user, later] });
    assert.match(JSON.stringify(body['messages']), /B\\n<\/system-reminder>","cache_control":\{[^}]*"1h"/);
  });

  test('text of only white space is dropped and reported', () => {
    const content = [
      { type: 'text', text: '\n' },
      { type: 'text', text: 'A' },
    ];
    const { body, dropped } = write({ messages: [{ role: 'user', content }] });
    assert.deepEqual(body['messages'], [{ role: 'user', content: [{ type: 'text', text: 'A' }] }]);
    assert.deepEqual(dropped, ['messages.content.clamped']);
  });

  test('max_tokens is always there', () => {
    assert.equal(write({ messages: [user] }).body['max_tokens'], 4_096);
    assert.equal(write({ messages: [user] }, { defaultMaxTokens: 64_000 }).body['max_tokens'], 64_000);
    assert.equal(write({ messages: [user], max_completion_tokens: 7 }).body['max_tokens'], 7);
  });

  test('thinking by budget fits below the limit and takes sampling out', () => {
    const { body, dropped } = write({
      messages: [user],
      max_tokens: 3_000,
      temperature: 0,
      reasoning_effort: 'high',
    });
    assert.deepEqual(body['thinking'], { type: 'enabled', budget_tokens: 2_400 });
    assert.equal(body['temperature'], undefined);
    assert.deepEqual(new Set(dropped), new Set(['temperature', 'reasoning.effort.clamped']));
    const free = write({ messages: [user], reasoning_effort: 'medium' }).body;
    assert.equal(free['max_tokens'], 8_192 + 4_096);
  });

  test('a limit too small for thinking, or a forced tool, leaves thinking out and says so', () => {
    assert.deepEqual(write({ messages: [user], max_tokens: 500, reasoning_effort: 'low' }).dropped, [
      'reasoning',
    ]);
    const forced = write({
      messages: [user],
      tools: [tool],
      tool_choice: 'required',
      reasoning_effort: 'low',
    });
    assert.deepEqual([forced.body['thinking'], forced.dropped], [undefined, ['reasoning']]);
  });

  test('text of the user after a tool result does not end the tool loop', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } };
    const { body, dropped } = write({
      messages: [
        user,
        { role: 'assistant', content: 'One moment.', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
        { role: 'user', content: 'And?' },
      ],
      tools: [tool],
      reasoning_effort: 'low',
    });
    assert.deepEqual([body['thinking'], dropped], [undefined, ['reasoning']]);
  });

  test('within a tool loop, thinking is left out unless the target signed the last one', () => {
    const sealed = packSeal({ dialect: 'messages', value: 'c2ln' }, 'acme');
    const request = readResponsesRequest({
      model: 'm',
      input: [
        user,
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'T' }], encrypted_content: sealed },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'R' },
      ],
      reasoning: { effort: 'high' },
    });
    const own = writeRequest(request, { sealOrigin: 'acme' });
    assert.deepEqual(own.body['thinking'], { type: 'enabled', budget_tokens: 16_384 });
    const foreign = writeRequest(request, { sealOrigin: 'globex' });
    assert.equal(foreign.body['thinking'], undefined);
    assert.deepEqual([...foreign.dropped].sort(), ['reasoning', 'reasoning.seal']);
  });

  test('adaptive thinking takes an effort the model lists', () => {
    const { body, dropped } = write(
      { messages: [user], reasoning_effort: 'xhigh' },
      { reasoningStyle: 'adaptive', efforts: ['low', 'medium', 'high'] },
    );
    assert.deepEqual(body['thinking'], { type: 'adaptive', display: 'summarized' });
    assert.deepEqual(body['output_config'], { effort: 'high' });
    assert.deepEqual(dropped, ['reasoning.effort']);
  });

  test('a temperature above one is moved to one and reported', () => {
    const { body, dropped } = write({
      messages: [user],
      temperature: 1.7,
      presence_penalty: 1,
      logit_bias: { 1: 2 },
    });
    assert.equal(body['temperature'], 1);
    assert.deepEqual(dropped, ['presence_penalty', 'temperature.clamped']);
  });

  test('tool choice and parallel calls in this dialect’s words', () => {
    const choice = (tool_choice: string | JsonObject, rest: JsonObject = {}) =>
      write({ messages: [user], tools: [tool], tool_choice, ...rest }).body['tool_choice'];
    assert.deepEqual(choice('required'), { type: 'any' });
    assert.deepEqual(choice('none'), { type: 'none' });
    assert.deepEqual(choice({ type: 'function', function: { name: 'f' } }), { type: 'tool', name: 'f' });
    assert.deepEqual(choice('auto', { parallel_tool_calls: false }), {
      type: 'auto',
      disable_parallel_tool_use: true,
    });
  });

  test('JSON mode becomes an instruction, and is reported', () => {
    const { body, dropped } = write({ messages: [user], response_format: { type: 'json_object' } });
    assert.match(JSON.stringify(body['system']), /one JSON object/);
    assert.deepEqual(dropped, ['response_format']);
  });

  test('definition quirks: refusals, renames, clamps and stop counts', () => {
    const { body, dropped } = write(
      { messages: [user], top_p: 0.5, top_k: 7, temperature: 0.1, stop: ['a', 'b', 'c'] },
      {
        rejectedFields: ['top_p'],
        renames: { top_k: 'k' },
        clamps: { temperature: { min: 0.2 } },
        maxStopSequences: 2,
      },
    );
    assert.deepEqual(
      [body['top_p'], body['k'], body['temperature'], body['stop_sequences']],
      [undefined, 7, 0.2, ['a', 'b']],
    );
    assert.deepEqual(dropped.sort(), ['stop_sequences.clamped', 'temperature.clamped', 'top_p']);
  });

  test('call ids that the dialect refuses are replaced, the same for call and result', () => {
    const id = 'functions.f:0';
    const { body } = write({
      messages: [
        user,
        {
          role: 'assistant',
          tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: id, content: 'ok' },
      ],
    });
    const ids = [...JSON.stringify(body).matchAll(/"(?:id|tool_use_id)":"([^"]+)"/g)].map(
      ([, found]) => found,
    );
    assert.equal(ids.length, 2);
    assert.equal(new Set(ids).size, 1);
    assert.match(ids[0] ?? '', /^[A-Za-z0-9_-]{1,64}$/);
  });
});
