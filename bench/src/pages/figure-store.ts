import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { DeviceKind } from './console-session.ts';
import type { LiveFigures } from './live.ts';
import type { PageLink } from './page-links.ts';
import type { ScrollFigures } from './scroll.ts';
import { slowestCall, type Visit, waitedMs } from './visit.ts';

/** What is kept of a page: its best opening. What a busy machine adds is never negative. */
export interface VisitFigures {
  readonly runs: number;
  readonly dataMs: number;
  readonly slowest: { readonly path: string; readonly waitedMs: number; readonly serverMs: number } | null;
  readonly calls: number;
  /** When the last answer had come. */
  readonly answeredMs: number;
  readonly longTasks: number;
  readonly longestMs: number;
  readonly pageCpuMs: number;
  readonly serverCpuMs: number;
  readonly trouble: string | null;
}

type Named<Figures> = Record<string, Figures>;

interface Figures {
  readonly visits: Record<DeviceKind, Named<VisitFigures>>;
  readonly scroll: Record<DeviceKind, Named<ScrollFigures>>;
  readonly live: Record<DeviceKind, Named<LiveFigures>>;
}

const emptyFigures = <One>(): Record<DeviceKind, Named<One>> => ({ desktop: {}, phone: {} });

/** Figures of all runs so far, in a file. */
export class FigureStore {
  readonly #file: string;
  readonly all: Figures;

  constructor(file: string, fresh: boolean) {
    this.#file = file;
    const empty: Figures = { visits: emptyFigures(), scroll: emptyFigures(), live: emptyFigures() };
    this.all = !fresh && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : empty;
  }

  runsOf(look: DeviceKind, { name }: PageLink): number {
    return this.all.visits[look][name]?.runs ?? 0;
  }

  keep(look: DeviceKind, { name }: PageLink, visit: Visit): void {
    const before = this.all.visits[look][name];
    const now = figuresOf(visit);
    const better = !before || now.dataMs < before.dataMs ? now : before;
    this.all.visits[look][name] = {
      ...better,
      runs: (before?.runs ?? 0) + 1,
      pageCpuMs: Math.min(now.pageCpuMs, before?.pageCpuMs ?? now.pageCpuMs),
      serverCpuMs: Math.min(now.serverCpuMs, before?.serverCpuMs ?? now.serverCpuMs),
    };
    this.save();
    const { dataMs, pageCpuMs, serverCpuMs, slowest, trouble } = now;
    const told = [dataMs, pageCpuMs, serverCpuMs].map(Math.round).join(' / ');
    const call = slowest
      ? `${slowest.path} ${Math.round(slowest.waitedMs)} (${Math.round(slowest.serverMs)})`
      : '';
    process.stderr.write(`${look} ${name}: ${told} ms; ${call} ${trouble ?? ''}\n`);
  }

  save(): void {
    writeFileSync(this.#file, `${JSON.stringify(this.all, null, 1)}\n`);
  }
}

function figuresOf({ calls, dataMs, ...visit }: Visit): VisitFigures {
  const slowest = slowestCall(calls);
  return {
    runs: 1,
    dataMs,
    slowest: slowest && {
      path: slowest.path,
      waitedMs: waitedMs(slowest),
      serverMs: slowest.firstByteMs - slowest.sentMs,
    },
    calls: calls.length,
    answeredMs: Math.max(0, ...calls.map(({ doneMs }) => doneMs)),
    longTasks: visit.longTasks,
    longestMs: visit.longestMs,
    pageCpuMs: visit.pageCpuMs,
    serverCpuMs: visit.serverCpuMs,
    trouble: visit.trouble,
  };
}
