/** Maximum delay in milliseconds. Frames do not run while a tab is hidden, and run late under load. */
const AT_LATEST_MS = 50;

let waiting: (() => void)[] = [];

/**
 * Runs `work` in the next animation frame, or after 50 ms if no frame runs by then. All functions that wait
 * for the frame run in the order of the calls.
 */
export function runInNextFrame(work: () => void): void {
  waiting.push(work);
  if (waiting.length > 1) return;
  const frame = requestAnimationFrame(run);
  const timer = setTimeout(run, AT_LATEST_MS);
  function run() {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    const now = waiting;
    waiting = [];
    for (const one of now) one();
  }
}
