import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, nextEventLoopTurn } from '@floe/testkit/fake-clock';
import { RejectionPacer } from './rejection-pacer.ts';

async function start(count: number, isReduced: boolean, sentAtOnce = 0) {
  const clock = new FakeClock();
  const pacer = new RejectionPacer(clock, () => isReduced);
  const sent: number[] = [];
  for (let n = 0; n < count; n++) void pacer.wait().then(() => sent.push(n));
  await nextEventLoopTurn();
  assert.equal(sent.length, sentAtOnce);
  return { clock, sent };
}

test('all rejections are sent after 10 ms if the event loop is not the bottleneck', async () => {
  const { clock, sent } = await start(1_500, false);
  await clock.advanceAsync(10);
  assert.equal(sent.length, 1_500);
  assert.deepEqual(clock.pending(), []);
});

test('while the event loop is the bottleneck, each batch has 2 rejections per millisecond, oldest first', async () => {
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
