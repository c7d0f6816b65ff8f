import { useMedia } from './media.ts';

/** Where a key leads from a row; null when it is no key of ours. */
export function target(key: string, from: number, rows: number): number | null {
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

export function isControl(target: Element): boolean {
  return target.closest('a,button,input,label') !== null;
}

export function scroller(element: HTMLElement | null): HTMLElement | null {
  return element?.closest<HTMLElement>('[data-scroll]') ?? null;
}

/** How far below the top of what scrolls. */
export function offsetIn(element: HTMLElement | null): number {
  const frame = scroller(element);
  if (!element || !frame) return 0;
  return Math.round(
    element.getBoundingClientRect().top - frame.getBoundingClientRect().top + frame.scrollTop,
  );
}

/** The height of a row in pixels: of the density, and of a card on a phone. */
export function useRowHeight(phone: boolean): number {
  const coarse = useMedia('(pointer: coarse)');
  const comfortable = document.documentElement.dataset['density'] === 'comfortable';
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  return Math.round((phone ? 3.75 : coarse ? 3 : comfortable ? 2.75 : 2.25) * rem);
}
