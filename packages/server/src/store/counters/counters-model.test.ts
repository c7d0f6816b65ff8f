import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../test/manual-clock.ts';
import { leaseClaim, settlement, spendClaim, windowClaim } from './counters.suite.ts';
import { MemoryCounters } from './memory.ts';

/** Small and seeded: a failure names the seed that repeats it. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Entry {
  readonly id: string;
  readonly second: number;
  tokens: number;
  nano: number;
  open: boolean;
}

/** Everything that ever came in, looked at anew each time: slow, and too simple to be wrong. */
class Model {
  readonly entries: Entry[] = [];

  inWindow(second: number): readonly Entry[] {
    return this.entries.filter((entry) => entry.second > second - 61);
  }

  sum(second: number): { requests: number; tokens: number; going: number; nano: number } {
    const window = this.inWindow(second);
    return {
      requests: window.length,
      tokens: window.reduce((sum, { tokens }) => sum + tokens, 0),
      going: this.entries.filter(({ open }) => open).length,
      nano: this.entries.reduce((sum, { nano }) => sum + nano, 0),
    };
  }
}

const LIMITS = { requests: 20, tokens: 500, going: 6, nano: 40_000 };
const SEEDS = process.env['FLOE_TEST_FULL'] ? 300 : 25;
const STEPS = 400;

function play(seed: number): number {
  const roll = random(seed);
  const clock = new ManualClock();
  const counters = new MemoryCounters(clock);
  const model = new Model();
  const open = new Map<string, { entry: Entry; settle: (tokens: number, nano: number) => void }>();
  let refusals = 0;
  for (let step = 0; step < STEPS; step++) {
    const action = roll(10);
    if (action < 2) clock.advance(roll(9_000));
    else if (action < 5 && open.size > 0) {
      const [id, held] = [...open][roll(open.size)] ?? assert.fail();
      open.delete(id);
      const [tokens, nano] = [roll(150), roll(3_000)];
      held.settle(tokens, nano);
      Object.assign(held.entry, { tokens, nano, open: false });
    } else {
      const second = Math.floor(clock.monotonic() / 1000);
      const [tokens, nano] = [roll(120), roll(3_000)];
      const claims = [
        windowClaim('r', LIMITS.requests),
        windowClaim('t', LIMITS.tokens, tokens),
        leaseClaim('c', LIMITS.going),
        spendClaim('b', LIMITS.nano, nano),
      ];
      const id = `${seed}.${step}`;
      const before = model.sum(second);
      const fits =
        before.requests < LIMITS.requests &&
        before.tokens + tokens <= LIMITS.tokens &&
        before.going < LIMITS.going &&
        before.nano + nano <= LIMITS.nano;
      const taken = counters.take('org', id, claims);
      assert.equal(taken.refused === null, fits, `seed ${seed}, step ${step}: ${JSON.stringify(before)}`);
      if (fits) {
        const entry: Entry = { id, second, tokens, nano, open: true };
        model.entries.push(entry);
        open.set(id, {
          entry,
          settle: (actual, spent) =>
            counters.settle('org', settlement(id, taken, claims, [1, actual, 0, spent])),
        });
      } else refusals += 1;
      const after = model.sum(second);
      assert.deepEqual(
        taken.levels.map(({ used }) => used),
        [after.requests, after.tokens, after.going, after.nano],
        `seed ${seed}, step ${step}`,
      );
    }
  }
  return refusals;
}

test('whatever happens in whatever order, memory counts as the plain model does', (t) => {
  let refusals = 0;
  for (let seed = 1; seed <= SEEDS; seed++) refusals += play(seed);
  assert.ok(refusals > SEEDS, 'limits were met');
  t.diagnostic(`${SEEDS} runs of ${STEPS} steps, ${refusals} refusals`);
});
