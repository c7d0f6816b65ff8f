/**
 * How long a test waits for an event, in milliseconds. Tests check that the event occurs and not
 * how fast it occurs, so slow or shared machines may take this long.
 */
export const TEST_TIMEOUT_MS = 60_000;

const POLL_MS = 20;

/**
 * Repeats `look` until it neither throws nor returns undefined, for events that another process causes.
 *
 * @throws the last error of `look` after `TEST_TIMEOUT_MS`
 */
export async function eventually<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const until = performance.now() + TEST_TIMEOUT_MS;
  for (;;) {
    const late = performance.now() > until;
    try {
      const found = await look();
      if (found !== undefined) return found;
      if (late) throw new Error(`what was waited for did not come in ${TEST_TIMEOUT_MS / 1000} seconds`);
    } catch (error) {
      if (late) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
