/**
 * Returns the list with one item moved. An index out of range is treated as the nearest end of the list.
 * Pure.
 */
export function moveItem<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const item = items[from];
  const place = Math.max(0, Math.min(items.length - 1, to));
  if (item === undefined || place === from) return items;
  const rest = items.toSpliced(from, 1);
  return rest.toSpliced(place, 0, item);
}

/**
 * Returns the index of the row whose vertical center is nearest to `y`.
 * @param middles The vertical center of each row, in the same unit as `y`.
 */
export function findNearestRowIndex(middles: readonly number[], y: number): number {
  let best = 0;
  middles.forEach((middle, index) => {
    if (Math.abs(middle - y) < Math.abs((middles[best] ?? 0) - y)) best = index;
  });
  return best;
}
