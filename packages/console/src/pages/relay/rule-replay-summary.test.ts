import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarizeRuleReplay } from './rule-replay-summary.ts';

const NONE = {
  evaluated: 40,
  skipped: 0,
  newly_denied: 0,
  newly_asked: 0,
  newly_allowed: 0,
  unchanged: 40,
};

test('a replay is summarized by its changes, or by the fact that there are none', () => {
  const changed = { ...NONE, newly_denied: 18, newly_allowed: 2, unchanged: 20 };
  assert.equal(summarizeRuleReplay(changed), 'Changes: 18 now denied, 2 no longer blocked.');
  assert.equal(summarizeRuleReplay(NONE), 'No decision would change.');
  assert.match(summarizeRuleReplay({ ...NONE, evaluated: 0, unchanged: 0 }), /^No decisions were recorded/);
  assert.match(summarizeRuleReplay({ ...NONE, unchanged: 39 }), /newly blocked or unblocked/);
});
