import { type Key, type ReactNode, useRef } from 'react';

/** A row, all values that determine how it is rendered, and the function that renders it. */
export interface MemoizedRow {
  readonly key: Key;
  /** All values that the row’s appearance and handlers depend on. */
  readonly of: readonly unknown[];
  readonly drawn: () => ReactNode;
}

/**
 * Returns a function that renders rows and reuses the elements of rows whose values have not changed, so that
 * scrolling renders only new rows. Pages must therefore pass the same column and function objects on each
 * render.
 */
export function useMemoizedRowRenderer(): (rows: readonly MemoizedRow[]) => readonly ReactNode[] {
  const kept = useRef<ReadonlyMap<Key, { readonly of: readonly unknown[]; readonly element: ReactNode }>>(
    new Map(),
  );
  return (rows) => {
    const next = rows.map(({ key, of, drawn }) => {
      const before = kept.current.get(key);
      const isSame = before?.of.every((part, index) => part === of[index]);
      return [key, { of, element: before && isSame ? before.element : drawn() }] as const;
    });
    kept.current = new Map(next);
    return next.map(([, { element }]) => element);
  };
}
