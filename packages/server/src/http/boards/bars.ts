import type { DaySums } from '../../monitoring/boards/days.ts';
import { html, Markup } from './markup.ts';

/** Units of the drawing; its width is stretched to the page. */
const STEP = 8;
const BAR = 6;
const HEIGHT = 32;
const LEAST = 4;
const GAP = 1.5;
/** Less than that in a day is no news: a restart of ours. */
const NEWS_MS = 60_000;

/** Whether a day was anything but healthy, waiting or before the first beat. */
export function isNews({ failing, unknown, paused }: DaySums): boolean {
  return failing > 0 || unknown >= NEWS_MS || paused >= NEWS_MS;
}

/**
 * Bars of days. What most days look like is drawn as dashed lines, one for each stretch of such days, so that a page
 * of hundreds of monitors stays small; the others are drawn one by one and say what they are.
 *
 * @param summary what the drawing shows, in words
 * @param words what one day was, in words
 */
export function bars(days: readonly DaySums[], summary: string, words: (index: number) => string): Markup {
  const lines = { healthy: '', none: '' };
  const drawn: Markup[] = [];
  let from = 0;
  for (let at = 0; at <= days.length; at++) {
    const start = days[from];
    const day = days[at];
    if (start && at > from && (!day || kindOf(day) !== kindOf(start) || kindOf(start) === 'news')) {
      const kind = kindOf(start);
      if (kind === 'news') drawn.push(stack(start, from * STEP, words(from)));
      else
        lines[kind] +=
          `M${from * STEP} ${kind === 'healthy' ? HEIGHT / 2 : HEIGHT - 1}h${(at - from) * STEP - STEP + BAR}`;
      from = at;
    }
  }
  const width = days.length * STEP - STEP + BAR;
  return html`<svg class="bars" role="img" aria-label="${summary}" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none">${line('bh', lines.healthy)}${line('bn', lines.none)}${drawn}</svg>`;
}

function kindOf(day: DaySums): 'healthy' | 'none' | 'news' {
  if (isNews(day)) return 'news';
  return day.healthy > 0 ? 'healthy' : 'none';
}

function line(kind: string, path: string): Markup | null {
  return path === '' ? null : new Markup(`<path class="${kind}" d="${path}"/>`);
}

/** One day from the bottom up: failing, unknown, paused, and healthy above; heights are shares of what is known. */
function stack(day: DaySums, x: number, words: string): Markup {
  const whole = day.failing + day.unknown + day.paused + day.healthy + day.waiting;
  const parts: Markup[] = [];
  let bottom = HEIGHT;
  for (const [kind, ms] of [
    ['bf', day.failing],
    ['bu', day.unknown >= NEWS_MS ? day.unknown : 0],
    ['bp', day.paused >= NEWS_MS ? day.paused : 0],
  ] as const) {
    if (ms === 0) continue;
    const height = Math.min(bottom, Math.max(LEAST, Math.round((ms / whole) * HEIGHT)));
    if (height <= 0) continue;
    bottom -= height;
    parts.push(rect(kind, x, bottom, height));
    bottom -= GAP;
  }
  if (day.healthy > 0 && bottom >= 2) parts.unshift(rect('bg', x, 0, bottom));
  return html`<g><title>${words}</title>${parts}</g>`;
}

function rect(kind: string, x: number, y: number, height: number): Markup {
  if (kind === 'bp')
    return html`<rect class="bp" x="${x + 0.5}" y="${y + 0.5}" width="${BAR - 1}" height="${height - 1}"/>`;
  const fill = kind === 'bu' ? html` fill="url(#hatch)"` : null;
  return html`<rect class="${kind}"${fill} x="${x}" y="${y}" width="${BAR}" height="${height}"/>`;
}
