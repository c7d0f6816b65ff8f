import { resolveTimeRange, type SelectedTimeRange } from './time-range.ts';

/** As long as what was read and left is kept. */
const SAME_MS = 5 * 60_000;
const MOST = 50;
const spans = new Map<string, { readonly span: SelectedTimeRange; readonly at: number }>();

/**
 * The time of a link. A relative one is resolved once per link: rows that are paged through must not slide, nor be
 * others after Back; and what is asked before a page is drawn is what the page asks.
 *
 * @param link what makes it another link
 */
export function resolveUrlTimeRange(
  link: string,
  query: URLSearchParams,
  standard?: string,
): SelectedTimeRange {
  const now = new Date();
  const known = spans.get(link);
  if (known && now.getTime() - known.at < SAME_MS) return known.span;
  const span = resolveTimeRange(query, now, standard);
  if (spans.size > MOST) spans.clear();
  spans.set(link, { span, at: now.getTime() });
  return span;
}
