import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { StreamObserver } from './stream-observer.ts';

function observe(finish: string | null): StreamObserver {
  const tap = new StreamObserver();
  const choice = { index: 0, delta: { content: 'a' }, finish_reason: finish };
  tap.push(Buffer.from(`data: ${JSON.stringify({ choices: [choice] })}\n\n`));
  return tap;
}

test('null as text is not the finish of a stream', () => {
  for (const finish of ['null', null]) {
    const tap = observe(finish);
    assert.deepEqual([tap.hasContent, tap.isComplete, tap.finishReason], [true, false, null]);
  }
  const tap = observe('stop');
  assert.deepEqual([tap.hasContent, tap.isComplete, tap.finishReason], [true, true, 'stop']);
});
