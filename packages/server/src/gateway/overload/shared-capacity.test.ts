import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SharedCapacity } from './shared-capacity.ts';

/** Takes 1 for the organization until it is refused, and returns how many it received. */
function takeAll(capacity: SharedCapacity, orgId: string): number {
  let taken = 0;
  while (capacity.tryTake(orgId, 1)) taken += 1;
  return taken;
}

test('the only organization of an installation may use everything', () => {
  assert.equal(takeAll(new SharedCapacity(100, () => 1), 'a'), 100);
});

test('an organization leaves a tenth to the others while it is the only one that is active', () => {
  const capacity = new SharedCapacity(100, () => 2);
  assert.equal(takeAll(capacity, 'a'), 90);
  assert.equal(takeAll(capacity, 'b'), 10);
});

test('capacity that becomes free goes to organizations below their share', () => {
  const capacity = new SharedCapacity(100, () => 3);
  const used = { a: takeAll(capacity, 'a'), b: takeAll(capacity, 'b') };
  assert.deepEqual(used, { a: 90, b: 10 });
  assert.equal(capacity.tryTake('c', 1), false, 'the maximum holds for a new organization too');
  // Exchanges of `a` end one after the other, and it wants each place back.
  while (used.a > 50) {
    capacity.release('a', 1);
    assert.equal(capacity.tryTake('a', 1), false);
    assert.ok(capacity.tryTake('b', 1));
    used.a -= 1;
    used.b += 1;
  }
  capacity.release('a', 1);
  assert.equal(capacity.tryTake('b', 1), false);
  assert.ok(capacity.tryTake('c', 1));
});

test('under a lowered limit, an organization below its share is served although another one exceeds it', () => {
  const capacity = new SharedCapacity(1_000, () => 2);
  takeAll(capacity, 'a');
  capacity.limit = 100;
  assert.equal(capacity.tryTake('a', 1), false);
  assert.equal(takeAll(capacity, 'b'), 50);
});

test('amounts of any size: never more than the maximum, and an organization below its share is served', () => {
  const orgs = ['a', 'b', 'c', 'd'] as const;
  const step = fc.record({
    org: fc.constantFrom(...orgs),
    amount: fc.integer({ min: 1, max: 40 }),
    limit: fc.integer({ min: 1, max: 100 }),
    releases: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.constantFrom(1, 2, 4), (steps, countOfOrgs) => {
      const capacity = new SharedCapacity(100, () => countOfOrgs);
      const held = new Map<string, number[]>();
      const usedBy = (org: string) => (held.get(org) ?? []).reduce((sum, each) => sum + each, 0);
      for (const { org, amount, limit, releases } of steps) {
        capacity.limit = limit;
        const amounts = held.get(org) ?? [];
        const oldest = releases ? amounts.shift() : undefined;
        if (oldest !== undefined) {
          capacity.release(org, oldest);
          continue;
        }
        const own = usedBy(org);
        const used = capacity.used;
        const active = Math.max(
          2,
          new Set([...held.keys()].filter((each) => usedBy(each) > 0)).add(org).size,
        );
        const isTaken = capacity.tryTake(org, amount);
        if (countOfOrgs > 1 && own + amount <= limit / active && used + amount <= 100)
          assert.ok(isTaken, `${own} + ${amount} of ${limit} for ${active} organizations was refused`);
        if (isTaken) held.set(org, [...amounts, amount]);
        assert.ok(capacity.used <= 100);
        assert.equal(
          capacity.used,
          orgs.reduce((sum, each) => sum + usedBy(each), 0),
        );
      }
    }),
  );
});
