import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { parseSseFrames } from '@floe/testkit/http-client';
import { toClientFault } from '@floe/wire/upstream-fault';
import { formatResponsesFailure } from './responses-failure.ts';

function readFailure(fault: Fault) {
  return parseSseFrames(formatResponsesFailure(fault, null, '{"sequence_number":4}', 'exc_1')).map(
    ({ data }) => JSON.parse(data),
  );
}

test('a failed stream states that the prompt is too long with the code that agents check for', () => {
  const fault = toClientFault({
    kind: 'context',
    status: 400,
    message: 'Your input exceeds the context window.',
  });
  const [error, failed] = readFailure(fault);
  assert.equal(error.code, 'context_length_exceeded');
  assert.equal(error.error.code, 'context_length_exceeded');
  assert.equal(failed.response.error.code, 'context_length_exceeded');
  assert.deepEqual([error.sequence_number, failed.sequence_number], [5, 6]);
});

test('a failed stream states the type and the field of its error, as an error response does', () => {
  const fault = new Fault('invalid_request', '`input` is too deep.', { param: 'input' });
  const [error] = readFailure(fault);
  assert.equal(error.param, 'input');
  assert.deepEqual(error.error, {
    message: '`input` is too deep.',
    type: 'invalid_request_error',
    param: 'input',
    code: 'invalid_request',
  });
});
