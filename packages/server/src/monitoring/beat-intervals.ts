/** Number of intervals that are stored to estimate how often a job reports. */
const MAX_INTERVALS = 20;

/** Appends an interval in milliseconds, and removes the oldest intervals so that 20 remain. */
export function appendBeatInterval(intervals: string, intervalMs: number): string {
  if (intervals === '') return String(intervalMs);
  const more = `${intervals},${intervalMs}`;
  let count = 1;
  for (let at = more.indexOf(','); at !== -1; at = more.indexOf(',', at + 1)) count += 1;
  return count <= MAX_INTERVALS ? more : more.slice(more.indexOf(',') + 1);
}

/** Returns the median interval in milliseconds; infinity if there are no intervals. */
export function computeMedianBeatIntervalMs(intervals: string): number {
  if (intervals === '') return Number.POSITIVE_INFINITY;
  const sorted = intervals
    .split(',')
    .map(Number)
    .sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.POSITIVE_INFINITY;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
