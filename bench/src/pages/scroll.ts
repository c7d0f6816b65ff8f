import type { ConsoleSession, DeviceKind } from './console-session.ts';
import type { FigureStore } from './figure-store.ts';
import { type FrameFigures, measureFrames, scroll } from './frames.ts';
import type { Visitor } from './visit.ts';

export interface ScrollFigures extends FrameFigures {
  /** How far it went, in pixels. */
  readonly px: number;
}

const LISTS: readonly (readonly [string, string])[] = [
  ['Requests', '/requests?range=30d&live=0'],
  ['Monitors', '/monitors'],
  ['Audit', '/management/audit'],
  ['Alerts', '/alerts'],
  ['Analytics by key', '/analytics?by=key'],
];
const PX = 15_000;

/** Several pages of each long list in one go, and as much of a page that holds nothing. */
export async function measureScrolling(
  visitor: Visitor,
  house: ConsoleSession,
  look: DeviceKind,
  kept: FigureStore,
): Promise<void> {
  const keep = async (name: string) => {
    const before = await position(visitor);
    const figures = await measureFrames(visitor, () => scroll(visitor, PX));
    const done = { ...figures, px: (await position(visitor)) - before };
    const known = kept.all.scroll[look][name];
    if (!known || done.late < known.late || (done.late === known.late && done.cpuMs < known.cpuMs))
      kept.all.scroll[look][name] = done;
    kept.save();
    const { late, frames, latestMs, longestTaskMs, cpuMs, px } = done;
    process.stderr.write(
      `${look} scrolling ${name}: ${px} px, ${late} of ${frames} frames late, latest ${Math.round(latestMs)} ms, ` +
        `longest task ${Math.round(longestTaskMs)} ms, CPU ${Math.round(cpuMs)} ms\n`,
    );
  };
  await visitor.page.goto(`${house.floe.url}/theme.js`);
  await visitor.page.evaluate(`document.body.innerHTML = '<main data-scroll style="height:90vh;overflow:auto">' +
    '<div style="height:100000px"></div></main>', 0`);
  await keep('an empty page');
  for (const [name, path] of LISTS) {
    await visitor.open({ name, path: `/o/acme${path}` });
    await keep(name);
  }
}

function position({ page }: Visitor): Promise<number> {
  return page.evaluate(`document.querySelector('[data-scroll]')?.scrollTop ?? 0`);
}
