import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, parseApiError, toApiError } from './api-error.ts';
import { getFieldErrorMessage } from './field-error-message.ts';

test('an error of the API keeps its words, its code, its field and its request id', () => {
  const body = { error: { message: 'No such role.', type: 'x', param: 'role', code: 'invalid_request' } };
  const error = parseApiError(400, new Headers({ 'x-request-id': 'exc_1' }), JSON.stringify(body));
  assert.deepEqual(
    [error.message, error.code, error.param, error.requestId],
    ['No such role.', 'invalid_request', 'role', 'exc_1'],
  );
});

test('what a proxy answers is told as that, whatever its body', () => {
  for (const text of ['<html>502</html>', '', 'null', '[]', '{"error":null}', '{"error":"down"}']) {
    const error = parseApiError(502, new Headers(), text);
    assert.equal(error.code, 'unreadable_answer', text);
    assert.match(error.message, /returned status 502/);
  }
});

test('how long to wait is read from either header', () => {
  assert.equal(parseApiError(429, new Headers({ 'retry-after': '2' }), '').retryAfterMs, 2000);
  assert.equal(
    parseApiError(429, new Headers({ 'retry-after-ms': '1500', 'retry-after': '2' }), '').retryAfterMs,
    1500,
  );
  assert.equal(parseApiError(429, new Headers({ 'retry-after': 'soon' }), '').retryAfterMs, null);
});

test('beside its field a message is a sentence that does not name the field again', () => {
  const said = (message: string, param: string | null) =>
    getFieldErrorMessage(new ApiError({ status: 400, code: 'invalid_request', message, param }));
  assert.equal(
    said('grace_period_minutes: must be at least 0', 'grace_period_minutes'),
    'Must be at least 0.',
  );
  assert.equal(
    said('channels[0]: this channel does not exist', 'channels[0]'),
    'This channel does not exist.',
  );
  assert.equal(said('The cursor is not one of ours.', 'cursor'), 'The cursor is not one of ours.');
  assert.equal(said('There is nothing to change.', null), 'There is nothing to change.');
});

test('what the browser itself refused is told in its own words', () => {
  const ours = new ApiError({ status: 409, code: 'conflict', message: 'It is there.' });
  assert.equal(toApiError(ours), ours);
  assert.equal(toApiError(null), null);
  assert.deepEqual(
    [new Error('No passkey was used.'), new Error()].map((error) => toApiError(error)?.message),
    ['No passkey was used.', 'An unexpected error occurred in the console. Reload the page.'],
  );
});
