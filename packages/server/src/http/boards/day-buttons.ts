import type { BoardDay, StatusDurations } from '../../monitoring/boards/board-days.ts';
import { formatBoardDuration, type TimeZoneDateFormatter } from './board-text.ts';
import { html, type Markup } from './markup.ts';

/**
 * Maximum number of monitors with day buttons. Larger pages would have thousands of buttons, so they list only the
 * affected days.
 */
const MONITORS_WITH_SLOTS = 50;
const STATES = ['failing', 'unknown', 'paused', 'waiting', 'healthy'] as const;

/** Returns whether a page with this number of monitors shows a button for each day. */
export function shouldShowDayButtons(monitors: number): boolean {
  return monitors <= MONITORS_WITH_SLOTS;
}

/**
 * Renders a radio button over each day's bar. With Tab, the arrow keys or touch, readers can show a
 * day's description without scripts. A disabled submit button prevents Enter from submitting the
 * form.
 *
 * @param name the monitor's name
 * @param words description of each day, oldest first
 */
export function renderDayButtons(name: string, words: readonly string[]): Markup {
  const slots = words.map((text) => html`<label><input type="radio" name="d"><span>${text}</span></label>`);
  return html`<form><fieldset><legend>${name}, day by day</legend>${slots}</fieldset><button disabled hidden></button></form>`;
}

/** Describes a day: `24 Aug 2026: failing 6 h, healthy 18 h`. */
export function describeBoardDay(
  sums: StatusDurations | undefined,
  day: BoardDay | undefined,
  zone: TimeZoneDateFormatter,
): string {
  if (!sums || !day) return '';
  const parts = STATES.filter((state) => sums[state] >= 1_000);
  const [only] = parts;
  const isWhole = only !== undefined && parts.length === 1 && sums[only] >= day.endsAt - day.startsAt - 1_000;
  const summary = isWhole
    ? `${only} all day`
    : parts.map((state) => `${state} ${formatBoardDuration(sums[state])}`).join(', ');
  return `${formatBoardDate(day, zone)}: ${summary === '' ? 'no data' : summary}`;
}

/**
 * Formats a day's date. Uses the middle of the day, because it is on that date even when daylight
 * saving time starts or ends.
 */
export function formatBoardDate({ startsAt, endsAt }: BoardDay, zone: TimeZoneDateFormatter): string {
  return zone.date((startsAt + endsAt) / 2);
}
