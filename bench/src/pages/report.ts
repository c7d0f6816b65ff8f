import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { DeviceKind } from './console-session.ts';
import type { FigureStore, VisitFigures } from './figure-store.ts';

const TARGET_MS = 500;
const LOOKS: readonly DeviceKind[] = ['desktop', 'phone'];
const ROOT = join(import.meta.dirname, '..', '..', '..');

/** Prints all that is kept, and writes it to `bench/results/pages.md`. */
export function writeReport(kept: FigureStore, save: boolean): void {
  const text = `${[...head(), ...visits(kept), ...scrolling(kept), ...live(kept)].join('\n')}\n`;
  process.stdout.write(text);
  if (save) writeFileSync(join(ROOT, 'bench', 'results', 'pages.md'), text);
}

function head(): string[] {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim();
  return [
    '# The console over 5 million requests and 10,000 monitors',
    '',
    `\`node bench/pages.mjs\`, ${new Date().toISOString().slice(0, 10)}, commit ${commit}, ${cpus().length} cores, ` +
      `Node ${process.version}, load average ${(loadavg()[0] ?? 0).toFixed(1)} at the end. Milliseconds.`,
    '',
    'SQLite with 5 million requests of 30 days, 10,000 monitors with a month of checks, 10,000 alerts and 100,000 audit',
    'entries; a real server, a real owner, Chromium with a warm cache. **Data** is the time from the navigation to the',
    'frame that shows everything, the best of the runs. The phone has 412 px and a CPU four times slower; its CPU is told',
    'with that in it. **Call** is the slowest one as the page waited for it, in brackets what the server took. CPU is the',
    'main thread of the page, and the whole process of the server.',
  ];
}

function visits({ all }: FigureStore): string[] {
  const names = [...new Set(LOOKS.flatMap((look) => Object.keys(all.visits[look])))];
  const rows = names.map((name) => {
    const [desktop, phone] = LOOKS.map((look) => all.visits[look][name]);
    const one = desktop ?? phone;
    const call = one?.slowest
      ? `${one.slowest.path.replace(/exc_\w+/, '…')} ${ms(one.slowest.waitedMs)} (${ms(one.slowest.serverMs)})`
      : '–';
    return [
      name,
      verdict(desktop),
      verdict(phone),
      call,
      one?.calls ?? '–',
      ms(one?.serverCpuMs),
      ms(desktop?.pageCpuMs),
      ms(phone?.pageCpuMs),
      `${tasks(desktop)} / ${tasks(phone)}`,
    ];
  });
  const columns = 'page|data|on a phone|slowest call|calls|CPU server|CPU page|CPU phone|long tasks, longest';
  return [
    '',
    `## To the data, target ${TARGET_MS} ms`,
    '',
    ...table(columns, rows),
    ...missedOnes(all.visits),
  ];
}

function missedOnes(all: Record<DeviceKind, Record<string, VisitFigures>>): string[] {
  return LOOKS.flatMap((look) => {
    const known = Object.values(all[look]);
    const missed = known.filter(({ dataMs, trouble }) => dataMs > TARGET_MS || trouble !== null);
    return ['', `${look}: ${known.length - missed.length} of ${known.length} within ${TARGET_MS} ms.`];
  });
}

function verdict(figures: VisitFigures | undefined): string {
  if (!figures) return '–';
  if (figures.trouble) return `${figures.trouble} **missed**`;
  return `${ms(figures.dataMs)} ${figures.dataMs <= TARGET_MS ? 'met' : '**missed**'}`;
}

function tasks(figures: VisitFigures | undefined): string {
  return figures ? `${figures.longTasks}, ${ms(figures.longestMs)}` : '–';
}

function scrolling({ all }: FigureStore): string[] {
  const rows = LOOKS.flatMap((look) =>
    Object.entries(all.scroll[look]).map(([name, one]) => [
      look,
      name,
      `${Math.round(one.px)}`,
      `${one.late} of ${one.frames}`,
      ms(one.latestMs),
      ms(one.longestTaskMs),
      ms(one.cpuMs),
    ]),
  );
  return [
    '',
    '## Scrolling',
    '',
    ...table('look|list|px|frames above 50 ms|longest frame|longest task|CPU page', rows),
  ];
}

function live({ all }: FigureStore): string[] {
  const rows = LOOKS.flatMap((look) =>
    Object.entries(all.live[look]).map(([name, one]) => [
      look,
      name,
      `${one.rows} at ${Math.round(one.perSecond)}/s`,
      `${one.late} of ${one.frames}`,
      ms(one.latestMs),
      `${one.longTasks}, ${ms(one.longestTaskMs)}`,
      ms(one.cpuMs),
      `${one.heapBeforeMb.toFixed(1)} to ${one.heapAfterMb.toFixed(1)} MB`,
      `${one.lostInApi}, ${one.lostInList}`,
    ]),
  );
  const columns =
    'look|reader|requests|frames above 50 ms|longest frame|long tasks, longest|CPU page|heap|lost in API, in list';
  return ['', '## Live', '', ...table(columns, rows)];
}

function table(columns: string, rows: readonly (readonly (string | number)[])[]): string[] {
  const names = columns.split('|');
  return [names, names.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

function ms(value: number | undefined): string {
  return value === undefined ? '–' : String(Math.round(value));
}
