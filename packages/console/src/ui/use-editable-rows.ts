import { type Key, type ReactNode, useRef } from 'react';

export interface EditableRow {
  readonly key: Key;
  /** All values that the row’s appearance and handlers depend on. */
  readonly of: readonly unknown[];
  readonly drawn: () => ReactNode;
}

/**
 * Reuses the element of a row whose values have not changed, so that scrolling renders only new rows. This
 * requires that pages pass the same column and function objects on each render.
 */
export function useEditableRows(): (rows: readonly EditableRow[]) => readonly ReactNode[] {
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
