import { existsSync, readFileSync } from 'node:fs';
import { delay } from '../processes.ts';

/** What one action cost. Times are in milliseconds, memory in MB. */
export interface Cost {
  readonly name: string;
  readonly wallMs: number;
  readonly mainCpuMs: number;
  readonly cpuMs: number;
  readonly longestBlockMs: number;
  /** CPU time of the longest block, without the time in which the process waited for a core. */
  readonly longestBlockCpuMs: number;
  readonly rssMb: number;
  readonly heapMb: number;
  /** The slowest request of another organization during the action. */
  readonly slowestOtherMs: number;
}

type Sample = Omit<Cost, 'name' | 'wallMs' | 'slowestOtherMs'>;

/** How long after an action work that it started in the background counts. */
const SETTLE_MS = 400;

/** Measures actions in a server that was started with `hook.mjs`. */
export class Measurement {
  readonly #pid: number;
  readonly #file: string;
  readonly #send: () => Promise<void>;
  #lines: number;
  readonly costs: Cost[] = [];

  /** @param send one request of another organization */
  constructor(pid: number, file: string, send: () => Promise<void>) {
    this.#pid = pid;
    this.#file = file;
    this.#send = send;
    this.#lines = this.#readLines().length;
  }

  /** Runs `action` `times` times and records the median cost and the longest block. */
  async run(name: string, times: number, action: (at: number) => Promise<void>): Promise<void> {
    const found: Omit<Cost, 'name'>[] = [];
    for (let at = 0; at < times; at++) found.push(await this.#once(() => action(at)));
    const median = (pick: (cost: Omit<Cost, 'name'>) => number) =>
      found.map(pick).sort((a, b) => a - b)[Math.floor(found.length / 2)] ?? 0;
    this.costs.push({
      name,
      wallMs: median((cost) => cost.wallMs),
      mainCpuMs: median((cost) => cost.mainCpuMs),
      cpuMs: median((cost) => cost.cpuMs),
      longestBlockMs: median((cost) => cost.longestBlockMs),
      longestBlockCpuMs: median((cost) => cost.longestBlockCpuMs),
      slowestOtherMs: median((cost) => cost.slowestOtherMs),
      rssMb: found.at(-1)?.rssMb ?? 0,
      heapMb: found.at(-1)?.heapMb ?? 0,
    });
  }

  async #once(action: () => Promise<void>): Promise<Omit<Cost, 'name'>> {
    await this.sample();
    let isOver = false;
    let slowestOtherMs = 0;
    const traffic = (async () => {
      while (!isOver) {
        const began = performance.now();
        await this.#send();
        slowestOtherMs = Math.max(slowestOtherMs, performance.now() - began);
        await delay(5);
      }
    })();
    traffic.catch(() => undefined);
    const began = performance.now();
    let wallMs = 0;
    try {
      await action();
      wallMs = performance.now() - began;
      await delay(SETTLE_MS);
    } finally {
      isOver = true;
    }
    await traffic;
    return { wallMs, slowestOtherMs, ...(await this.sample()) };
  }

  /** The cost since the previous sample. */
  async sample(): Promise<Sample> {
    process.kill(this.#pid, 'SIGUSR2');
    for (;;) {
      const lines = this.#readLines();
      const last = lines.at(-1);
      if (lines.length > this.#lines && last !== undefined) {
        this.#lines = lines.length;
        return JSON.parse(last);
      }
      await delay(5);
    }
  }

  #readLines(): string[] {
    return existsSync(this.#file) ? readFileSync(this.#file, 'utf8').trim().split('\n').filter(Boolean) : [];
  }
}

/** The costs as a Markdown table. */
export function formatCosts(costs: readonly Cost[]): string {
  const cell = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(1));
  return [
    '| action | time, ms | CPU of the event loop, ms | CPU of the process, ms | longest block, ms | CPU of the longest block, ms | slowest other request, ms | heap, MB | RSS, MB |',
    '|---|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...costs.map((cost) => {
      const { wallMs, mainCpuMs, cpuMs, longestBlockMs, longestBlockCpuMs, slowestOtherMs } = cost;
      const times = [wallMs, mainCpuMs, cpuMs, longestBlockMs, longestBlockCpuMs, slowestOtherMs];
      const cells = [...times, cost.heapMb, cost.rssMb].map(cell);
      return `| ${cost.name} | ${cells.join(' | ')} |`;
    }),
  ].join('\n');
}
