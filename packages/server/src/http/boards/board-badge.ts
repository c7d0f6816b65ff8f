import type { BoardMonitor, BoardView } from '../../monitoring/boards/board-view.ts';
import { type BoardDisplayStatus, resolveBoardDisplayStatus } from './board-headline.ts';
import { html } from './markup.ts';

const MAX_NAME_CHARS = 40;
const PADDING = 16;

/** White text on each color has a contrast of at least 4.5. */
const COLOURS: Readonly<Record<BoardDisplayStatus, string>> = {
  healthy: '#117a52',
  failing: '#b42318',
  waiting: '#7438a8',
  paused: '#526070',
  maintenance: '#17599f',
};

/** Renders a badge with a board's name and status. */
export function renderBoardBadge(view: BoardView): string {
  const statuses = new Map(
    view.groups.flatMap(({ monitors }) => monitors.map((one) => [one.id, resolveBoardDisplayStatus(one)])),
  );
  const all = [...statuses.values()];
  const failing = all.filter((status) => status === 'failing').length;
  if (failing > 0) return renderBadge(view.name, `${failing} failing`, 'failing');
  const order = ['maintenance', 'healthy', 'waiting', 'paused'] as const;
  const status = order.find((one) => all.includes(one)) ?? 'waiting';
  return renderBadge(view.name, status === 'healthy' ? 'all healthy' : status, status);
}

/** Renders a badge with a monitor's name and status. */
export function renderMonitorBadge(monitor: BoardMonitor): string {
  const status = resolveBoardDisplayStatus(monitor);
  return renderBadge(monitor.name, status, status);
}

function renderBadge(name: string, state: string, status: BoardDisplayStatus): string {
  const characters = [...name];
  const label =
    characters.length > MAX_NAME_CHARS ? `${characters.slice(0, MAX_NAME_CHARS - 1).join('')}…` : name;
  const left = estimateTextWidth(label) + PADDING;
  const right = estimateTextWidth(state) + PADDING;
  const text = (words: string, x: number, width: number) =>
    html`<text x="${x + width / 2}" y="14" textLength="${width - PADDING}" lengthAdjust="spacingAndGlyphs">${words}</text>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${state}"><title>${label}: ${state}</title><clipPath id="r"><rect width="${left + right}" height="20" rx="4"/></clipPath><g clip-path="url(#r)"><rect width="${left}" height="20" fill="#3b4654"/><rect x="${left}" width="${right}" height="20" fill="${COLOURS[status]}"/></g><g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">${text(label, 0, left)}${text(state, left, right)}</g></svg>
`.text;
}

/** Returns the estimated width of a string at 11 px. `textLength` makes the width exact for every font. */
function estimateTextWidth(text: string): number {
  let width = 0;
  for (const character of text)
    width += /[ijlftr .,:;'|!]/.test(character) ? 4.3 : /[mwMW@%]|[^\0-\u024f]/.test(character) ? 10.5 : 7;
  return Math.round(width);
}
