/**
 * Returns the name of the color token of each series. A previous period has the color of its series, or a text color in
 * a stacked chart.
 */
export function listSeriesColors(
  series: readonly { readonly compare?: boolean }[],
  kind: 'lines' | 'stacked',
): string[] {
  const base = series.filter(({ compare }) => !compare).length;
  return series.map((one, index) => {
    if (one.compare && kind === 'stacked') return 'ink-3';
    const place = one.compare ? index - base : index;
    return place < 7 ? `series-${Math.max(0, place) + 1}` : 'series-other';
  });
}
