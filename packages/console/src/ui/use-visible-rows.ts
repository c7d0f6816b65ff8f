import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useMediaQuery } from './use-media-query.ts';

/** Rows that are drawn at once, and beyond what is in sight. */
const STEP = 40;
/** How far below what is in sight rows are drawn already. */
const AHEAD_PX = 600;

interface RowsInSight {
  /** How many rows to draw. */
  readonly shown: number;
  /** What stands for the others: an element so high, to be watched by `ref`. Null when all are drawn. */
  readonly rest: { readonly ref: RefObject<HTMLLIElement | null>; readonly height: string } | null;
  /** Draws the rows up to a place. */
  readonly reveal: (place: number) => void;
}

/** How many rows of a long list of handles to draw: what one has scrolled to, and some more. They stay. */
export function useVisibleRows(count: number): RowsInSight {
  const [drawn, setDrawn] = useState(STEP);
  const ref = useRef<HTMLLIElement>(null);
  const isCoarse = useMediaQuery('(pointer: coarse)');
  const shown = Math.min(count, drawn);
  const left = count - shown;
  useEffect(() => {
    const { current } = ref;
    if (!current || left <= 0) return;
    const observer = new IntersectionObserver(
      ([seen]) => {
        if (!seen?.isIntersecting) return;
        const { top, height } = seen.boundingClientRect;
        const below = (seen.rootBounds?.bottom ?? top) - top;
        setDrawn(shown + STEP + Math.ceil((left * below) / height));
      },
      { root: current.closest('[data-scroll]'), rootMargin: `${AHEAD_PX}px` },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, [shown, left]);
  const reveal = useCallback(
    (place: number) => setDrawn((before) => (place < before ? before : place + STEP)),
    [],
  );
  // A row with its gap, as `SortList` draws it.
  const rowRem = isCoarse ? 3.75 : 3;
  return { shown, rest: left > 0 ? { ref, height: `${left * rowRem}rem` } : null, reveal };
}
