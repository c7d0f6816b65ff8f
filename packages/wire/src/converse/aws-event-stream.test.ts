import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, test } from 'node:test';
import { convertSseToEventStream, encodeEventStreamFrame } from '@floe/testkit/amazon-event-stream';
import { RECORDED_STREAMS } from '../../test/samples.ts';
import { accumulateResponse } from '../canonical-response.ts';
import type { ResponseEvent } from '../response-events.ts';
import { parseSseFrame, SseFramer } from '../sse.ts';
import { createErrorEventFault } from '../upstream-fault.ts';
import { AwsEventStreamTranscoder, isAwsEventStream } from './aws-event-stream.ts';
import { createResponseReader } from './response-reader.ts';

const streams = RECORDED_STREAMS.filter(({ dialect }) => dialect === 'converse');

interface Run {
  readonly sse: string;
  readonly broken: boolean;
  readonly rest: number;
}

/** Feeds the pieces and stops at the first fault, as the gateway does. */
function run(pieces: readonly Buffer[]): Run {
  const transcoder = new AwsEventStreamTranscoder();
  let sse = '';
  for (const piece of pieces) {
    const { sse: more, fault } = transcoder.push(piece);
    sse += more.toString('utf8');
    if (fault) return { sse, broken: true, rest: transcoder.rest };
  }
  return { sse, broken: false, rest: transcoder.rest };
}

function isFinished({ sse, broken, rest }: Run): boolean {
  if (broken || rest > 0) return false;
  const events: ResponseEvent[] = [];
  const reader = createResponseReader((event) => events.push(event), { id: 'X1' });
  const framer = new SseFramer();
  const { bytes, ends } = framer.push(Buffer.from(sse));
  ends.forEach((end, at) => {
    const frame = parseSseFrame(bytes.subarray(ends[at - 1] ?? 0, end));
    if (frame) reader.read(frame);
  });
  reader.end();
  return accumulateResponse(events).finish !== undefined;
}

describe('binary frames', () => {
  for (const { scenario, body, sse } of streams)
    test(`${scenario}: cut in two at every byte, it is the same stream`, () => {
      const whole = run([body]);
      assert.deepEqual([whole.broken, whole.rest], [false, 0]);
      if (!scenario.startsWith('error')) assert.equal(whole.sse, sse.toString('utf8'));
      for (let at = 1; at < body.length; at += 1)
        assert.deepEqual(run([body.subarray(0, at), body.subarray(at)]), whole);
      assert.deepEqual(run([...body].map((byte) => Buffer.from([byte]))), whole);
    });

  test('a stream that ends anywhere before its stop frame never looks finished', () => {
    for (const { body } of streams) {
      if (!isFinished(run([body]))) continue;
      let last = 0;
      for (let at = 0; at < body.length; at += body.readUInt32BE(at)) last = at;
      // Behind the stop frame only the count is missing.
      for (let at = 0; at < body.length; at += 1)
        if (isFinished(run([body.subarray(0, at)]))) assert.equal(at, last);
    }
  });

  test('a flipped bit anywhere is noticed, and nothing of its frame is passed on', () => {
    const { body } = streams.find(({ scenario }) => scenario === 'text') ?? assert.fail();
    const whole = run([body]).sse;
    for (let at = 0; at < body.length; at += 1)
      for (const bit of [0, 5]) {
        const flipped = Buffer.from(body);
        flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << bit), at);
        const { sse, broken, rest } = run([flipped]);
        assert.ok(broken || rest > 0, `byte ${at}, bit ${bit}`);
        assert.ok(whole.startsWith(sse) && sse.length < whole.length);
      }
  });

  test('what came whole before a damaged frame is passed on, however the bytes were cut', () => {
    const good = encodeEventStreamFrame(
      { ':event-type': 'messageStart', ':message-type': 'event' },
      '{"role":"x"}',
    );
    const bad = Buffer.from(good);
    bad.writeUInt8(0, bad.length - 1);
    const both = Buffer.concat([good, bad]);
    const expected = { sse: 'event: messageStart\ndata: {"role":"x"}\n\n', broken: true };
    for (let at = 1; at < both.length; at += 1) {
      const { sse, broken } = run([both.subarray(0, at), both.subarray(at)]);
      assert.deepEqual({ sse, broken }, expected);
    }
  });

  test('an absurd length is damage, not a reason to wait', () => {
    const frame = encodeEventStreamFrame({ ':message-type': 'event' }, '{}');
    frame.writeUInt32BE(0xffffffff, 0);
    assert.ok(run([frame]).broken);
  });

  test('exceptions and errors become error events that name status and words', () => {
    const exception = encodeEventStreamFrame(
      { ':exception-type': 'throttlingException', ':message-type': 'exception' },
      '{"message":"Too many tokens, please wait before trying again."}',
    );
    const error = encodeEventStreamFrame(
      { ':error-code': 'internalServerException', ':error-message': 'Gone', ':message-type': 'error' },
      '',
    );
    const told = run([exception, error]).sse;
    assert.match(told, /"type":"throttlingException","message":"Too many tokens.*","status":429/);
    assert.match(told, /"type":"internalServerException","message":"Gone","status":500/);
  });

  test('an error of the model within a stream is a failure of the provider, as over HTTP', () => {
    for (const type of [
      'modelStreamErrorException',
      'modelTimeoutException',
      'serviceUnavailableException',
    ]) {
      const headers = { ':exception-type': type, ':message-type': 'exception' };
      const { sse } = run([encodeEventStreamFrame(headers, '{"message":"Retry.","originalStatusCode":400}')]);
      const event = parseSseFrame(Buffer.from(sse)) ?? assert.fail();
      assert.equal(createErrorEventFault(event.data).code, 'upstream_error', type);
    }
  });

  test('a chunk is unwrapped to the event it carries, byte for byte', () => {
    const sse = 'event: ping\ndata: {"type":"ping","odd" :  "é\\u2028"}\n\n';
    assert.equal(run([convertSseToEventStream(sse, true)]).sse, sse);
  });

  test('headers of every type are stepped over', () => {
    const frame = encodeEventStreamFrame({ ':message-type': 'event', ':event-type': 'x', a: 'b' }, '{}');
    assert.match(run([frame]).sse, /^event: x\n/);
    assert.ok(isAwsEventStream('application/vnd.amazon.eventstream'));
    assert.ok(!isAwsEventStream('text/event-stream'));
  });
});
