import type { Clock } from '../core/clock.ts';

/** A client that loses access receives no further data after this time. */
const CHECK_INTERVAL_MS = 2_000;

/**
 * Returns the chunks of a download, which can take hours. Checks at intervals whether the client still has access. A
 * check for each chunk would be too expensive, because it reads the database, and a download can have thousands of
 * chunks per second.
 * @throws Error if the client loses access during the download
 */
export async function* iterateWhileAllowed(
  chunks: AsyncIterable<string>,
  clock: Pick<Clock, 'now'>,
  isAllowed: () => Promise<boolean>,
): AsyncGenerator<string> {
  let checkedAt = clock.now();
  for await (const chunk of chunks) {
    const now = clock.now();
    // The clock of the machine can also be set back.
    if (Math.abs(now - checkedAt) >= CHECK_INTERVAL_MS) {
      if (!(await isAllowed())) throw new Error('the client lost access during the download');
      checkedAt = now;
    }
    yield chunk;
  }
}
