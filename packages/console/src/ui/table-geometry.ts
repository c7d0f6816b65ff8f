import { type RefObject, useLayoutEffect, useState } from 'react';
import { useMediaQuery } from './use-media-query.ts';

/** Row positions and keyboard navigation of a table. */

/**
 * Returns the index of the row that receives the focus when a key is pressed in row `from`. Returns null if the
 * key does not move the focus.
 */
export function findNextRowForKey(key: string, from: number, rows: number): number | null {
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

/** Returns the index of the row with an ID, or the nearest index if the row no longer exists. */
export function findRowIndex<Row>(
  rows: readonly Row[],
  rowId: (row: Row) => string,
  { id, index }: { readonly id: string; readonly index: number },
): number {
  const isAt = (row: Row | undefined) => row !== undefined && (id === '' || rowId(row) === id);
  const found = isAt(rows[index]) ? index : rows.findIndex(isAt);
  return found === -1 ? Math.max(0, Math.min(index, rows.length - 1)) : found;
}

/**
 * Returns the enclosing element that scrolls, which has the attribute `data-scroll`. Returns null if there is
 * none.
 */
export function findScrollParent(element: HTMLElement | null): HTMLElement | null {
  return element?.closest<HTMLElement>('[data-scroll]') ?? null;
}

/** Returns the current width of an element in rem, or infinity until the element is rendered. */
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

/** Returns the distance in pixels from the top of the scrolling content to an element. */
export function getOffsetInScrollParent(element: HTMLElement | null): number {
  const frame = findScrollParent(element);
  if (!element || !frame) return 0;
  return Math.round(
    element.getBoundingClientRect().top - frame.getBoundingClientRect().top + frame.scrollTop,
  );
}

/**
 * Returns the row height in pixels. It depends on the density setting, the pointer device, and whether rows are
 * shown as cards (`phone`).
 */
export function useRowHeight(phone: boolean): number {
  const coarse = useMediaQuery('(pointer: coarse)');
  const comfortable = document.documentElement.dataset['density'] === 'comfortable';
  return Math.round((phone ? 3.75 : coarse ? 3 : comfortable ? 2.75 : 2.25) * rootPx());
}

/** Returns whether an element in a row is a control or is inside one. A click on it must not open the row. */
export function isInteractiveElement(target: Element): boolean {
  return target.closest('a,button,input,label') !== null;
}

/** Gives the cell at the pointer a tooltip with its whole text if the cell is too narrow for it. */
export function showCutText(target: EventTarget): void {
  const cell = target instanceof Element && target.closest<HTMLElement>('[data-column]');
  if (!cell) return;
  const isCut = [cell, ...cell.querySelectorAll('*')].some(
    // Text for screen readers is in elements that are one pixel wide.
    ({ scrollWidth, clientWidth }) => clientWidth > 1 && scrollWidth > clientWidth,
  );
  cell.title = isCut ? cell.innerText : '';
}
