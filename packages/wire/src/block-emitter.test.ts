import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockEmitter } from './block-emitter.ts';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from './dialects.ts';

/** The code and the message of the error with which a response ends. */
function readError(dialect: keyof typeof UPSTREAM_DIALECTS, event: string, data: string) {
  const errors: (readonly [string, string])[] = [];
  const reader = UPSTREAM_DIALECTS[dialect].createResponseReader(
    (read) => {
      if (read.type === 'error') errors.push([read.fault.code, read.fault.message]);
    },
    { id: 'exc_1' },
  );
  reader.read({ event, data });
  reader.end();
  return errors;
}

for (const dialect of ['chat', 'responses', 'messages', 'gemini', 'converse', 'cohere'] as const)
  test(`an error in an array or in plain text is read as an error, in ${dialect}`, () => {
    assert.deepEqual(readError(dialect, 'message', '[{"error":{"code":429,"message":"slow down"}}]'), [
      ['upstream_rate_limited', 'slow down'],
    ]);
    assert.deepEqual(readError(dialect, 'error', 'the worker died'), [['upstream_error', 'the worker died']]);
    assert.deepEqual(readError(dialect, 'message', '{"cut'), [
      [
        'upstream_stream_broken',
        'The provider sent a stream event that is not a JSON object. Send the request again.',
      ],
    ]);
  });

/** The finish reason of a response with one call. */
function readFinish(pieces: readonly string[], freeform?: true, raw = 'tool_calls') {
  const reasons: string[] = [];
  const blocks = new BlockEmitter((event) => {
    if (event.type === 'finish') reasons.push(event.reason);
  });
  const call = blocks.open('tool', 'c1', 'f', freeform);
  for (const piece of pieces) blocks.delta(call, piece);
  blocks.close(call);
  blocks.finish(raw);
  return reasons.join();
}

test('a response is incomplete if the arguments of a call are cut off, whatever the provider states', () => {
  for (const cut of [['{"a"', ':1'], ['{"a":"}'], ['{'], [' {"a":{}']])
    assert.equal(readFinish(cut), 'length');
  assert.equal(readFinish(['{"a":1'], undefined, 'stop'), 'length');
  assert.equal(readFinish(['{"a":1'], undefined, 'content_filter'), 'refusal');
  for (const whole of [[], ['{}'], ['{"a":', '1} '], ['not JSON'], ['{a}']])
    assert.equal(readFinish(whole), 'tool');
  assert.equal(readFinish(['{"a":1'], true), 'tool');
});

test('a streamed call with cut off arguments does not look complete to any client', () => {
  const call = { index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1' } };
  const chunks = [
    { choices: [{ index: 0, delta: { tool_calls: [call] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ];
  const ends = {
    chat: '"finish_reason":"length"',
    responses: 'response.incomplete',
    messages: '"max_tokens"',
  };
  const tools = [{ type: 'function', function: { name: 'f' } }];
  const request = CLIENT_DIALECTS.chat.readRequest({
    model: 'm',
    messages: [{ role: 'user', content: 'U' }],
    tools,
  });
  for (const client of ['chat', 'responses', 'messages'] as const) {
    const writer = CLIENT_DIALECTS[client].createResponseWriter({
      ...{ request, id: 'X', requestId: 'r', createdS: 1, nowS: () => 2 },
    });
    let written = '';
    const reader = UPSTREAM_DIALECTS.chat.createResponseReader(
      (event) => {
        written += writer.write(event);
      },
      { id: 'exc_1' },
    );
    for (const chunk of chunks) reader.read({ event: 'message', data: JSON.stringify(chunk) });
    reader.read({ event: 'message', data: '[DONE]' });
    assert.ok(written.includes(ends[client]), written);
  }
});
