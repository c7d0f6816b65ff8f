import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import fc from 'fast-check';
import { formatSseFrame, parseSseFrame, type SseEvent, SseFramer } from './sse.ts';

const runs = process.env.FLOE_TEST_FULL === '1' ? 50_000 : 2_000;

/** The event stream interpretation of WHATWG HTML 9.2.6, over the whole text at once. */
function specEvents(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  let data: string[] = [];
  let event = '';
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  lines.pop();
  for (const line of lines) {
    if (line === '') {
      if (data.length > 0) events.push({ event: event === '' ? 'message' : event, data: data.join('\n') });
      data = [];
      event = '';
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    if (field === 'event') event = value;
  }
  return events;
}

interface Run {
  readonly frames: Buffer[];
  readonly bytes: Buffer;
  readonly rest: Buffer;
}

function runChunks(chunks: readonly Buffer[]): Run {
  const framer = new SseFramer();
  const frames: Buffer[] = [];
  const regions: Buffer[] = [];
  for (const chunk of chunks) {
    const { bytes, lead, ends } = framer.push(chunk);
    let from = lead;
    for (const end of ends) {
      frames.push(bytes.subarray(from, end));
      from = end;
    }
    assert.equal(from, bytes.length, 'a region holds whole frames only');
    regions.push(bytes);
  }
  return { frames, bytes: Buffer.concat(regions), rest: framer.rest() };
}

function events(run: Run): SseEvent[] {
  return run.frames.map(parseSseFrame).filter((event) => event !== undefined);
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

const line = fc.oneof(
  fc.constantFrom(
    '',
    '',
    'data: {"a":1}',
    'data:x',
    'data',
    'data:',
    'data:  y',
    ': comment',
    ':',
    'event: error',
    'event:',
    'id: 7',
    'retry: 5',
    'dataset: z',
    'event',
    '\ufeffdata: no',
  ),
  fc.string({ unit: fc.constantFrom('d', ':', ' ', 'é', '😀', '\u2028'), maxLength: 6 }),
);
const stream = fc
  .tuple(fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 12 }), fc.boolean(), line)
  .map(([lines, mark, tail]) => (mark ? '\ufeff' : '') + lines.map((pair) => pair.join('')).join('') + tail);

describe('SseFramer', () => {
  test('gives the events of the specification whatever the line ends and the cuts', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 6 }), (text, cuts) => {
        const bytes = Buffer.from(text);
        const whole = runChunks([bytes]);
        const single = runChunks(cutAt(bytes, [...bytes.keys()]));
        const random = runChunks(cutAt(bytes, cuts));
        for (const run of [whole, single, random]) {
          assert.deepEqual(events(run), specEvents(text));
          const kept = text.startsWith('\ufeff') ? bytes.subarray(3) : bytes;
          assert.deepEqual(Buffer.concat([run.bytes, run.rest]), kept);
        }
      }),
      { numRuns: runs },
    );
  });

  test('forwards the chunk itself when it holds whole frames', () => {
    const chunk = Buffer.from('data: 1\n\ndata: 2\n\n');
    const { bytes, ends } = new SseFramer().push(chunk);
    assert.equal(bytes.buffer, chunk.buffer);
    assert.equal(bytes.byteOffset, chunk.byteOffset);
    assert.deepEqual(ends, [9, 18]);
  });

  test('gives a frame that ends with a lone CR at once, and its late LF as no part of the next', () => {
    const framer = new SseFramer();
    assert.deepEqual(framer.push(Buffer.from('data: 1\r\n\r')).ends, [10]);
    const next = framer.push(Buffer.from('\ndata: 2\r\n\r\n'));
    assert.deepEqual([next.lead, next.ends], [1, [12]]);
    assert.equal(framer.rest().length, 0);
  });

  test('keeps what no blank line has ended', () => {
    const framer = new SseFramer();
    framer.push(Buffer.from('data: 1\n\ndata: 2\n'));
    assert.equal(framer.rest().toString(), 'data: 2\n');
  });

  test('frames ten megabytes that arrive in small chunks', () => {
    const frame = Buffer.from(`data: "${'x'.repeat(10 << 20)}"\n\n`);
    const framer = new SseFramer();
    let last: Buffer = Buffer.alloc(0);
    for (let at = 0; at < frame.length; at += 100) last = framer.push(frame.subarray(at, at + 100)).bytes;
    assert(last.equals(frame));
  });

  test('refuses a frame over its cap, finished or not, and lets many small ones pass it', () => {
    const tooLong = (error: unknown) => error instanceof Fault && error.code === 'upstream_error';
    assert.throws(() => new SseFramer(20).push(Buffer.from(`data: ${'x'.repeat(30)}`)), tooLong);
    assert.throws(() => new SseFramer(20).push(Buffer.from(`data: ${'x'.repeat(30)}\n\n`)), tooLong);
    const framer = new SseFramer(20);
    for (let count = 0; count < 10; count++) framer.push(Buffer.from('data: 1\n\ndata: 2\n\ndata: 3\n\n'));
  });

  test('does not slow down on hostile runs of line ends', () => {
    for (const hostile of ['\r'.repeat(1 << 18), 'data:\r'.repeat(1 << 16), 'data:\n'.repeat(1 << 16)]) {
      const run = runChunks([Buffer.from(`${hostile}\n\n`)]);
      assert.doesNotThrow(() => events(run));
    }
  });
});

describe('formatSseFrame', () => {
  test('writes what readFrame reads', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', ':', '\n', '😀'), maxLength: 12 });
    fc.assert(
      fc.property(fc.constantFrom(undefined, 'error', 'response.created'), text, (event, data) => {
        const frame = Buffer.from(formatSseFrame(event, data));
        assert.deepEqual(parseSseFrame(frame), { event: event ?? 'message', data });
      }),
    );
    assert.equal(formatSseFrame(undefined, 'a\r\nb\rc'), 'data: a\ndata: b\ndata: c\n\n');
  });
});
