import type { StatusDurations } from '../../monitoring/boards/board-days.ts';
import { html, Markup } from './markup.ts';

/** SVG user units. The drawing is stretched to the page width. */
const STEP = 8;
const BAR = 6;
const HEIGHT = 32;
const MIN_BAR_HEIGHT = 4;
const GAP = 1.5;
/** Shorter durations per day are not shown, such as a restart of Floe. */
const UNUSUAL_MS = 60_000;

/** Returns whether a part of a day was failing, unknown or paused. */
export function isUnusualBoardDay({ failing, unknown, paused }: StatusDurations): boolean {
  return failing > 0 || unknown >= UNUSUAL_MS || paused >= UNUSUAL_MS;
}

/**
 * Renders one bar per day. Consecutive usual days with the same status become a single dashed line,
 * so that a page with hundreds of monitors stays small. All other days are drawn separately with a
 * description.
 *
 * @param summary the drawing's text alternative
 * @param describeDay describes one day
 */
export function renderDayBars(
  days: readonly StatusDurations[],
  summary: string,
  describeDay: (index: number) => string,
): Markup {
  const lines = { healthy: '', none: '' };
  const drawn: Markup[] = [];
  let from = 0;
  for (let at = 0; at <= days.length; at++) {
    const start = days[from];
    const day = days[at];
    if (start && at > from && (!day || dayKind(day) !== dayKind(start) || dayKind(start) === 'news')) {
      const kind = dayKind(start);
      if (kind === 'news') drawn.push(renderStack(start, from * STEP, describeDay(from)));
      else
        lines[kind] +=
          `M${from * STEP} ${kind === 'healthy' ? HEIGHT / 2 : HEIGHT - 1}h${(at - from) * STEP - STEP + BAR}`;
      from = at;
    }
  }
  const width = days.length * STEP - STEP + BAR;
  return html`<svg class="bars" role="img" aria-label="${summary}" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none">${renderLine('bh', lines.healthy)}${renderLine('bn', lines.none)}${drawn}</svg>`;
}

function dayKind(day: StatusDurations): 'healthy' | 'none' | 'news' {
  if (isUnusualBoardDay(day)) return 'news';
  return day.healthy > 0 ? 'healthy' : 'none';
}

function renderLine(kind: string, path: string): Markup | null {
  return path === '' ? null : new Markup(`<path class="${kind}" d="${path}"/>`);
}

/**
 * Renders one day from the bottom up: failing, unknown, paused, healthy. Heights are shares of the known
 * time.
 */
function renderStack(day: StatusDurations, x: number, words: string): Markup {
  const whole = day.failing + day.unknown + day.paused + day.healthy + day.waiting;
  const parts: Markup[] = [];
  let bottom = HEIGHT;
  for (const [kind, ms] of [
    ['bf', day.failing],
    ['bu', day.unknown >= UNUSUAL_MS ? day.unknown : 0],
    ['bp', day.paused >= UNUSUAL_MS ? day.paused : 0],
  ] as const) {
    if (ms === 0) continue;
    const height = Math.min(bottom, Math.max(MIN_BAR_HEIGHT, Math.round((ms / whole) * HEIGHT)));
    if (height <= 0) continue;
    bottom -= height;
    parts.push(renderRect(kind, x, bottom, height));
    bottom -= GAP;
  }
  if (day.healthy > 0 && bottom >= 2) parts.unshift(renderRect('bg', x, 0, bottom));
  return html`<g><title>${words}</title>${parts}</g>`;
}

function renderRect(kind: string, x: number, y: number, height: number): Markup {
  if (kind === 'bp')
    return html`<rect class="bp" x="${x + 0.5}" y="${y + 0.5}" width="${BAR - 1}" height="${height - 1}"/>`;
  const fill = kind === 'bu' ? html` fill="url(#hatch)"` : null;
  return html`<rect class="${kind}"${fill} x="${x}" y="${y}" width="${BAR}" height="${height}"/>`;
}
