import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../store/test/manual-clock.ts';
import { ConversationTargets } from './conversation-targets.ts';

test('the conversations of one organization do not displace those of another one', () => {
  const targets = new ConversationTargets(new ManualClock());
  targets.set('acme', 'c', 'p/m');
  for (let n = 0; n < 60_000; n += 1) targets.set('greedy', `c${n}`, 'p/m');
  assert.equal(targets.find('acme', 'c'), 'p/m');
  assert.equal(targets.find('greedy', 'c0'), undefined);
  targets.remove('acme', 'c', 'another');
  assert.equal(targets.find('acme', 'c'), 'p/m');
  targets.remove('acme', 'c', 'p/m');
  assert.equal(targets.find('acme', 'c'), undefined);
});
