import { type Clock, resolveWithFallback } from '../core/clock.ts';

/** Proxies commonly close a connection on which the server has sent nothing for 60 seconds. */
const MAX_SILENCE_MS = 15_000;

type DownloadClock = Pick<Clock, 'after' | 'monotonic'>;

/**
 * Returns the chunks of an NDJSON file, and spaces while there are none: a search for few matches can take minutes.
 * White space before a JSON value has no meaning (RFC 8259, section 2), so the lines stay valid for readers that do not
 * skip empty lines. In the first 15 seconds, no space precedes the first chunk, so that an early error still gets a
 * status.
 */
export async function* fillSilenceWithSpaces(
  chunks: AsyncIterable<string>,
  clock: DownloadClock,
): AsyncGenerator<string> {
  const iterator = chunks[Symbol.asyncIterator]();
  let sentAt = clock.monotonic();
  let isLineStart = true;
  try {
    let next = iterator.next();
    for (;;) {
      const waitMs = Math.max(0, MAX_SILENCE_MS - (clock.monotonic() - sentAt));
      const settled = (await resolveWithFallback(clock, waitMs, Promise.allSettled([next]), null))?.[0];
      if (settled?.status === 'rejected') throw settled.reason;
      const result = settled?.value;
      if (result?.done) return;
      const chunk = result?.value ?? '';
      const isSilent = chunk === '' && clock.monotonic() - sentAt >= MAX_SILENCE_MS;
      // Also an empty chunk: the stream of a client that has disconnected ends only here.
      yield isSilent && isLineStart ? ' ' : chunk;
      if (chunk !== '' || isSilent) sentAt = clock.monotonic();
      if (chunk !== '') isLineStart = chunk.endsWith('\n');
      if (result) next = iterator.next();
    }
  } finally {
    await iterator.return?.();
  }
}
