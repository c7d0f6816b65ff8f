/** Maximum delay in milliseconds. Frames do not run while a tab is hidden, and run late under load. */
const AT_LATEST_MS = 50;

let waiting: (() => void)[] = [];

/** Runs `work` in the next frame, together with all other waiting work and in order. */
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
