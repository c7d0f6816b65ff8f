/**
 * How long a test waits for an event, in milliseconds. Tests check that the event occurs and not
 * how fast it occurs, so slow or shared machines may take this long.
 */
export const TEST_TIMEOUT_MS = 60_000;

const POLL_MS = 20;

/**
 * Repeats `attempt` until it neither throws nor returns undefined. Used for events that another process causes.
 *
 * @throws the last error of `attempt` after `TEST_TIMEOUT_MS`
 */
export async function eventually<T>(attempt: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const until = performance.now() + TEST_TIMEOUT_MS;
  for (;;) {
    const late = performance.now() > until;
    try {
      const found = await attempt();
      if (found !== undefined) return found;
      if (late) throw new Error(`the expected event did not occur within ${TEST_TIMEOUT_MS / 1000} seconds`);
    } catch (error) {
      if (late) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
