/**
 * Compares the number of requests in each minute with a limit. `minutesOver` is the number of minutes above the limit,
 * `rejected` is the number of requests that the limit would have rejected, and `most` is the number of requests
 * in the busiest minute.
 * @param values The number of requests in each minute.
 * @param bound The limit, in requests per minute.
 */
export function computeLimitImpact(
  values: readonly (number | null)[],
  bound: number,
): { readonly minutesOver: number; readonly rejected: number; readonly most: number } {
  let [minutesOver, rejected, most] = [0, 0, 0];
  for (const value of values) {
    const here = value ?? 0;
    most = Math.max(most, here);
    if (here <= bound) continue;
    minutesOver += 1;
    rejected += here - bound;
  }
  return { minutesOver, rejected, most };
}
