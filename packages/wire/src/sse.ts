import { Buffer, isUtf8 } from 'node:buffer';
import { Fault } from '@floe/contract/faults';

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const DATA = Buffer.from('data');
const EVENT = Buffer.from('event');
const EMPTY = Buffer.alloc(0);
const MAX_FRAME_BYTES = 16 << 20;

/**
 * Complete frames in one contiguous region, which can be forwarded with one write. Frame `i` is the
 * range of `bytes` from `ends[i - 1]` (for the first frame: from `lead`) to `ends[i]`, including
 * its blank line.
 */
export interface SseFrames {
  readonly bytes: Buffer;
  /**
   * 1 if the region starts with the LF of a CRLF whose CR ended the previous chunk. It belongs to no frame.
   */
  readonly lead: number;
  readonly ends: readonly number[];
}

/** An event of a stream. `event` is `message` if the frame does not name one. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
}

/** The position of a frame's data. `bytes` is the frame, or a copy if the data has several lines. */
export interface SseFrameData {
  readonly event: string;
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * Splits a byte stream into server-sent event frames (WHATWG HTML, section 9.2.6). Lines end with
 * LF, CRLF or CR, and a blank line ends a frame. A byte order mark at the start is removed. The
 * result does not depend on how the stream is split into chunks, and the time is linear for chunks
 * of any size.
 */
export class SseFramer {
  readonly #maxFrameBytes: number;
  /**
   * The incomplete frame: the first `#held` bytes. A view of the last chunk, until another chunk extends it.
   */
  #store: Buffer = EMPTY;
  #held = 0;
  #lineEmpty = true;
  #afterCr = false;
  /** Bytes of the byte order mark read so far. 3 if it is complete or absent. */
  #mark = 0;

  constructor(maxFrameBytes: number = MAX_FRAME_BYTES) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /**
   * Takes the next chunk and returns the complete frames. They are a view of the chunk, unless the first frame
   * started in an earlier chunk. Do not change the chunk or the frames afterwards.
   * @throws Fault `upstream_error` if a frame is too large; the framer cannot be used after that
   */
  push(chunk: Buffer): SseFrames {
    const input = this.#mark === 3 ? chunk : this.#withoutMark(chunk);
    if (input.length === 0) return { bytes: EMPTY, lead: 0, ends: [] };
    const held = this.#held;
    const lead = held === 0 && this.#afterCr && input[0] === LF ? 1 : 0;
    const ends = this.#scan(input, lead);
    const done = (ends.at(-1) ?? lead + held) - held;
    const bytes = done > 0 ? this.#release(input.subarray(0, done)) : EMPTY;
    this.#hold(input.subarray(done));
    return { bytes, lead, ends };
  }

  /**
   * Returns the bytes after the last complete frame. If there are any at the end of a stream, the stream was
   * truncated.
   */
  rest(): Buffer {
    return this.#store.subarray(0, this.#held);
  }

  /** Number of bytes after the last complete frame. */
  get restBytes(): number {
    return this.#held;
  }

  /**
   * Finds the ends of frames in `#held` bytes plus `input`. Searches once for LF and once for CR, natively.
   */
  #scan(input: Buffer, lead: number): number[] {
    const held = this.#held;
    const ends: number[] = [];
    let frameStart = lead;
    let lineStart = this.#afterCr && input[0] === LF ? 1 : 0;
    let lineEmpty = this.#lineEmpty;
    let lf = input.indexOf(LF, lineStart);
    let cr = input.indexOf(CR, lineStart);
    while (lf !== -1 || cr !== -1) {
      const endsWithCr = cr !== -1 && (lf === -1 || cr < lf);
      const lineEnd = endsWithCr ? cr : lf;
      const next = endsWithCr && lf === cr + 1 ? lineEnd + 2 : lineEnd + 1;
      if (lineEmpty && lineEnd === lineStart) {
        this.#cap(held + next - frameStart);
        frameStart = held + next;
        ends.push(frameStart);
      }
      lineEmpty = true;
      lineStart = next;
      if (endsWithCr) cr = input.indexOf(CR, next);
      if (lf !== -1 && lf < next) lf = input.indexOf(LF, next);
    }
    this.#cap(held + input.length - frameStart);
    this.#lineEmpty = lineStart === input.length;
    this.#afterCr = input[input.length - 1] === CR;
    return ends;
  }

  #cap(frameBytes: number): void {
    if (frameBytes > this.#maxFrameBytes)
      throw new Fault(
        'upstream_error',
        `The provider sent a stream event of more than ${this.#maxFrameBytes.toLocaleString('en-US')} bytes, the maximum that Floe accepts.`,
      );
  }

