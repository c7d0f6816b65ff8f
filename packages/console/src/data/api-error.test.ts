import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, problemOf, readApiError } from './api-error.ts';

test('an error of the API keeps its words, its code, its field and its request id', () => {
  const body = { error: { message: 'No such role.', type: 'x', param: 'role', code: 'invalid_request' } };
  const error = readApiError(400, new Headers({ 'x-request-id': 'exc_1' }), JSON.stringify(body));
  assert.deepEqual(
    [error.message, error.code, error.param, error.requestId],
    ['No such role.', 'invalid_request', 'role', 'exc_1'],
  );
});

test('what a proxy answers is told as that, whatever its body', () => {
  for (const text of ['<html>502</html>', '', 'null', '[]', '{"error":null}', '{"error":"down"}']) {
    const error = readApiError(502, new Headers(), text);
    assert.equal(error.code, 'unreadable_answer', text);
    assert.match(error.message, /answered 502/);
  }
});

test('how long to wait is read from either header', () => {
  assert.equal(readApiError(429, new Headers({ 'retry-after': '2' }), '').retryAfterMs, 2000);
  assert.equal(
    readApiError(429, new Headers({ 'retry-after-ms': '1500', 'retry-after': '2' }), '').retryAfterMs,
    1500,
  );
  assert.equal(readApiError(429, new Headers({ 'retry-after': 'soon' }), '').retryAfterMs, null);
});

test('under its field a message does not repeat the name of the field', () => {
  const told = (message: string, param: string | null) =>
    problemOf(new ApiError({ status: 400, code: 'invalid_request', message, param }));
  assert.equal(told('rpm: must be a whole number', 'rpm'), 'Must be a whole number');
  assert.equal(told('targets[1].weight: must be positive', 'targets[1].weight'), 'Must be positive');
  assert.equal(told('The limit lim_1 has this name.', 'name'), 'The limit lim_1 has this name.');
  assert.equal(told('needs rpm: or tpm', null), 'Needs rpm: or tpm');
});
