import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  describeDryRunEffect,
  formatDryRunCounts,
  formatDryRunProgress,
  type PolicyDryRunSummary,
} from './dry-run-text.ts';

const RESULT: PolicyDryRunSummary = {
  from: '2026-11-14T00:00:00.000Z',
  to: '2026-11-21T00:00:00.000Z',
  timezone: 'UTC',
  evaluated: 4000,
  skipped: 88,
  matched: 12,
  denied: 10,
  redacted: 0,
  not_evaluated: 0,
  redacted_when_stored: 0,
  has_more: false,
  key_count: 1,
  keys: [],
  days: [],
  samples: [],
};

test('the effect of a policy is described with the count of its action', () => {
  assert.equal(describeDryRunEffect(RESULT, 'deny'), '10 requests from 1 key would have been denied.');
  assert.equal(describeDryRunEffect(RESULT, 'flag'), '12 requests from 1 key would have been flagged.');
  assert.match(
    describeDryRunEffect({ ...RESULT, matched: 0 }, 'deny'),
    /^No stored request would have matched \(4,000 checked\)/,
  );
  assert.match(describeDryRunEffect({ ...RESULT, evaluated: 0 }, 'deny'), /^No stored request bodies/);
});

test('the counts include requests that were skipped or left out', () => {
  assert.equal(
    formatDryRunCounts(RESULT),
    '4,000 checked · 12 matched (0.30%) · 1 key · 88 skipped: the body is truncated or not JSON, or policies do not apply to this API',
  );
  assert.match(
    formatDryRunCounts({ ...RESULT, redacted_when_stored: 3 }),
    / · 3 redacted when stored: detectors cannot find the redacted values$/,
  );
  assert.match(formatDryRunCounts({ ...RESULT, has_more: true }), /newest requests only$/);
});

test('progress is a percentage once the total is known', () => {
  assert.equal(formatDryRunProgress(0, null), 'Counting stored requests…');
  assert.equal(formatDryRunProgress(1260, 4000), '31% · 1,260 of 4,000');
});
