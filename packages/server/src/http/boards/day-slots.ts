import type { BoardDay, StatusDurations } from '../../monitoring/boards/board-days.ts';
import { formatBoardDuration, type ZoneFormatter } from './board-text.ts';
import { html, type Markup } from './markup.ts';

/** With more monitors a page would have thousands of slots, so it lists only the affected days. */
const MONITORS_WITH_SLOTS = 50;
const STATES = ['failing', 'unknown', 'paused', 'waiting', 'healthy'] as const;

export function hasDaySlots(monitors: number): boolean {
  return monitors <= MONITORS_WITH_SLOTS;
}

/**
 * A radio button over the bar of each day: one stop for Tab, arrows from day to day, a tap for a finger, and what the day
 * was in words, all without scripts. The button that is off keeps Enter from sending the form anywhere.
 *
 * @param name of the monitor
 * @param words what each day was, oldest first
 */
export function renderDaySlots(name: string, words: readonly string[]): Markup {
  const slots = words.map((text) => html`<label><input type="radio" name="d"><span>${text}</span></label>`);
  return html`<form><fieldset><legend>${name}, day by day</legend>${slots}</fieldset><button disabled hidden></button></form>`;
}

/** Describes a day: `24 Aug 2026: failing 6 h, healthy 18 h`. */
export function formatDay(
  sums: StatusDurations | undefined,
  day: BoardDay | undefined,
  zone: ZoneFormatter,
): string {
  if (!sums || !day) return '';
  const parts = STATES.filter((state) => sums[state] >= 1_000);
  const [only] = parts;
  const isWhole = only !== undefined && parts.length === 1 && sums[only] >= day.endsAt - day.startsAt - 1_000;
  const summary = isWhole
    ? `${only} all day`
    : parts.map((state) => `${state} ${formatBoardDuration(sums[state])}`).join(', ');
  return `${formatDate(day, zone)}: ${summary === '' ? 'no data' : summary}`;
}

/** Formats the middle of the day, which is on that day even when the clocks change. */
export function formatDate({ startsAt, endsAt }: BoardDay, zone: ZoneFormatter): string {
  return zone.date((startsAt + endsAt) / 2);
}
