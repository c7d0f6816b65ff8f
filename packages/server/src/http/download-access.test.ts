import assert from 'node:assert/strict';
import { test } from 'node:test';
import { iterateWhileAllowed } from './download-access.ts';

test('a download checks the access of its client once in two seconds, not for each chunk', async () => {
  let now = 0;
  let checks = 0;
  async function* chunks() {
    for (; now < 10_000; now += 10) yield `${now}`;
  }
  const isAllowed = async () => {
    checks += 1;
    return now < 6_000;
  };
  const received: string[] = [];
  await assert.rejects(async () => {
    for await (const chunk of iterateWhileAllowed(chunks(), { now: () => now }, isAllowed))
      received.push(chunk);
  }, /lost access/);
  assert.deepEqual([received.length, received.at(-1), checks], [600, '5990', 3]);
});
