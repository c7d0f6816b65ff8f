/**
 * Returns the cumulative sums of the series for a stacked chart. A gap counts as 0, and a sum is null only if
 * all its values are gaps.
 */
export function stackSeries(series: readonly (readonly (number | null)[])[]): (number | null)[][] {
  const sums: (number | null)[] = [];
  return series.map((values) =>
    values.map((value, index) => {
      const below = sums[index] ?? null;
      const sum = value === null && below === null ? null : (value ?? 0) + (below ?? 0);
      sums[index] = sum;
      return sum;
    }),
  );
}

/**
 * Returns the smallest number of the series 1, 2, 5, 10, 20, … that is at least `value`. It is the top of an
 * axis.
 */
export function roundUpToTick(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((candidate) => candidate * power >= value) ?? 10;
  return step * power;
}
