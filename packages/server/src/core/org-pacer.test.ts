import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, nextEventLoopTurn } from '@floe/testkit/fake-clock';
import { OrgPacer, OrgQueueFullError } from './org-pacer.ts';

function createHarness() {
  const clock = new FakeClock();
  const pacer = new OrgPacer(clock, { maxWaiting: 5, pauseFactor: 4 });
  const ran: string[] = [];
  const run = (orgId: string, name: string, ms: number) =>
    pacer.run(orgId, () => {
      ran.push(name);
      clock.advance(ms);
      return name;
    });
  return { clock, pacer, ran, run };
}

test('the work of an organization uses at most a fifth of the time, and that of another one does not wait', async () => {
  const { clock, ran, run } = createHarness();
  assert.equal(await run('hostile', 'first', 100), 'first');
  const second = run('hostile', 'second', 100);
  await run('acme', 'other', 0);
  await nextEventLoopTurn();
  assert.deepEqual(ran, ['first', 'other']);
  clock.advance(399);
  await nextEventLoopTurn();
  assert.equal(ran.length, 2);
  clock.advance(1);
  assert.equal(await second, 'second');
});

test('an organization with too much waiting work gets an error, and can run work again after its pause', async () => {
  const { clock, run } = createHarness();
  await run('hostile', 'first', 100);
  const waiting = Array.from({ length: 5 }, (_, n) => run('hostile', `waiting ${n}`, 0));
  await assert.rejects(run('hostile', 'further', 0), OrgQueueFullError);
  clock.advance(400);
  await Promise.all(waiting);
  assert.equal(await run('hostile', 'later', 0), 'later');
});

test('an error of the work reaches its caller, and the next work runs', async () => {
  const { pacer, run } = createHarness();
  await assert.rejects(
    pacer.run('acme', () => Promise.reject(new Error('broken'))),
    /broken/,
  );
  assert.equal(await run('acme', 'next', 0), 'next');
});
