import type { RefObject } from 'react';
import { useValueEffect } from '../data/use-value-effect.ts';

/**
 * Scrolls a list of links so that the link to the current page is visible. Scrolls again when `path` changes. It
 * contains the path of the current page, and all that determines whether the list is rendered.
 */
export function useScrollCurrentLinkIntoView(list: RefObject<HTMLElement | null>, path: string): void {
  useValueEffect(path, () => {
    const link = list.current?.querySelector('[aria-current=page]');
    if (!link) return;
    // An observer uses the layout of the next frame. Reading positions now would force a layout of a page
    // that is still rendering.
    const observer = new IntersectionObserver(
      ([seen]) => {
        observer.disconnect();
        if (seen && seen.intersectionRatio < 1) link.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      },
      { root: list.current },
    );
    observer.observe(link);
    return () => observer.disconnect();
  });
}
