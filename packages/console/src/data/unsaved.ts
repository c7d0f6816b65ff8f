import { useEffect, useMemo, useRef } from 'react';

/** Whether leaving now would lose what was typed. */
export interface Unsaved {
  readonly isSo: () => boolean;
  /** It was saved, or is gone: known before the next drawing, for whoever leaves at once. */
  readonly settle: () => void;
}

/** @param isChanged whether the form differs from what is saved */
export function useUnsaved(isChanged: boolean): Unsaved {
  const changed = useRef(isChanged);
  const settled = useRef(false);
  useEffect(() => {
    changed.current = isChanged;
    if (!isChanged) settled.current = false;
  });
  return useMemo(
    () => ({
      isSo: () => changed.current && !settled.current,
      settle: () => {
        settled.current = true;
      },
    }),
    [],
  );
}
