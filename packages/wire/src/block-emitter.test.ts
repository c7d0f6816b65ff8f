import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UPSTREAM_DIALECTS } from './dialects.ts';

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
        'The provider sent a stream event that is not JSON. Send the request again.',
      ],
    ]);
  });
