/** Where a list stood, for each entry of the tab's history. Pure but for the storage it is given. */

export interface ScrollPosition {
  /** The first row in view, and how far below the top of what scrolls it begins, in pixels. */
  readonly row: string;
  readonly offset: number;
  /** How many rows stood above it: so many must be read before it can be there again. */
  readonly index: number;
}

const NAME = 'floe.places';
const MAX_POSITIONS = 50;

export function loadScrollPosition(storage: Pick<Storage, 'getItem'>, entry: string): ScrollPosition | null {
  const found = readPositions(storage).find(([name]) => name === entry);
  return found ? found[1] : null;
}

/** Null: at the top, which needs no word. */
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
