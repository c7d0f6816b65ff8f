import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsLine, type DryRunResult, effectSentence, progressText } from './dry-run-words.ts';

const RESULT: DryRunResult = {
  from: '2026-11-14T00:00:00.000Z',
  to: '2026-11-21T00:00:00.000Z',
  timezone: 'UTC',
  evaluated: 4000,
  skipped: 88,
  matched: 12,
  denied: 10,
  redacted: 0,
  not_evaluated: 0,
  has_more: false,
  key_count: 1,
  keys: [],
  days: [],
  samples: [],
};

test('what a rule would have done is told in numbers of what it does', () => {
  assert.equal(effectSentence(RESULT, 'deny'), '10 requests of 1 key would have been refused.');
  assert.equal(effectSentence(RESULT, 'flag'), '12 requests of 1 key would have been flagged.');
  assert.match(effectSentence({ ...RESULT, matched: 0 }, 'deny'), /^None of 4,000 kept requests/);
  assert.match(effectSentence({ ...RESULT, evaluated: 0 }, 'deny'), /^No body was kept/);
});

test('what could not be checked, and what was left out, is said', () => {
  assert.equal(countsLine(RESULT), '4,000 checked · 12 match (0.30%) · 1 key · 88 not checkable');
  assert.match(countsLine({ ...RESULT, has_more: true }), /there are more$/);
});

test('progress is told once it is known of how many', () => {
  assert.equal(progressText(0, null), 'Counting what was kept…');
  assert.equal(progressText(1260, 4000), '31% · 1,260 of 4,000');
});
