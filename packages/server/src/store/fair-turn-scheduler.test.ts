import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { iterateForOrg, runForOrg, runForServer } from '../core/org-context.ts';
import { FairTurnScheduler, type TurnSchedulerLimits } from './fair-turn-scheduler.ts';
import { ManualClock } from './test/manual-clock.ts';

/** Asks for turns, and records the order in which they start. */
function createQueue(limits: TurnSchedulerLimits) {
  const clock = new ManualClock();
  const turns = new FairTurnScheduler(clock, limits);
  const started: string[] = [];
  const rejected: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (name: string, org?: string) => {
    const acquire = () =>
      void turns.acquire().then(
        (end) => {
          started.push(name);
          ends.push(end);
        },
        () => void rejected.push(name),
      );
    if (org === undefined) runForServer(acquire);
    else runForOrg(org, acquire);
  };
  /** Ends the turn that started first, after `ms`. */
  const endNext = async (ms = 0) => {
    clock.advance(ms);
    ends.shift()?.();
    await Promise.resolve();
  };
  return { clock, started, rejected, ask, endNext };
}

test('the organization whose turns have run for the shortest time is next', async () => {
  const { started, ask, endNext } = createQueue({ total: 1 });
  for (const n of [1, 2, 3]) ask(`slow${n}`, 'slow');
  for (const n of [1, 2, 3, 4]) ask(`quick${n}`, 'quick');
  await Promise.resolve();
  for (const ms of [100, 40, 40, 40, 100, 40]) await endNext(ms);
  assert.deepEqual(started, ['slow1', 'quick1', 'quick2', 'quick3', 'slow2', 'quick4', 'slow3']);
});

