import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRequestFilters } from './request-filters.ts';

test('a status is a number, a class, a range, `error` or `*`, and no request has any other status', () => {
  const rangesOf = (value: string) => parseRequestFilters({ status: value }).status;
  assert.deepEqual(rangesOf('429'), { any: [{ from: 429, to: 429 }], none: [] });
  assert.deepEqual(rangesOf('!5xx'), { any: [], none: [{ from: 500, to: 599 }] });
  assert.deepEqual(rangesOf('400..404'), { any: [{ from: 400, to: 404 }], none: [] });
  assert.deepEqual(rangesOf('error')?.any.length, 2);
  assert.deepEqual(rangesOf('*'), { any: [{ from: 0, to: 999 }], none: [] });
  assert.deepEqual(rangesOf('!*'), { any: [], none: [{ from: 0, to: 999 }] });
  // PostgreSQL rejects a statement with NaN.
  for (const value of ['none', '=5xx', '2xx..', 'xx', '1.5', ''])
    for (const { from, to } of rangesOf(value)?.any ?? [])
      assert.ok(Number.isInteger(from) && Number.isInteger(to), `${value}: ${from} to ${to}`);
});
