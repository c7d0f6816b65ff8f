import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useMediaQuery } from './use-media-query.ts';

/** Number of rows that are rendered at once. */
const STEP = 40;
/** Distance below the visible area, in pixels, in which rows are already rendered. */
const AHEAD_PX = 600;

interface VisibleRows {
  /** Number of rows to render. */
  readonly shown: number;
  /**
   * Placeholder for the rows that are not rendered: an element with this height, observed with `ref`. Null if
   * all rows are rendered.
   */
  readonly rest: { readonly ref: RefObject<HTMLLIElement | null>; readonly height: string } | null;
  /** Renders the rows up to an index. */
  readonly reveal: (place: number) => void;
}

/**
 * Manages how many rows of a long reorderable list are rendered. Returns this number, a placeholder for the
 * other rows, and a function that renders the rows up to an index. Rendered rows stay rendered.
 */
export function useIncrementalRows(count: number): VisibleRows {
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
  // Height of a row and its gap, as `SortableList` renders them.
  const rowRem = isCoarse ? 3.75 : 3;
  return { shown, rest: left > 0 ? { ref, height: `${left * rowRem}rem` } : null, reveal };
}
