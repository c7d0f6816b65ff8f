/**
 * Counts the minutes in which more requests arrived than the limit allows, and the requests that exceed it.
 * Also returns the number of requests in the busiest minute.
 */
export function countExceededMinutes(
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
