import { type DurationInput, parseDurationInput, toDurationMs } from './duration-input.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const UNITS = [
  { name: 'd', ms: 1440 * MINUTE_MS },
  { name: 'h', ms: 60 * MINUTE_MS },
  { name: 'min', ms: MINUTE_MS },
] as const;

/**
 * Parses `90m`, `1.5 h`, `2 h 30 min`, `30 s` or a plain number of minutes, and returns minutes. Returns null
 * for other text.
 */
export function parseMinutes(text: string): number | null {
  const parts = text.trim().split(/(?<=[a-z])\s*(?=\d)/i);
  const lengths: DurationInput[] = [];
  for (const part of parts) {
    const length = parseDurationInput(part, parts.length === 1 ? 'm' : null);
    const last = lengths.at(-1);
    const isSmaller =
      length && (!last || toDurationMs({ ...length, amount: 1 }) < toDurationMs({ ...last, amount: 1 }));
    if (!isSmaller) return null;
    lengths.push(length);
  }
  const ms = lengths.reduce((sum, length) => sum + toDurationMs(length), 0);
  return Math.round((ms / MINUTE_MS) * 1e6) / 1e6;
}

/**
 * Formats minutes as `24 h`, `90 min`, `2 h 30 min` or `3 d`. `parseMinutes` converts the text back to the same
 * number, so that a form does not change a value that was not edited.
 */
export function formatMinutes(minutes: number): string {
  if (minutes === 0) return '0 min';
  const ms = Math.round(minutes * MINUTE_MS);
  if (ms < MINUTE_MS) return `${ms / SECOND_MS} s`;
  if (minutes < 120 && minutes % 60 !== 0 && Number(minutes.toFixed(2)) === minutes) return `${minutes} min`;
  if (minutes % 60 === 0 && minutes <= 2880 && minutes % 2880 !== 0) return `${minutes / 60} h`;
  const parts: string[] = [];
  let rest = ms;
  for (const { name, ms: unit } of UNITS) {
    const count = Math.floor(rest / unit);
    if (count > 0) parts.push(`${count} ${name}`);
    rest -= count * unit;
  }
  if (rest > 0) parts.push(`${rest / SECOND_MS} s`);
  return parts.join(' ');
}