test('an organization does not gain from a pause', async () => {
  const { started, ask, endNext } = createQueue({ total: 1 });
  for (const n of [1, 2, 3, 4]) ask(`a${n}`, 'a');
  await Promise.resolve();
  await endNext(100);
  await endNext(100);
  for (const n of [1, 2, 3]) ask(`b${n}`, 'b');
  for (let n = 0; n < 4; n += 1) await endNext(100);
  assert.deepEqual(started, ['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'b3']);
});

test('organizations that ask for one turn after another do not keep out one that ran for longer', async () => {
  const { started, ask, endNext } = createQueue({ total: 1 });
  ask('slow', 'a');
  await Promise.resolve();
  for (let n = 0; n < 20; n += 1) ask('slow', 'a');
  ask('b', 'b');
  ask('c', 'c');
  await endNext(500);
  for (let n = 0; n < 300; n += 1) {
    const running = started.at(-1) ?? '';
    await endNext(running === 'slow' ? 500 : 10);
    if (running !== 'slow') ask(running, running);
  }
  const times = started.filter((name) => name === 'slow').length;
  assert.ok(times >= 3, `${times} slow turns in 300`);
});

test('short work of the server waits only for the turn that runs, however much an organization asks for', async () => {
  const { started, ask, endNext } = createQueue({ total: 1 });
  for (let n = 0; n < 200; n += 1) ask('chart', 'a');
  await Promise.resolve();
  for (let round = 0; round < 20; round += 1) {
    for (let n = 0; n < 10; n += 1) ask('server');
    await endNext(100);
    assert.deepEqual(started.slice(-1), ['server']);
    for (let n = 0; n < 10; n += 1) await endNext(1);
    assert.deepEqual(started.slice(-1), ['chart']);
  }
  assert.equal(started.filter((name) => name === 'server').length, 200);
});

test('long work of the server leaves half of the time to organizations', async () => {
  const { started, ask, endNext } = createQueue({ total: 1 });
  for (let n = 0; n < 50; n += 1) {
    ask('server');
    ask('a', 'a');
  }
  await Promise.resolve();
  for (let n = 0; n < 39; n += 1) await endNext(100);
  assert.equal(started.filter((name) => name === 'a').length, 20);
});

test('an organization uses no more turns than its limit, and leaves the others free', async () => {
  const { started, ask, endNext } = createQueue({ total: 4, perOrg: 2 });
  for (const n of [1, 2, 3]) ask(`a${n}`, 'a');
  await Promise.resolve();
  assert.deepEqual(started, ['a1', 'a2']);
  ask('b1', 'b');
  await Promise.resolve();
  assert.deepEqual(started, ['a1', 'a2', 'b1']);
  await endNext();
  assert.deepEqual(started, ['a1', 'a2', 'b1', 'a3']);
});

test('organizations leave one turn free for the server', async () => {
  const { started, ask } = createQueue({ total: 3, perOrg: 2 });
  for (const n of [1, 2, 3]) ask(`a${n}`, 'a');
  for (const n of [1, 2, 3]) ask(`b${n}`, 'b');
  await Promise.resolve();
  assert.deepEqual(started, ['a1', 'a2']);
  ask('server1');
  await Promise.resolve();
  assert.deepEqual(started, ['a1', 'a2', 'server1']);
});

test('a wait that is longer than its limit fails, and the turn is given to the next one', async () => {
  const { clock, started, rejected, ask, endNext } = createQueue({ total: 1, maxWaitMs: 5_000 });
  ask('a1', 'a');
  ask('a2', 'a');
  ask('server1');
  clock.advance(4_000);
  ask('b1', 'b');
  clock.advance(1_000);
  await Promise.resolve();
  assert.deepEqual(rejected, ['a2', 'server1']);
  await endNext();
  clock.advance(5_000);
  await Promise.resolve();
  assert.deepEqual(
    [started, rejected],
    [
      ['a1', 'b1'],
      ['a2', 'server1'],
    ],
  );
});

test('a turn that is ended twice frees one place', async () => {
  const turns = new FairTurnScheduler(new ManualClock(), { total: 1 });
  const end = await turns.acquire();
  const second = turns.acquire();
  end();
  end();
  await second;
  let isThirdStarted = false;
  void turns.acquire().then(() => {
    isThirdStarted = true;
  });
  await Promise.resolve();
  assert.equal(isThirdStarted, false);
});

test('with any order of calls, every turn starts once, in order per organization, and within the limits', async () => {
  const callers = fc.constantFrom(undefined, 'a', 'b', 'c');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(callers, fc.constant('end' as const)), { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 4 }),
      async (steps, total, perOrg) => {
        const { started, ask, endNext } = createQueue({ total, perOrg });
        const asked: string[] = [];
        let ended = 0;
        for (const [n, step] of steps.entries()) {
          if (step === 'end') {
            if (ended < started.length) {
              await endNext(7);
              ended += 1;
            }
          } else {
            ask(`${step}:${n}`, step);
            asked.push(`${step}:${n}`);
            await Promise.resolve();
          }
          assert.ok(started.length - ended <= total);
        }
        for (let n = 0; n < steps.length; n += 1) await endNext();
        assert.equal(started.length, asked.length);
        for (const caller of ['undefined', 'a', 'b', 'c']) {
          const own = (names: readonly string[]) => names.filter((name) => name.startsWith(`${caller}:`));
          assert.deepEqual(own(started), own(asked));
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('items are read for the organization, whoever consumes them', async () => {
  const turns = new FairTurnScheduler(new ManualClock(), { total: 2, perOrg: 1 });
  const held = await runForOrg('a', () => turns.acquire());
  let isClosed = false;
  async function* items() {
    try {
      const end = await turns.acquire();
      end();
      yield 'row';
    } finally {
      isClosed = true;
    }
  }
  const reader = iterateForOrg('a', items());
  const first = reader.next();
  const pending = Symbol('pending');
  assert.equal(
    await Promise.race([first, new Promise((resolve) => setImmediate(resolve, pending))]),
    pending,
  );
  held();
  assert.deepEqual(await first, { value: 'row', done: false });
  await reader.return(undefined);
  assert.ok(isClosed);
});
