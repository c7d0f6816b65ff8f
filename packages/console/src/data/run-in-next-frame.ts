/** Frames do not come while a tab is hidden, and late while much is drawn. */
const AT_LATEST_MS = 50;

let waiting: (() => void)[] = [];

/** Runs `work` with everything else that waits for the next frame, in order, as one step. */
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
