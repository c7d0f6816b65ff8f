import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listCompletedSteps, type SetupGuideProgress } from './setup-guide-steps.ts';

const NOTHING: SetupGuideProgress = {
  requests: 0,
  succeeded: 0,
  providerKinds: ['sandbox'],
  clientRequests: 0,
  hasBeat: false,
  budgets: 0,
};

test('a request completes its step when any has succeeded, whatever the newest one did', () => {
  assert.deepEqual([...listCompletedSteps(NOTHING)], []);
  assert.deepEqual([...listCompletedSteps({ ...NOTHING, requests: 1 })], []);
  assert.deepEqual([...listCompletedSteps({ ...NOTHING, requests: 1, succeeded: 1 })], ['request']);
});
