/**
 * How a body is split into chunks. `frames`: one event, line or AWS frame per chunk. `at`: at these byte
 * offsets. `seed`: at pseudo-random offsets with an average distance of `meanBytes` (default: 32).
 */
export type Chunking =
  | 'whole'
  | 'every-byte'
  | 'frames'
  | { readonly at: readonly number[] }
  | { readonly seed: number; readonly meanBytes?: number };

/** Splits `body` into non-empty chunks. */
export function splitBody(body: Buffer, chunking: Chunking, contentType: string): Buffer[] {
  if (body.length === 0) return [];
  if (chunking === 'whole') return [body];
  if (chunking === 'frames') return splitFrames(body, contentType);
  if (chunking === 'every-byte')
    return splitAt(
      body,
      Array.from(body, (_, offset) => offset),
    );
  return splitAt(body, 'at' in chunking ? chunking.at : randomOffsets(body.length, chunking));
}

/**
 * Splits a stream into its units: SSE events with their blank line, NDJSON lines, AWS event stream frames.
 */
export function splitFrames(body: Buffer, contentType: string): Buffer[] {
  if (contentType.includes('amazon.eventstream')) return splitAt(body, eventStreamOffsets(body));
  if (contentType.includes('ndjson')) return splitAt(body, offsetsAfter(body, /\n/g));
  if (contentType.includes('event-stream')) return splitAt(body, offsetsAfter(body, /\r\n\r\n|\n\n|\r\r/g));
  return [body];
}

function splitAt(body: Buffer, offsets: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const offset of [...offsets.toSorted((a, b) => a - b), body.length]) {
    if (offset <= from || offset > body.length) continue;
    pieces.push(body.subarray(from, offset));
    from = offset;
  }
  return pieces;
}

function offsetsAfter(body: Buffer, end: RegExp): number[] {
  return Array.from(body.toString('latin1').matchAll(end), (match) => match.index + match[0].length);
}

/** Each frame starts with its total length as a 32-bit big-endian integer (AWS event stream encoding). */
function eventStreamOffsets(body: Buffer): number[] {
  const offsets: number[] = [];
  for (let at = 0; at + 16 <= body.length; ) {
    at += Math.max(16, body.readUInt32BE(at));
    offsets.push(at);
  }
  return offsets;
}

function randomOffsets(
  length: number,
  { seed, meanBytes = 32 }: { seed: number; meanBytes?: number },
): number[] {
  const random = createSeededRandom(seed);
  const offsets: number[] = [];
  for (let at = 0; at < length; ) {
    at += 1 + Math.floor(random() * 2 * meanBytes);
    offsets.push(at);
  }
  return offsets;
}

/** Returns a generator of pseudo-random numbers in [0, 1) (mulberry32). */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
