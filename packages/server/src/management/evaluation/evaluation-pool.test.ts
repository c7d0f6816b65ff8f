import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { relayEvent } from '@floe/contract/api/relay';
import type { PolicyConfig } from '@floe/contract/config';
import { RelaySchema } from '@floe/contract/config/relay';
import { Fault } from '@floe/contract/faults';
import { systemClock } from '../../core/clock.ts';
import { createEvaluationPool } from './evaluation-pool.ts';

const trials = createEvaluationPool(systemClock);
after(() => trials.close());

const POLICY: PolicyConfig = {
  name: 'mail',
  enabled: true,
  on: 'request',
  detect: { secrets: false, pii: ['email'] },
  action: 'deny',
  mode: 'monitor',
};
const sample = (content: string) => ({
  surface: 'chat' as const,
  request: { model: 'm', messages: [{ role: 'user', content }] },
  key: '',
  team: null,
  owner: null,
  end_user: null,
  metadata: null,
});
const samples = [sample('write to ana@example.org'), sample('hello')];

test('submitted rules are evaluated in a thread with the same result', async () => {
  const judged = await trials.run('acme', 'judgeSamples', { policies: [POLICY], samples });
  assert.deepEqual(
    judged.map(({ request }) => request.outcome),
    ['denied', 'passed'],
  );
});

test('an error of an evaluation reaches its caller with code, message and field', async () => {
  const policies = [{ ...POLICY, detect: undefined, when: 'nobody.knows' }];
  await assert.rejects(trials.run('acme', 'judgeSamples', { policies, samples }), (error) => {
    assert.ok(error instanceof Fault);
    assert.deepEqual([error.code, error.detail.param], ['invalid_request', 'policies[0].when']);
    return true;
  });
});

/** Takes seconds wherever it runs: many rules, each of whose patterns is looked for in a long text. */
function dearTrial() {
  const rules = Array.from({ length: 400 }, (_, n) => ({
    name: `rule-${n}`,
    on: 'prompt',
    match: { text: [`(?i)(?:[^${n}]{10}){10}x${n}`] },
    decision: 'ask',
  }));
  return {
    config: RelaySchema.parse({ rules }),
    areInUse: false,
    event: relayEvent.parse({
      event: 'prompt',
      agent: { name: 'a' },
      prompt: { text: 'ab'.repeat(5_000) },
    }),
    identity: { key: 'k', team: null, owner: null },
    nowMs: 0,
  };
}

test('an evaluation that takes too long ends with a typed error, and the next one succeeds', async () => {
  const alarm: { ring: (() => void) | null } = { ring: null };
  // Rings when the test says so: how fast the machine is does not matter.
  const clock = {
    after: (ms: number, callback: () => void) => {
      if (ms === 5) alarm.ring = callback;
      return { cancel: () => undefined };
    },
  };
  const short = createEvaluationPool(clock, { limitMs: 5 });
  const dear = short.run('acme', 'simulateEvent', dearTrial());
  const refused = assert.rejects(dear, (error) => {
    assert.ok(error instanceof Fault);
    assert.equal(error.code, 'evaluation_limit_exceeded');
    return true;
  });
  while (alarm.ring === null) await new Promise((resolve) => setImmediate(resolve));
  alarm.ring();
  await refused;
  const judged = await short.run('acme', 'judgeSamples', { policies: [POLICY], samples });
  assert.equal(judged.length, 2);
  await short.close();
});

test('an organization with queued evaluations cannot queue more, while others can', async () => {
  const one = { policies: [POLICY], samples };
  // With one thread, the order of the answers is the order of the turns.
  const single = createEvaluationPool(systemClock, { threads: 1 });
  const order: string[] = [];
  const ask = (org: string) =>
    single.run(org, 'judgeSamples', one).then(
      () => order.push(org),
      (error) => {
        assert.ok(error instanceof Fault);
        order.push(`${org} ${error.code}`);
      },
    );
  await Promise.all([...Array.from({ length: 15 }, () => ask('greedy')), ask('modest')]);
  assert.equal(order.filter((who) => who === 'greedy rate_limit_exceeded').length, 4);
  assert.equal(order.filter((who) => who === 'greedy').length, 11);
  assert.equal(order.filter((who) => !who.includes(' ')).indexOf('modest'), 2, order.join());
  await single.close();
});
