/** Delay in milliseconds between a call and its run. All calls during the delay share one run. */
const WAIT_MS = 1_000;
/** A run that takes longer than this many milliseconds does not delay the next one. */
const MOST_MS = 30_000;

type Run = () => Promise<unknown>;

/** The scheduled and current runs by name, each with the run that was requested in the meantime. */
const runs = new Map<string, { next: Run | null }>();

/**
 * Calls `run` one second after the first call for `name`. Calls during this second share the run. Calls while the run
 * is in progress cause one more run after it. Runs do not overlap, so that a new event does not cancel a slow request.
 * Exception: a run delays the next one by at most 30 seconds.
 * @param run Must not reject.
 */
export function runThrottled(name: string, run: Run): void {
  const current = runs.get(name);
  if (current) {
    current.next = run;
    return;
  }
  const mine: { next: Run | null } = { next: run };
  runs.set(name, mine);
  setTimeout(async () => {
    const latest = mine.next ?? run;
    mine.next = null;
    await Promise.race([latest(), new Promise((resolve) => setTimeout(resolve, MOST_MS))]);
    runs.delete(name);
    if (mine.next) runThrottled(name, mine.next);
  }, WAIT_MS);
}
