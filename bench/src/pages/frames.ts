import type { Visitor } from './visit.ts';

/** How smoothly something went. */
export interface FrameFigures {
  readonly seconds: number;
  readonly frames: number;
  /** Frames that came more than 50 ms after the one before. */
  readonly late: number;
  readonly latestMs: number;
  readonly longestTaskMs: number;
  /** Tasks of the main thread above 50 ms. */
  readonly longTasks: number;
  /** CPU of the page's main thread. */
  readonly cpuMs: number;
}

const LATE_MS = 50;

/** The frames of a page while something is done with it. */
export async function measureFrames(visitor: Visitor, doing: () => Promise<void>): Promise<FrameFigures> {
  const { page } = visitor;
  const [cpu, started] = [await visitor.taskMs(), performance.now()];
  await page.evaluate('floeBench.frames = [], floeBench.tasks = [], floeBench.recording = true, 0');
  await doing();
  const seen: { readonly frames: readonly number[]; readonly tasks: readonly { readonly ms: number }[] } =
    await page.evaluate('floeBench.recording = false, { frames: floeBench.frames, tasks: floeBench.tasks }');
  // The first one counts from before the recording.
  const frames = seen.frames.slice(1);
  return {
    seconds: (performance.now() - started) / 1000,
    frames: frames.length,
    late: frames.filter((ms) => ms > LATE_MS).length,
    latestMs: Math.max(0, ...frames),
    longestTaskMs: Math.max(0, ...seen.tasks.map(({ ms }) => ms)),
    longTasks: seen.tasks.length,
    cpuMs: (await visitor.taskMs()) - cpu,
  };
}

/** Scrolls as a wheel does, `px` downwards (upwards when negative), in the middle of the page. */
export async function scroll(visitor: Visitor, px: number, pxPerSecond = 3000): Promise<void> {
  const { width, height } = visitor.page.viewportSize() ?? { width: 400, height: 800 };
  await visitor.cdp.send('Input.synthesizeScrollGesture', {
    x: Math.round(width / 2),
    y: Math.round(height / 2),
    yDistance: -px,
    speed: pxPerSecond,
    preventFling: true,
    gestureSourceType: 'mouse',
  });
}
