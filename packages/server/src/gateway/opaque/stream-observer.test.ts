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

test('a stream is complete when all requested choices have finished, and the number that is counted is limited', () => {
  const finish = (tap: StreamObserver, index: unknown) =>
    tap.push(
      Buffer.from(`data: ${JSON.stringify({ choices: [{ index, text: 'a', finish_reason: 'stop' }] })}\n\n`),
    );
  const two = new StreamObserver(2);
  for (const index of [0, 0, [7], { of: 7 }, null]) finish(two, index);
  assert.equal(two.isComplete, false);
  finish(two, 1);
  assert.equal(two.isComplete, true);
  const many = new StreamObserver(Number.MAX_SAFE_INTEGER);
  for (let index = 0; index < 10_000; index += 1) finish(many, index);
  assert.equal(many.isComplete, true);
});

test('an event that is not valid UTF-8 is content, and does not complete the stream', () => {
  const tap = new StreamObserver();
  assert.ok(
    tap.push(Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"\xe9"}}]}\n\n', 'latin1')),
  );
  assert.deepEqual([tap.hasContent, tap.isComplete], [true, false]);
  tap.push(Buffer.from('data: [DONE]\n\n'));
  assert.equal(tap.isComplete, true);
});

test('after an event that is too large, it is unknown whether the stream is complete', () => {
  const tap = new StreamObserver();
  const piece = Buffer.alloc(1024 * 1024, 'a');
  tap.push(Buffer.from('data: '));
  for (let count = 0; count < 17; count += 1) tap.push(piece);
  assert.equal(tap.push(Buffer.from('\n\ndata: [DONE]\n\n')), null);
  assert.deepEqual([tap.hasContent, tap.isComplete], [true, false]);
});

/** Observes a stream whose event has `head` and 17 MB of data. */
function observeLarge(head: string, ...ends: readonly string[]): StreamObserver {
  const tap = new StreamObserver();
  tap.push(Buffer.from('data: {"type":"response.output_text.delta","delta":"Hi"}\n\n'));
  tap.push(Buffer.from(head));
  const piece = Buffer.alloc(1024 * 1024, 'a');
  for (let count = 0; count < 17; count += 1) tap.push(piece);
  for (const end of ends) tap.push(Buffer.from(end));
  return tap;
}

test('a stream is complete after a last event that is too large to read', () => {
  const data = 'data: {"type":"response.completed","response":"';
  for (const head of [data, `event: response.completed\n${data}`])
    for (const ends of [['"}\n\n'], ['"}\r', '\n', '\r', '\n'], ['"}\n', '\n', 'data: [DONE]\n']]) {
      const tap = observeLarge(head, ...ends);
      assert.deepEqual([tap.isComplete, tap.hasError, tap.contentBytes], [true, false, 2], ends.join());
    }
  assert.equal(observeLarge(data, '"}\n').isComplete, false, 'without its blank line');
  const failed = observeLarge('data: {"type":"response.failed","response":"', '"}\n\n');
  assert.deepEqual([failed.isComplete, failed.hasError], [true, true]);
  const other = 'data: {"type":"response.output_item.done","item":{"type":"response.completed"';
  assert.equal(observeLarge(other, '}}\n\n').isComplete, false, 'not the last event');
});

test('the last event of a stream is read although it is not valid UTF-8', () => {
  const tap = new StreamObserver();
  const response = '{"id":"r","status":"completed","output":["\xe9"],"usage":{"output_tokens":7}}';
  tap.push(Buffer.from(`data: {"type":"response.completed","response":${response}}\n\n`, 'latin1'));
  const { isComplete, finishReason, responseId, usage } = tap;
  assert.deepEqual([isComplete, finishReason, responseId, usage?.units.output], [true, 'completed', 'r', 7]);
});
