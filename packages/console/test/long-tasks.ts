import { isJsonObject } from '@floe/contract/json';
import type { Page } from 'playwright-core';

/** What the main thread of a page does, by the clock of that thread: time that a busy machine gave to others is not in it. */

/**
 * Watches from now on; one page of a browser at a time. The function it resolves to ends that, and gives how long each
 * task took that took longer than `ms`, in milliseconds of the thread.
 */
export async function recordLongTasks(page: Page, ms: number): Promise<() => Promise<readonly number[]>> {
  const browser = page.context().browser();
  if (!browser) throw new Error('A page without a browser of its own cannot be watched.');
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] });
  return async () => {
    const events = eventsOf((await browser.stopTracing()).toString());
    const threads = new Set(
      events
        .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
        .map(({ pid, tid }) => `${pid} ${tid}`),
    );
    const tasks = events.filter(
      ({ name, pid, tid }) => name.endsWith('RunTask') && threads.has(`${pid} ${tid}`),
    );
    if (tasks.length === 0 || tasks.every(({ tdur }) => tdur === undefined))
      throw new Error('This browser does not tell what its tasks took.');
    return tasks.map(({ tdur = 0 }) => tdur / 1000).filter((took) => took > ms);
  };
}

/** Of Chromium's trace: `tdur` is microseconds of the thread. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Chromium wrote them in its documented trace format. */
function eventsOf(text: string): readonly TraceEvent[] {
  const trace: unknown = JSON.parse(text);
  if (!isJsonObject(trace) || !Array.isArray(trace['traceEvents'])) throw new Error('This is no trace.');
  return trace['traceEvents'] as readonly TraceEvent[];
}
