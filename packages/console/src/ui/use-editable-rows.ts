import { type Key, type ReactNode, useRef } from 'react';

export interface EditableRow {
  readonly key: Key;
  /** Everything its look and its handlers are made of. */
  readonly of: readonly unknown[];
  readonly drawn: () => ReactNode;
}

/**
 * Rows whose parts are what they were keep their element, and React leaves them alone: while one scrolls, only rows that
 * come into view are work. For that a page gives columns and functions the same identity each time.
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
