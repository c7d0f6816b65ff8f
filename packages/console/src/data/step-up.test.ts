import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onStepUp, stepUp } from './step-up.ts';

test('requests that are refused at the same time share one question', async () => {
  let asked = 0;
  const answer = Promise.withResolvers<boolean>();
  const forget = onStepUp(() => {
    asked += 1;
    return answer.promise;
  });
  const both = [stepUp(), stepUp()];
  answer.resolve(true);
  assert.deepEqual(await Promise.all(both), [true, true]);
  assert.equal(asked, 1);
  await stepUp();
  assert.equal(asked, 2, 'a later refusal asks again');
  forget();
});

test('without anybody to ask, the refusal stands', async () => {
  assert.equal(await stepUp(), false);
});
