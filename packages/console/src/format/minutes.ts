import { formatDuration } from './amounts.ts';
import { toDurationInput, toDurationMs } from './duration-input.ts';

const MINUTE_MS = 60_000;

/**
 * Parses `90m`, `1.5 h`, `1d`, `30 s` or a plain number of minutes, and returns minutes. Returns null for
 * other text.
 */
export function parseMinutes(text: string): number | null {
  const length = toDurationInput(text, 'm');
  return length && Math.round((toDurationMs(length) / MINUTE_MS) * 1e6) / 1e6;
}

/** Formats minutes as `24 h`, `90 min` or `3 d`. `parseMinutes` converts the text back to the same number. */
export function formatMinutes(minutes: number): string {
  if (minutes === 0) return '0 min';
  if (minutes < 1) return `${Math.round(minutes * 60)} s`;
  if (minutes < 120 && minutes % 60 !== 0) return `${Number(minutes.toFixed(2))} min`;
  if (minutes % 1440 === 0 && minutes > 1440) return `${minutes / 1440} d`;
  if (minutes % 60 === 0 && minutes <= 2880) return `${minutes / 60} h`;
  return formatDuration(minutes * MINUTE_MS);
}
