// The console over much data, page by page: how long until a page shows its data, how it scrolls, and how it bears a
// flood of live rows. Figures are kept, so that a later run goes on or measures some pages anew.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyDataDir, type DeviceKind, openConsoleSession } from './console-session.ts';
import { FigureStore } from './figure-store.ts';
import { measureLive } from './live.ts';
import { listPageLinks } from './page-links.ts';
import { writeReport } from './report.ts';
import { measureScrolling } from './scroll.ts';
import { Visitor } from './visit.ts';

const HELP = `node bench/pages.mjs --data DIR [--parts visits,scroll,live] [--looks desktop,phone] [--only TEXT]
                      [--runs 3] [--seconds 380] [--fresh] [--no-save]

DIR is the directory "sqlite" in what "node bench/rows.mjs --data … --keep" made; it is copied once into bench/.cache/pages (--copy DIR2 for another
place), because the server writes to it. Starts the server there, signs in as an owner and drives the system's Chromium:

  visits  opens every page of the console's index and some heavy links of each, with a warm cache, --runs times, and
          keeps the best: navigation to data drawn, the slowest call, CPU of page and server, long tasks
  scroll  scrolls the long lists, and an empty page beside them: frames above 50 ms
  live    500 requests a second for ten seconds through the gateway, with the request list open

The phone is 412 px wide with a CPU four times slower. A run ends after --seconds; what it measured is kept in
bench/.cache/pages, so that the same command goes on with the pages that were measured the least. --only takes pages
whose name or path holds TEXT, --fresh forgets what was kept. The table goes to bench/results/pages.md. Linux.`;

const CACHE = join(import.meta.dirname, '..', '..', '.cache', 'pages');

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    copy: { type: 'string', default: join(CACHE, 'data') },
    parts: { type: 'string', default: 'visits,scroll,live' },
    looks: { type: 'string', default: 'desktop,phone' },
    only: { type: 'string', default: '' },
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '380' },
    fresh: { type: 'boolean', default: false },
    'no-save': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(`${HELP}\n`);
else await run(performance.now() + Number(values.seconds) * 1000);

async function run(until: number): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  if (values.data !== undefined) copyDataDir(values.data, values.copy);
  const kept = new FigureStore(join(CACHE, 'figures.json'), values.fresh);
  const house = await openConsoleSession(values.copy);
  const parts = values.parts.split(',');
  try {
    for (const look of looksOf(values.looks)) {
      const { visitor, leave } = await Visitor.arrive(house, look);
      try {
        if (parts.includes('visits')) await visits(visitor, look, kept, until);
        if (parts.includes('scroll')) await measureScrolling(visitor, house, look, kept);
        if (parts.includes('live')) await measureLive(visitor, house, look, kept);
      } finally {
        await leave();
      }
    }
  } finally {
    await house.close();
  }
  writeReport(kept, !values['no-save']);

  async function visits(
    visitor: Visitor,
    look: DeviceKind,
    figures: FigureStore,
    end: number,
  ): Promise<void> {
    const all = await listPageLinks(house);
    const wanted = all.filter(({ name, path }) => `${name} ${path}`.includes(values.only));
    const order = wanted.toSorted((one, other) => figures.runsOf(look, one) - figures.runsOf(look, other));
    for (const [nth, place] of order.entries()) {
      if (performance.now() > end) return;
      // Once to warm what a person's browser has warm: the cache of files and of compiled scripts.
      await visitor.open(place);
      if (nth === 0) await visitor.open(place);
      for (let n = 0; n < Number(values.runs); n += 1) figures.keep(look, place, await visitor.open(place));
    }
  }
}

function looksOf(text: string): DeviceKind[] {
  return text.split(',').map((look) => {
    if (look !== 'desktop' && look !== 'phone')
      throw new Error(`--looks: ${look} is neither desktop nor phone`);
    return look;
  });
}
