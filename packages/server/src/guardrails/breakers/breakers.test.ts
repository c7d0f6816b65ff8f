import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { InMemoryCounters } from '../../store/counters/in-memory-counters.ts';
import { Breakers, type BreakerTarget } from './breakers.ts';
import type { ProbeLeases } from './probe-leases.ts';
import { createMemoryProbeLeases } from './probe-leases.ts';
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
  ['a lease of its own', (clock: FakeClock) => createMemoryProbeLeases(clock)],
  ['the shared counters', (clock: FakeClock) => createSharedProbeLeases(new InMemoryCounters(clock), clock)],
] as const)
  test(`of a fleet one process probes by ${name}; when its probe is over another may`, () => {
    const clock = new FakeClock();
    const shared = make(clock);
    const all = processes(clock, () => shared);
    open(all);
    clock.advance(6000);
    assert.deepEqual(admissions(all), ['probe', 'probing', 'probing', 'probing']);
    all[0]?.recordSuccess('acme', TARGET, null, 'probe');
    assert.deepEqual(admissions(all.slice(1)), ['probe', 'probing', 'probing']);
  });

test('a probe whose process dies blocks the others for the length of its lease only', () => {
  const clock = new FakeClock();
  const shared = createMemoryProbeLeases(clock);
  const all = processes(clock, () => shared, 2);
  open(all);
  clock.advance(6000);
  assert.deepEqual(admissions(all), ['probe', 'probing']);
  clock.advance(29_000);
  assert.deepEqual(admissions(all.slice(1)), ['probing']);
  clock.advance(2_000);
  assert.deepEqual(admissions(all.slice(1)), ['probe']);
});

test('a lease that must be asked for over the network makes the request that asks the probe, however rare requests are', async () => {
  const clock = new FakeClock();
  const memory = createMemoryProbeLeases(clock);
  const remote: ProbeLeases = { ...memory, acquire: async (...args) => memory.acquire(...args) };
  const all = processes(clock, () => remote);
  open(all);
  clock.advance(600_000);
  const answered = await Promise.all([...admissions(all), ...admissions(all)]);
  assert.equal(answered.filter((admission) => admission === 'probe').length, 1, answered.join(', '));
  assert.deepEqual([...new Set(answered)].sort(), ['probe', 'probing']);
});

test('a silent probe keeps the lease for half a minute, not for as long as nobody ends it', () => {
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

test('an answer under panic while the lease is asked for is the probe: traffic returns', async () => {
  const clock = new FakeClock();
  const memory = createMemoryProbeLeases(clock);
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

test('mostly slow first tokens open a breaker, rare ones do not', () => {
  const clock = new FakeClock();
  const [breakers] = processes(clock, () => createMemoryProbeLeases(clock), 1);
  for (let n = 0; n < 12; n += 1) breakers?.recordSuccess('acme', TARGET, n % 3 === 0 ? 2000 : 10, 'go');
  assert.equal(breakers?.admit('acme', TARGET), 'go');
  for (let n = 0; n < 60; n += 1) breakers?.recordSuccess('acme', TARGET, 2000, 'go');
  assert.equal(breakers?.admit('acme', TARGET), 'open');
});

test('half of the calls failing opens a breaker that never fails twice in a row', () => {
  const clock = new FakeClock();
  const [breakers] = processes(clock, () => createMemoryProbeLeases(clock), 1);
  for (let n = 0; n < 6; n += 1) {
    breakers?.recordFailure('acme', TARGET, 'upstream_error', 'go');
    breakers?.recordSuccess('acme', TARGET, null, 'go');
  }
  assert.equal(breakers?.admit('acme', TARGET), 'open');
});

test('a breaker nobody asks for any more is forgotten', () => {
  const clock = new FakeClock();
  const all = processes(clock, () => createMemoryProbeLeases(clock), 1);
  open(all);
  assert.equal(all[0]?.list('acme')[0]?.state, 'open');
  assert.deepEqual(all[0]?.list('other'), []);
  clock.advance(901_000);
  assert.deepEqual(all[0]?.list('acme'), []);
  assert.equal(all[0]?.isEmpty, true);
});

test('a target that has been well for half a minute is forgotten', () => {
  const clock = new FakeClock();
  const [breakers] = processes(clock, () => createMemoryProbeLeases(clock), 1);
  breakers?.recordFailure('acme', TARGET, 'upstream_error', 'go');
  assert.equal(breakers?.isEmpty, false);
  clock.advance(31_000);
  breakers?.recordSuccess('acme', TARGET, null, 'go');
  assert.equal(breakers?.isEmpty, true);
});
