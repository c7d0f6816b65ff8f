import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarizeReplay } from './replay-summary.ts';

const NONE = {
  evaluated: 40,
  skipped: 0,
  newly_denied: 0,
  newly_asked: 0,
  newly_allowed: 0,
  unchanged: 40,
};

test('a replay tells differences first, and says so when there are none', () => {
  const changed = { ...NONE, newly_denied: 18, newly_allowed: 2, unchanged: 20 };
  assert.equal(summarizeReplay(changed), '18 would be newly denied, 2 no longer stopped.');
  assert.equal(summarizeReplay(NONE), 'Nothing would have been answered otherwise.');
  assert.match(summarizeReplay({ ...NONE, evaluated: 0, unchanged: 0 }), /^Nothing to replay/);
  assert.match(summarizeReplay({ ...NONE, unchanged: 39 }), /allowed outright/);
});
