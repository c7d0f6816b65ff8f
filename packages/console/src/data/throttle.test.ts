import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runThrottled } from './throttle.ts';

/** Lets the promises that are settled continue. */
const settle = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

test('events during a slow refetch do not restart it, and one more refetch follows', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const answers: (() => void)[] = [];
  const refetch = () => new Promise<void>((resolve) => answers.push(resolve));
  for (let event = 0; event < 5; event += 1) {
    runThrottled('slow', refetch);
    t.mock.timers.tick(1_000);
    await settle();
  }
  assert.equal(answers.length, 1);
  answers[0]?.();
  await settle();
  t.mock.timers.tick(1_000);
  await settle();
  assert.equal(answers.length, 2, 'the events during the first refetch');
  answers[1]?.();
  await settle();
  t.mock.timers.tick(60_000);
  await settle();
  assert.equal(answers.length, 2, 'no event came during the second refetch');
});

test('a refetch that never ends does not prevent later ones', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let begun = 0;
  const hang = () => {
    begun += 1;
    return new Promise<never>(() => undefined);
  };
  runThrottled('hung', hang);
  t.mock.timers.tick(1_000);
  runThrottled('hung', hang);
  t.mock.timers.tick(30_000);
  await settle();
  t.mock.timers.tick(1_000);
  await settle();
  assert.equal(begun, 2);
});
