/**
 * How long a test waits for what must come: a page, a row, a process. That it comes is tested, not how fast, so a machine
 * that is slow or shared may take all of it; milliseconds.
 */
export const TEST_TIMEOUT_MS = 60_000;

const POLL_MS = 20;

/**
 * Looks again until `look` neither throws nor answers undefined: for what somebody else does in their own time.
 *
 * @throws what `look` threw last, once the patience is over
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
