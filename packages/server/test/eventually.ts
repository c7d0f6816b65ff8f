const PAUSE_MS = 20;

/**
 * Asks again until `look` neither throws nor answers undefined: for what another process does in its own time.
 *
 * @throws what `look` threw last, when 10 seconds pass
 */
export async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  const until = performance.now() + 10_000;
  for (;;) {
    const late = performance.now() > until;
    try {
      const found = await look();
      if (found !== undefined) return found;
      if (late) throw new Error('what was waited for did not come in 10 seconds');
    } catch (error) {
      if (late) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
