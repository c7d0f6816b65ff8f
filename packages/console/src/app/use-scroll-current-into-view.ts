import type { RefObject } from 'react';
import { useOnChange } from '../data/on-change.ts';

/** Brings the link of the page that is shown into sight, where a list of links scrolls. `place` changes with the page. */
export function useScrollCurrentIntoView(list: RefObject<HTMLElement | null>, place: string): void {
  useOnChange(place, () => {
    const link = list.current?.querySelector('[aria-current=page]');
    if (!link) return;
    // Told with the next frame's own layout: asking at once would lay out a page that is still being made.
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
