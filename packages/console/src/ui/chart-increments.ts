/** 1, 2, 5, 10, 20, 50 and so on, up to 5 × 10¹⁵. */
const INTEGER_INCREMENTS = Array.from({ length: 16 }, (_, power) =>
  [1, 2, 5].map((n) => n * 10 ** power),
).flat();

/**
 * Returns the possible increments between the labels of the value axis. If all values are integers, such as counts, the
 * labels are integers too. Otherwise, the chart library chooses the increments.
 */
export function getAxisIncrementOptions(values: readonly (readonly (number | null)[])[]): {
  incrs?: number[];
} {
  const isCount = values.every((series) =>
    series.every((value) => value === null || Number.isInteger(value)),
  );
  return isCount ? { incrs: INTEGER_INCREMENTS } : {};
}
