import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, nextEventLoopTurn } from '@floe/testkit/fake-clock';
import { RejectionPacer } from './rejection-pacer.ts';

async function start(count: number, isReduced: boolean) {
  const clock = new FakeClock();
  const pacer = new RejectionPacer(clock, () => isReduced);
  const sent: number[] = [];
  for (let n = 0; n < count; n++) void pacer.wait().then(() => sent.push(n));
  await nextEventLoopTurn();
  assert.equal(sent.length, 0, 'nothing is sent at once');
  return { clock, sent };
}

test('all rejections are sent after 10 ms if the event loop is not the bottleneck', async () => {
  const { clock, sent } = await start(5_000, false);
  await clock.advanceAsync(10);
  assert.equal(sent.length, 5_000);
  assert.deepEqual(clock.pending(), []);
});

test('while the event loop is the bottleneck, each batch has 4 rejections per millisecond, oldest first', async () => {
  const { clock, sent } = await start(100, true);
  for (const count of [40, 80, 100]) {
    await clock.advanceAsync(10);
    assert.equal(sent.length, count);
  }
  assert.deepEqual(
    sent,
    [...sent].sort((one, other) => one - other),
  );
  assert.deepEqual(clock.pending(), []);
});
