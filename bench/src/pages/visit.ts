import type { CDPSession, Page } from 'playwright-core';
import { cpuUs } from '../process-tree.ts';
import { delay } from '../processes.ts';
import type { ConsoleSession, DeviceKind } from './console-session.ts';
import type { PageLink } from './page-links.ts';

/** A call of the API as the page waited for it, in milliseconds of the page's life. */
export interface PageCall {
  readonly path: string;
  readonly query: string;
  readonly askedMs: number;
  readonly sentMs: number;
  readonly firstByteMs: number;
  readonly doneMs: number;
  readonly bytes: number;
}

/** One opening of a page. */
export interface Visit {
  /** From the navigation to the frame that shows all data. */
  readonly dataMs: number;
  readonly calls: readonly PageCall[];
  /** Tasks of the page's main thread above 50 ms. */
  readonly longTasks: number;
  readonly longestMs: number;
  /** CPU of the page's main thread, with the throttle of the phone in it. */
  readonly pageCpuMs: number;
  /** CPU of the server's process. */
  readonly serverCpuMs: number;
  /** What the page says went wrong. */
  readonly trouble: string | null;
}

/** A phone of the middle class is so much slower than the machines that such things are built on. */
const PHONE_SLOWER = 4;
const QUIET_MS = 400;
const LOOK_MS = 100;
const PATIENCE_MS = 20_000;

/** A tab that opens pages one after the other. */
export class Visitor {
  readonly #house: ConsoleSession;
  readonly #page: Page;
  readonly #cdp: CDPSession;

  constructor(house: ConsoleSession, page: Page, cdp: CDPSession) {
    this.#house = house;
    this.#page = page;
    this.#cdp = cdp;
  }

  static async arrive(
    house: ConsoleSession,
    look: DeviceKind,
  ): Promise<{ visitor: Visitor; leave: () => Promise<void> }> {
    const context = await house.browser(look);
    const page = context.pages()[0] ?? (await context.newPage());
    page.setDefaultTimeout(PATIENCE_MS);
    const cdp = await context.newCDPSession(page);
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: look === 'phone' ? PHONE_SLOWER : 1 });
    return { visitor: new Visitor(house, page, cdp), leave: () => context.close() };
  }

  get page(): Page {
    return this.#page;
  }

  get cdp(): CDPSession {
    return this.#cdp;
  }

  /** Opens a page as a link from elsewhere does, and waits until nothing moves. */
  async open({ path }: PageLink): Promise<Visit> {
    const { url, pid } = this.#house.floe;
    // Something small of the same origin, so that no page before is part of what is measured.
    await this.#page.goto(`${url}/theme.js`);
    const [cpu, server] = [await this.taskMs(), cpuUs(pid)];
    await this.#page.goto(url + path);
    const isLate = !(await this.#isQuiet());
    const seen: {
      readonly drawnAt: number;
      readonly calls: readonly PageCall[];
      readonly tasks: readonly { readonly at: number; readonly ms: number }[];
      readonly trouble: string | null;
    } = await this.#page.evaluate(
      '({ drawnAt: floeBench.drawnAt, calls: floeBench.calls(), tasks: floeBench.tasks, trouble: floeBench.trouble() })',
    );
    const tasks = seen.tasks.filter(({ at }) => at <= seen.drawnAt).map(({ ms }) => ms);
    return {
      dataMs: isLate ? PATIENCE_MS : seen.drawnAt,
      calls: seen.calls,
      longTasks: tasks.length,
      longestMs: Math.max(0, ...tasks),
      pageCpuMs: Math.max(0, (await this.taskMs()) - cpu),
      serverCpuMs: (cpuUs(pid) - server) / 1000,
      trouble: isLate ? 'was never there' : seen.trouble,
    };
  }

  /** Whether the page came to rest in time. */
  async #isQuiet(): Promise<boolean> {
    for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await delay(LOOK_MS))
      if (await this.#page.evaluate(`floeBench.isQuiet(${QUIET_MS})`)) return true;
    return false;
  }

  /** CPU that the main thread of the tab has used. */
  async taskMs(): Promise<number> {
    const { metrics } = await this.#cdp.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
  }
}

/** The call that took longest, as the page waited for it. */
export function slowestCall(calls: readonly PageCall[]): PageCall | null {
  return calls.toSorted((one, other) => waitedMs(other) - waitedMs(one))[0] ?? null;
}

export function waitedMs({ askedMs, doneMs }: PageCall): number {
  return doneMs - askedMs;
}
