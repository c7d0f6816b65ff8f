import type { RefObject } from 'react';
import { useOnChange } from '../data/on-change.ts';

/** Brings the link of the page that is shown into sight, where a list of links scrolls. `place` changes with the page. */
export function useCurrentInSight(list: RefObject<HTMLElement | null>, place: string): void {
  useOnChange(place, () => {
    list.current
      ?.querySelector('[aria-current=page]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
}
