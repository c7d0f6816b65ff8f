/**
 * Compares the number of requests in each minute with a limit. `over` is the number of minutes above the limit,
 * `refused` is the number of requests that the limit would have rejected, and `most` is the number of requests
 * in the busiest minute.
 * @param values The number of requests in each minute.
 * @param bound The limit, in requests per minute.
 */
export function computeLimitImpact(
  values: readonly (number | null)[],
  bound: number,
): { readonly over: number; readonly refused: number; readonly most: number } {
  let [over, refused, most] = [0, 0, 0];
  for (const value of values) {
    const here = value ?? 0;
    most = Math.max(most, here);
    if (here <= bound) continue;
    over += 1;
    refused += here - bound;
  }
  return { over, refused, most };
}
