import { toExactFilterValue } from '../../filters/filter-value.ts';

const HALF_DAY_MS = 12 * 3_600_000;

/**
 * Returns the URL parameters of the list of requests with the same value of a field. The list contains the
 * request itself: by default it covers the last 24 hours, and for an older request, 12 hours before and after it.
 * @param createdAt Time of the request, as an ISO 8601 timestamp.
 */
export function buildSimilarRequestsSearch(
  field: string,
  value: string,
  createdAt: string,
  now: Date,
): Readonly<Record<string, string>> {
  const filter = { [field]: toExactFilterValue(value) };
  const at = Date.parse(createdAt);
  if (now.getTime() - at < 2 * HALF_DAY_MS) return filter;
  const time = (ms: number) => new Date(ms).toISOString();
  return { ...filter, from: time(at - HALF_DAY_MS), to: time(at + HALF_DAY_MS) };
}
