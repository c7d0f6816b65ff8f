/** A span in which nothing could be seen, as shares of a drawing's width. */
export interface GapSpan {
  readonly left: number;
  readonly width: number;
  readonly ms: number;
}

/** Thinner than this share of a drawing nobody would see it. */
const LEAST_SHARE = 0.001;

/** Gaps as a drawing of these intervals shows them, cut to its range. Pure. */
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

/** Zeros of intervals that lie in a gap whole are no zeros: nothing could be counted. Pure. */
export function nullifyZerosInGaps(
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
