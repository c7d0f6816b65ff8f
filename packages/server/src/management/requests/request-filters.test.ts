import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRequestFilters } from './request-filters.ts';

test('status filters select numbers, classes, ranges and errors, and other values select no request', () => {
  const rangesOf = (value: string) => parseRequestFilters({ status: value }).status;
  assert.deepEqual(rangesOf('429'), { any: [{ from: 429, to: 429 }], none: [] });
  assert.deepEqual(rangesOf('!5xx'), { any: [], none: [{ from: 500, to: 599 }] });
  assert.deepEqual(rangesOf('400..404'), { any: [{ from: 400, to: 404 }], none: [] });
  assert.deepEqual(rangesOf('error')?.any.length, 2);
  assert.deepEqual(rangesOf('*'), { any: [{ from: 0, to: 999 }], none: [] });
  assert.deepEqual(rangesOf('!*'), { any: [], none: [{ from: 0, to: 999 }] });
  // PostgreSQL rejects a statement with NaN.
  for (const value of ['none', '=5xx', '2xx..', 'xx', '1.5', '']) {
    const ranges = rangesOf(value)?.any ?? [];
    assert.equal(ranges.length, 1, value);
    for (const { from, to } of ranges) {
      assert.ok(Number.isInteger(from) && Number.isInteger(to), `${value}: ${from} to ${to}`);
      assert.ok(from > to || to < 100, `${value}: ${from} to ${to}`);
    }
  }
});
