import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { InMemoryCounters } from '../../store/counters/in-memory-counters.ts';
import { Breakers, type BreakerTarget } from './breakers.ts';
import type { ProbeLeases } from './probe-leases.ts';
import { createInMemoryProbeLeases } from './probe-leases.ts';
import { createSharedProbeLeases } from './shared-probe-leases.ts';

const TARGET: BreakerTarget = {
  provider: {
    id: 'p',
    breaker: {
      enabled: true,
      consecutiveFailures: 2,
      errorRate: 0.5,
      slowFirstTokenMs: 1000,
      openMs: 5000,
    },
  },
  credential: { name: 'c' },
  model: 'm',
};

function processes(clock: FakeClock, leases: () => ProbeLeases, count = 4): Breakers[] {
  const one = () => new Breakers({ clock, random: () => 0.5, leases: leases(), onChange: () => undefined });
  return Array.from({ length: count }, one);
}

function open(all: readonly Breakers[]): void {
  for (const breakers of all)
    for (let n = 0; n < 2; n += 1) breakers.recordFailure('acme', TARGET, 'upstream_error', 'go');
}

const admissions = (all: readonly Breakers[]) => all.map((breakers) => breakers.admit('acme', TARGET));

for (const [name, make] of [
  ['a lease of its own', (clock: FakeClock) => createInMemoryProbeLeases(clock)],
  ['the shared counters', (clock: FakeClock) => createSharedProbeLeases(new InMemoryCounters(clock), clock)],
] as const)
  test(`one process of several probes by ${name}; after its probe, another process can probe`, () => {
    const clock = new FakeClock();
    const shared = make(clock);
    const all = processes(clock, () => shared);
    open(all);
    clock.advance(6000);
    assert.deepEqual(admissions(all), ['probe', 'probing', 'probing', 'probing']);
    all[0]?.recordSuccess('acme', TARGET, null, 'probe');
    assert.deepEqual(admissions(all.slice(1)), ['probe', 'probing', 'probing']);
  });

test('a probe whose process ended blocks other processes only until its lease expires', () => {
  const clock = new FakeClock();
  const shared = createInMemoryProbeLeases(clock);
  const all = processes(clock, () => shared, 2);
  open(all);
  clock.advance(6000);
  assert.deepEqual(admissions(all), ['probe', 'probing']);
  clock.advance(29_000);
  assert.deepEqual(admissions(all.slice(1)), ['probing']);
  clock.advance(2_000);
  assert.deepEqual(admissions(all.slice(1)), ['probe']);
});

test('the request that requests the lease is the probe, even if requests are rare', async () => {
  const clock = new FakeClock();
  const memory = createInMemoryProbeLeases(clock);
  const remote: ProbeLeases = { ...memory, acquire: async (...args) => memory.acquire(...args) };
  const all = processes(clock, () => remote);
  open(all);
  clock.advance(600_000);
  const answered = await Promise.all([...admissions(all), ...admissions(all)]);
  assert.equal(answered.filter((admission) => admission === 'probe').length, 1, answered.join(', '));
  assert.deepEqual([...new Set(answered)].sort(), ['probe', 'probing']);
});

test('a silent probe has the lease for 30 seconds at most', () => {
  const clock = new FakeClock();
  const counters = new InMemoryCounters(clock);
  const all = processes(clock, () => createSharedProbeLeases(counters, clock), 2);
  open(all);
  clock.advance(6000);
  assert.deepEqual(admissions(all), ['probe', 'probing']);
  clock.advance(29_000);
  assert.deepEqual(admissions(all.slice(1)), ['probing']);
  clock.advance(2_000);
  assert.deepEqual(admissions(all.slice(1)), ['probe']);
});

test('a success while the lease is requested counts as the probe, and traffic returns', async () => {
  const clock = new FakeClock();
  const memory = createInMemoryProbeLeases(clock);
  const remote: ProbeLeases = { ...memory, acquire: async (...args) => memory.acquire(...args) };
  const all = processes(clock, () => remote, 2);
  const [one, other] = all;
  open(all);
  clock.advance(6000);
  const asking = one?.admit('acme', TARGET);
  one?.recordSuccess('acme', TARGET, null, 'probing');
  assert.notEqual(await asking, 'probe');
  assert.equal(one?.list('acme')[0]?.state, 'ramping');
  assert.equal(await other?.admit('acme', TARGET), 'probe', 'the lease was given back');
});

test('a majority of slow first tokens opens a breaker, and a minority does not', () => {
  const clock = new FakeClock();
  const [breakers] = processes(clock, () => createInMemoryProbeLeases(clock), 1);
  for (let n = 0; n < 12; n += 1) breakers?.recordSuccess('acme', TARGET, n % 3 === 0 ? 2000 : 10, 'go');
  assert.equal(breakers?.admit('acme', TARGET), 'go');
  for (let n = 0; n < 60; n += 1) breakers?.recordSuccess('acme', TARGET, 2000, 'go');
  assert.equal(breakers?.admit('acme', TARGET), 'open');
});

test('a breaker opens if half of the calls fail, even without two consecutive failures', () => {
  const clock = new FakeClock();
  const [breakers] = processes(clock, () => createInMemoryProbeLeases(clock), 1);
  for (let n = 0; n < 6; n += 1) {
    breakers?.recordFailure('acme', TARGET, 'upstream_error', 'go');
    breakers?.recordSuccess('acme', TARGET, null, 'go');
  }
  assert.equal(breakers?.admit('acme', TARGET), 'open');
});

test('an unused breaker is removed', () => {
  const clock = new FakeClock();
  const all = processes(clock, () => createInMemoryProbeLeases(clock), 1);
  open(all);
  assert.equal(all[0]?.list('acme')[0]?.state, 'open');
  assert.deepEqual(all[0]?.list('other'), []);
  clock.advance(901_000);
  assert.deepEqual(all[0]?.list('acme'), []);
  assert.equal(all[0]?.isEmpty, true);
});

test('a target without failures for 30 seconds is removed', () => {
  const clock = new FakeClock();
  const [breakers] = processes(clock, () => createInMemoryProbeLeases(clock), 1);
  breakers?.recordFailure('acme', TARGET, 'upstream_error', 'go');
  assert.equal(breakers?.isEmpty, false);
  clock.advance(31_000);
  breakers?.recordSuccess('acme', TARGET, null, 'go');
  assert.equal(breakers?.isEmpty, true);
});

test('many failing models of one organization do not evict the breakers of another one, or forced states', () => {
  const clock = new FakeClock();
  const [breakers] = processes(clock, () => createInMemoryProbeLeases(clock), 1);
  assert.ok(breakers);
  const until = clock.now() + 3_600_000;
  const forced = { orgId: 'hostile', provider: 'p', credential: 'c', model: 'forced' };
  breakers.setForcedStates([{ ...forced, state: 'open', until, reason: '', by: 'key_1' }]);
  open([breakers]);
  for (let n = 0; n < 10_100; n++)
    for (let failures = 0; failures < 2; failures++)
      breakers.recordFailure('hostile', { ...TARGET, model: `m${n}` }, 'upstream_error', 'go');
  assert.equal(breakers.allowsTraffic('acme', TARGET), false);
  assert.equal(breakers.allowsTraffic('hostile', { ...TARGET, model: 'forced' }), false);
  assert.ok(breakers.list().length <= 10_000);
});
