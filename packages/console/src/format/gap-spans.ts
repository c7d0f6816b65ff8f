/** A time span without data, with its position as fractions of a chart’s width. */
export interface GapSpan {
  readonly left: number;
  readonly width: number;
  readonly ms: number;
}

/** Minimum width of a gap as a fraction of the chart. Narrower gaps are omitted. */
const LEAST_SHARE = 0.001;

/**
 * Converts gaps to spans of a chart, cut to the time range of the chart. Omits gaps that are too short to be
 * visible. Pure.
 * @param at The start of each interval of the chart, in milliseconds since the epoch.
 */
export function toGapSpans(
  gaps: readonly { readonly started_at: string; readonly ended_at: string }[],
  at: readonly number[],
): readonly GapSpan[] {
  const [first, second] = at;
  const last = at.at(-1);
  if (first === undefined || second === undefined || last === undefined) return [];
  const whole = last + second - first - first;
  return gaps.flatMap(({ started_at, ended_at }) => {
    const from = Math.max(Date.parse(started_at), first);
    const to = Math.min(Date.parse(ended_at), first + whole);
    const width = (to - from) / whole;
    return width < LEAST_SHARE ? [] : [{ left: (from - first) / whole, width, ms: to - from }];
  });
}

/**
 * Replaces the value 0 with null for intervals that are entirely in a gap, because Floe could not count
 * anything then. Pure.
 */
export function replaceZerosInGapsWithNull(
  values: readonly (number | null)[],
  away: readonly GapSpan[],
): readonly (number | null)[] {
  if (away.length === 0) return values;
  const step = 1 / values.length;
  const slack = step / 100;
  return values.map((value, index) => {
    const from = index * step;
    const hidden = away.some(
      ({ left, width }) => left <= from + slack && left + width >= from + step - slack,
    );
    return hidden && value === 0 ? null : value;
  });
}