  #hold(piece: Buffer): void {
    if (piece.length === 0) return;
    if (this.#held === 0) {
      this.#store = piece;
      this.#held = piece.length;
      return;
    }
    const needed = this.#held + piece.length;
    if (needed > this.#store.length) {
      const grown = Buffer.allocUnsafe(Math.max(1024, 2 * needed));
      this.#store.copy(grown, 0, 0, this.#held);
      this.#store = grown;
    }
    piece.copy(this.#store, this.#held);
    this.#held = needed;
  }

  #release(end: Buffer): Buffer {
    if (this.#held === 0) return end;
    const whole = Buffer.concat([this.rest(), end]);
    this.#store = EMPTY;
    this.#held = 0;
    return whole;
  }

  #withoutMark(chunk: Buffer): Buffer {
    const input = this.#mark === 0 ? chunk : Buffer.concat([BYTE_ORDER_MARK.subarray(0, this.#mark), chunk]);
    let same = 0;
    while (same < 3 && same < input.length && input[same] === BYTE_ORDER_MARK[same]) same += 1;
    const open = same < 3 && same === input.length;
    this.#mark = open ? same : 3;
    if (open) return EMPTY;
    return same === 3 ? input.subarray(3) : input;
  }
}

/**
 * Finds the event name and data of a complete frame; undefined if it has no data, such as a comment.
 * @throws Fault `upstream_stream_broken` if it is not UTF-8, the only encoding of event streams
 * @example
 * const { event, bytes, start, end } = locateSseFrameData(Buffer.from('event: ping\ndata: {}\n\n'));
 * event; // 'ping'
 * bytes.toString('utf8', start, end); // '{}'
 */
export function locateSseFrameData(frame: Buffer): SseFrameData | undefined {
  if (!isUtf8(frame))
    throw new Fault(
      'upstream_stream_broken',
      'The provider sent a stream event that is not valid UTF-8. Send the request again.',
    );
  let event = '';
  let start = -1;
  let end = -1;
  let joined: Buffer | undefined;
  let length = 0;
  let lf = frame.indexOf(LF);
  let cr = frame.indexOf(CR);
  for (let at = 0; at < frame.length; ) {
    let lineEnd = lf === -1 ? frame.length : lf;
    if (cr !== -1 && cr < lineEnd) lineEnd = cr;
    if (isField(frame, at, lineEnd, DATA)) {
      if (start !== -1) {
        joined ??= Buffer.allocUnsafe(frame.length);
        length += frame.copy(joined, length, start, end);
        length = joined.writeUInt8(LF, length);
      }
      start = valueStart(frame, at + DATA.length, lineEnd);
      end = lineEnd;
    } else if (isField(frame, at, lineEnd, EVENT)) {
      event = frame.toString('utf8', valueStart(frame, at + EVENT.length, lineEnd), lineEnd);
    }
    at = lineEnd + 1;
    if (lf !== -1 && lf < at) lf = frame.indexOf(LF, at);
    if (cr !== -1 && cr < at) cr = frame.indexOf(CR, at);
  }
  if (start === -1) return undefined;
  if (event === '') event = 'message';
  if (joined === undefined) return { event, bytes: frame, start, end };
  length += frame.copy(joined, length, start, end);
  return { event, bytes: joined.subarray(0, length), start: 0, end: length };
}

/**
 * Parses a complete frame; undefined if it has no data, such as a comment.
 * @throws Fault `upstream_stream_broken` if it is not UTF-8
 * @example
 * parseSseFrame(Buffer.from('data: [DONE]\n\n')); // { event: 'message', data: '[DONE]' }
 * parseSseFrame(Buffer.from(': a comment\n\n')); // undefined
 */
export function parseSseFrame(frame: Buffer): SseEvent | undefined {
  const found = locateSseFrameData(frame);
  if (found === undefined) return undefined;
  return { event: found.event, data: found.bytes.toString('utf8', found.start, found.end) };
}

/**
 * Formats a frame. Each line of `data` becomes a separate line.
 * @example
 * formatSseFrame('ping', '{}'); // 'event: ping\ndata: {}\n\n'
 */
export function formatSseFrame(event: string | undefined, data: string): string {
  const head = event === undefined ? '' : `event: ${event}\n`;
  if (!data.includes('\n') && !data.includes('\r')) return `${head}data: ${data}\n\n`;
  return `${head}data: ${data.split(/\r\n|\r|\n/).join('\ndata: ')}\n\n`;
}

function isField(frame: Buffer, at: number, lineEnd: number, name: Buffer): boolean {
  const after = at + name.length;
  if (after > lineEnd || (after < lineEnd && frame[after] !== COLON)) return false;
  for (let index = 0; index < name.length; index++) if (frame[at + index] !== name[index]) return false;
  return true;
}

/** Returns the offset of the value: after the colon and at most one space. */
function valueStart(frame: Buffer, afterName: number, lineEnd: number): number {
  if (afterName === lineEnd) return lineEnd;
  return frame[afterName + 1] === SPACE && afterName + 1 < lineEnd ? afterName + 2 : afterName + 1;
}
