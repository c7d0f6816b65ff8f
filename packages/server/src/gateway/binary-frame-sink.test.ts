import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { encodeEventStreamFrame } from '@floe/testkit/amazon-event-stream';
import { FakeClock } from '@floe/testkit/fake-clock';
import type { ResponseSink } from './attempt-plan.ts';
import { BinaryFrameSink } from './binary-frame-sink.ts';
import { createTestOverloadManager } from './test/test-overload-manager.ts';

const OVERLOAD = createTestOverloadManager(new FakeClock());
const CAPACITY = await OVERLOAD.admit('acme', {});

/** A sink that can be completed if it has received the event `messageStop`. */
function createSink(): ResponseSink & { isEnded: boolean } {
  let isFinished = false;
  return {
    hasContent: true,
    isContentSent: true,
    isComplete: false,
    isEnded: false,
    push(chunk) {
      isFinished ||= chunk.includes('messageStop');
      return true;
    },
    tryComplete() {
      this.isEnded = isFinished;
      return isFinished;
    },
    end() {
      this.isEnded = true;
    },
    abort: () => undefined,
    formatError: () => null,
  };
}

const frame = (type: string) =>
  encodeEventStreamFrame({ ':event-type': type, ':message-type': 'event' }, '{"stopReason":"end_turn"}');
const PARTIAL_FRAME = frame('metadata').subarray(0, 20);

test('a stream that breaks after its finish reason is complete, as for server-sent events', () => {
  for (const isMidFrame of [false, true]) {
    const inner = createSink();
    const sink = new BinaryFrameSink(CAPACITY, inner);
    sink.push(frame('messageStop'));
    if (isMidFrame) sink.push(PARTIAL_FRAME);
    assert.equal(sink.tryComplete(), true);
    assert.equal(inner.isEnded, true);
  }
});

test('a stream that is closed in the middle of a frame is complete only after its finish reason', () => {
  for (const [type, isComplete] of [
    ['messageStop', true],
    ['contentBlockDelta', false],
  ] as const) {
    const inner = createSink();
    const sink = new BinaryFrameSink(CAPACITY, inner);
    sink.push(Buffer.concat([frame(type), PARTIAL_FRAME]));
    if (isComplete) sink.end();
    else assert.throws(() => sink.end(), Fault);
    assert.equal(inner.isEnded, isComplete);
  }
});

test('an incomplete frame counts as memory until it is complete', () => {
  const sink = new BinaryFrameSink(CAPACITY, createSink());
  const large = encodeEventStreamFrame(
    { ':event-type': 'a', ':message-type': 'event' },
    'x'.repeat(1_000_000),
  );
  sink.push(large.subarray(0, 900_000));
  assert.equal(OVERLOAD.load.bodyBytes, 900_000);
  sink.push(large.subarray(900_000));
  assert.equal(OVERLOAD.load.bodyBytes, 0);
  sink.push(large.subarray(0, 900_000));
  sink.abort();
  assert.equal(OVERLOAD.load.bodyBytes, 0);
});
