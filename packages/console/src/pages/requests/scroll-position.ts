/** Stores the scroll position of a list per history entry of the tab. Pure except for the given storage. */

/** A scroll position, relative to a row so that it stays correct when rows are added. */
export interface ScrollPosition {
  /** ID of the first visible row. `offset` is its distance in pixels from the top of the scroll area. */
  readonly row: string;
  readonly offset: number;
  /**
   * Number of rows above the first visible row. That many rows must be loaded before the position can be
   * restored.
   */
  readonly index: number;
}

const NAME = 'floe.places';
const MAX_POSITIONS = 50;

/** Returns the stored scroll position of an entry in the browser history, or null if none is stored. */
export function loadScrollPosition(storage: Pick<Storage, 'getItem'>, entry: string): ScrollPosition | null {
  const found = readPositions(storage).find(([name]) => name === entry);
  return found ? found[1] : null;
}

/**
 * Stores the scroll position for one entry of the browser history. If `place` is null (the top of the page), removes
 * the stored position.
 */
export function storeScrollPosition(
  storage: Pick<Storage, 'getItem' | 'setItem'>,
  entry: string,
  place: ScrollPosition | null,
): void {
  const others = readPositions(storage).filter(([name]) => name !== entry);
  const all = place ? [...others, [entry, place]] : others;
  storage.setItem(NAME, JSON.stringify(all.slice(-MAX_POSITIONS)));
}

function readPositions(storage: Pick<Storage, 'getItem'>): [string, ScrollPosition][] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(NAME) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is [string, ScrollPosition] {
  if (!Array.isArray(value) || typeof value[0] !== 'string') return false;
  const place: unknown = value[1];
  return (
    typeof place === 'object' &&
    place !== null &&
    'row' in place &&
    typeof place.row === 'string' &&
    'offset' in place &&
    typeof place.offset === 'number' &&
    'index' in place &&
    typeof place.index === 'number'
  );
}
