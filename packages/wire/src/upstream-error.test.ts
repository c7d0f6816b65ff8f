import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createUpstreamErrorFault } from './upstream-error.ts';

describe('createUpstreamErrorFault', () => {
  const cases: readonly [string, unknown, string, number | undefined][] = [
    ['an error object', { error: { message: 'no', type: 't', code: null } }, 'no', undefined],
    ['a numeric code', { error: { message: 'slow down', code: 429 } }, 'slow down', 429],
    ['a status in words of digits', { error: { message: 'no', code: '503' } }, 'no', 503],
    [
      'a status beside a word',
      { error: { message: 'no', code: 'tool_use_failed', status_code: 400 } },
      'no',
      400,
    ],
    ['an error text', { code: 'Some requested entity was not found', error: 'gone' }, 'gone', undefined],
    ['a flat error', { object: 'error', message: 'no', type: 'invalid', code: 422 }, 'no', 422],
    ['an error in an array', [{ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }], 'busy', 503],
    ['a detail text', { detail: 'Unauthorized' }, 'Unauthorized', undefined],
    ['a detail list', { detail: [{ loc: ['body'], msg: 'field required' }] }, 'field required', undefined],
    [
      'a status message',
      { base_resp: { status_code: 1008, status_msg: 'no balance' } },
      'no balance',
      undefined,
    ],
    ['nothing readable', { error: {} }, 'The provider reported an error.', undefined],
  ];
  for (const [name, body, message, status] of cases)
    test(`reads ${name}`, () => {
      const fault = createUpstreamErrorFault(JSON.stringify(body));
      assert.deepEqual(
        [fault.code, fault.message, fault.detail.upstreamStatus],
        ['upstream_error', message, status],
      );
      assert.equal(fault.detail.upstreamBody, JSON.stringify(body));
    });

  test('keeps plain text', () =>
    assert.equal(createUpstreamErrorFault('upstream went away').message, 'upstream went away'));
});
