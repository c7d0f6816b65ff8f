import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  describeUnenforcedRule,
  doRangesOverlap,
  getDecisionDisplay,
  isSameSimulationResult,
  splitCommandAtRanges,
} from './decision-display.ts';

test('a decision that is only observed is labelled with the decision it would enforce', () => {
  assert.deepEqual(getDecisionDisplay({ decision: 'abstain', enforced_decision: 'deny' }), {
    state: 'partial',
    word: 'Would be denied',
  });
  assert.equal(getDecisionDisplay({ decision: 'deny', enforced_decision: 'deny' }).word, 'Denied');
  assert.equal(getDecisionDisplay({ decision: 'abstain', enforced_decision: 'abstain' }).state, null);
});

test('an enforced decision is not described as “not blocked” when a stricter rule is not enforced', () => {
  const describe = describeUnenforcedRule;
  assert.match(describe({ decision: 'abstain', enforced_decision: 'deny' }) ?? '', /is not blocked/);
  assert.match(describe({ decision: 'ask', enforced_decision: 'deny' }) ?? '', /would deny this/);
  assert.match(describe({ decision: 'allow', enforced_decision: 'ask' }) ?? '', /would require approval/);
  assert.equal(describe({ decision: 'deny', enforced_decision: 'deny' }), null);
});

test('a command is cut at its marks and loses nothing', () => {
  const text = 'cd /tmp && git push -f';
  const hit = { start: 11, end: 22 };
  assert.deepEqual(splitCommandAtRanges(text, [hit], []), [
    { text: 'cd /tmp && ', mark: null },
    { text: 'git push -f', mark: 'hit' },
  ]);
  const mixed = splitCommandAtRanges(text, [hit], [{ start: 3, end: 13 }]);
  assert.equal(mixed.map((piece) => piece.text).join(''), text);
  assert.deepEqual(
    mixed.map(({ mark }) => mark),
    [null, 'unclear', 'hit'],
  );
});

test('places beyond a text that was shortened are left out', () => {
  assert.deepEqual(splitCommandAtRanges('git', [{ start: 10, end: 20 }], []), [{ text: 'git', mark: null }]);
  assert.deepEqual(splitCommandAtRanges('', [], []), []);
});

test('places touch when they share a character', () => {
  assert.equal(doRangesOverlap({ start: 0, end: 4 }, { start: 3, end: 9 }), true);
  assert.equal(doRangesOverlap({ start: 0, end: 4 }, { start: 4, end: 9 }), false);
});

test('a draft changes a result if it only changes whether the rule is enforced, or which rule decides', () => {
  const denied = { decision: 'deny', enforced_decision: 'deny', rule: 'no-force-push' } as const;
  assert.equal(isSameSimulationResult(denied, { ...denied }), true);
  assert.equal(isSameSimulationResult(denied, { ...denied, decision: 'abstain' }), false);
  assert.equal(isSameSimulationResult(denied, { ...denied, rule: 'no-git' }), false);
  assert.equal(isSameSimulationResult(denied, { ...denied, enforced_decision: 'ask' }), false);
});
