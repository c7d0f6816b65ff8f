import { type RefObject, useLayoutEffect, useState } from 'react';
import { useMediaQuery } from './use-media-query.ts';

/** Where rows of a table are, and where keys lead among them. */

/** Where a key leads from a row; null when it is no key of ours. */
export function nextRowForKey(key: string, from: number, rows: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + 15,
    PageUp: from - 15,
    Home: 0,
    End: rows - 1,
  };
  const to = steps[key];
  return to === undefined ? null : Math.max(0, Math.min(rows - 1, to));
}

/** What the table scrolls with. */
export function findScrollParent(element: HTMLElement | null): HTMLElement | null {
  return element?.closest<HTMLElement>('[data-scroll]') ?? null;
}

/** The width of an element in rem, kept up to date; without bound until it is there. */
export function useElementWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return;
    const measure = () => setWidth(current.clientWidth / rootPx());
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

function rootPx(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}

/** How far below the top of what scrolls. */
export function offsetInScrollParent(element: HTMLElement | null): number {
  const frame = findScrollParent(element);
  if (!element || !frame) return 0;
  return Math.round(
    element.getBoundingClientRect().top - frame.getBoundingClientRect().top + frame.scrollTop,
  );
}

/** The height of a row in pixels: of the density, and of a card on a phone. */
export function useRowHeight(phone: boolean): number {
  const coarse = useMediaQuery('(pointer: coarse)');
  const comfortable = document.documentElement.dataset['density'] === 'comfortable';
  return Math.round((phone ? 3.75 : coarse ? 3 : comfortable ? 2.75 : 2.25) * rootPx());
}

/** Whether something in a row does something of its own when it is clicked. */
export function isInteractiveElement(target: Element): boolean {
  return target.closest('a,button,input,label') !== null;
}
