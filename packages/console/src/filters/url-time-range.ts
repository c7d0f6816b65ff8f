import { getCurrentTime } from '../data/server-clock.ts';
import { resolveTimeRange, type SelectedTimeRange } from './time-range.ts';

/**
 * How long the resolved time range of a link is kept, in milliseconds. Same as the lifetime of unused query
 * data.
 */
const SAME_MS = 5 * 60_000;
const MOST = 50;
const spans = new Map<string, { readonly span: SelectedTimeRange; readonly at: number }>();

/**
 * Returns the time range of a URL. A relative range is resolved only once for each `link` within five minutes,
 * so that paging and Back show the same rows, and prefetched queries match those of the page.
 * @param link A key that identifies the visit to the URL. A different key resolves the range again.
 */
export function resolveUrlTimeRange(
  link: string,
  query: URLSearchParams,
  defaultRange?: string,
): SelectedTimeRange {
  const now = getCurrentTime();
  const known = spans.get(link);
  if (known && Math.abs(now.getTime() - known.at) < SAME_MS) return known.span;
  const span = resolveTimeRange(query, now, defaultRange);
  if (spans.size > MOST) spans.clear();
  spans.set(link, { span, at: now.getTime() });
  return span;
}
