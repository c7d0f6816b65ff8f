/**
 * Returns the upper edge of each series in a stacked chart, which is the sum of the series up to this one. Null
 * counts as 0. A sum is null only if all its values are null.
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
 * Rounds a value up to the next number of the sequence 1, 2, 5, 10, 20, …. The result is used as the top of an
 * axis. Returns 1 for values of 0 or less.
 */
export function roundUpToTick(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((candidate) => candidate * power >= value) ?? 10;
  return step * power;
}
