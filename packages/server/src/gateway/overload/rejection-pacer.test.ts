import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, nextEventLoopTurn } from '@floe/testkit/fake-clock';
import { RejectionPacer } from './rejection-pacer.ts';

async function start(count: number, isReduced: boolean, sentAtOnce = 0) {
  const clock = new FakeClock();
  const pacer = new RejectionPacer(clock, () => isReduced);
  const sent: number[] = [];
  for (let n = 0; n < count; n++) {
    const connection = {};
    assert.equal(pacer.wait(connection), null);
    const repeated = pacer.wait(connection);
    if (repeated === null) sent.push(n);
    else void repeated.then(() => sent.push(n));
  }
  await nextEventLoopTurn();
  assert.equal(sent.length, sentAtOnce);
  return { clock, sent };
}

test('a rejection is sent immediately, unless its client does not wait before it retries', () => {
  const clock = new FakeClock();
  const pacer = new RejectionPacer(clock, () => true);
  const [one, other] = [{}, {}];
  assert.equal(pacer.wait(one), null);
  clock.advance(999);
  assert.equal(pacer.wait(other), null);
  assert.notEqual(pacer.wait(one), null);
  clock.advance(1_000);
  assert.equal(pacer.wait(one), null);
});

test('repeated rejections are sent after 10 ms if the event loop is not the bottleneck', async () => {
  const { clock, sent } = await start(1_500, false);
  await clock.advanceAsync(10);
  assert.equal(sent.length, 1_500);
  assert.deepEqual(clock.pending(), []);
});

test('while the event loop is the bottleneck, each batch has 2 repeated rejections per millisecond, oldest first', async () => {
  const { clock, sent } = await start(50, true);
  for (const count of [20, 40, 50]) {
    await clock.advanceAsync(10);
    assert.equal(sent.length, count);
  }
  assert.deepEqual(
    sent,
    [...sent].sort((one, other) => one - other),
  );
  assert.deepEqual(clock.pending(), []);
});

test('at most 2,000 rejections wait, and further ones are sent at once', async () => {
  const { clock, sent } = await start(2_500, false, 500);
  await clock.advanceAsync(10);
  assert.equal(sent.length, 2_500);
});
