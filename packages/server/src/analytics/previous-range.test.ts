import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computePreviousRange } from './chart-grid.ts';

const range = (from: string, to: string) => ({ from: Date.parse(from), to: Date.parse(to) });

test('the previous range has the same length, and does not begin before the earliest valid time', () => {
  assert.deepEqual(
    computePreviousRange(range('2026-11-21T00:00:00Z', '2026-11-22T00:00:00Z'), 'UTC'),
    range('2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z'),
  );
  assert.deepEqual(
    computePreviousRange(range('0001-01-01T00:00:00Z', '2024-01-01T00:00:00Z'), 'UTC'),
    range('0000-01-01T00:00:00Z', '0001-01-01T00:00:00Z'),
  );
});
