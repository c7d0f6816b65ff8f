import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { createTestOverloadManager } from '../test/test-overload-manager.ts';
import { createResponseBodyObserver } from './response-body-observer.ts';

const CAPACITY = await createTestOverloadManager(new FakeClock()).admit('acme', {});

function observeResults(...usages: readonly object[]) {
  const tap = createResponseBodyObserver(CAPACITY, 'application/jsonl', true);
  assert.ok(tap);
  for (const usage of usages)
    tap.push(Buffer.from(`${JSON.stringify({ response: { body: { model: 'm', usage } } })}\n`));
  return { usage: tap.usage(), byModel: tap.byModel };
}

test('an implausible count in one line of batch results is not counted, and the others are', () => {
  const { usage, byModel } = observeResults(
    { prompt_tokens: 7, completion_tokens: 3 },
    { prompt_tokens: 5e11, completion_tokens: 5e11 },
    { prompt_tokens: 5, completion_tokens: 2 },
  );
  assert.deepEqual(usage?.units, { input: 12, output: 5 });
  assert.deepEqual(byModel?.get('m')?.units, { input: 12, output: 5 });
});
