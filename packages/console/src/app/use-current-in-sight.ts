import { type RefObject, useEffect } from 'react';

/** Brings the link of the page that is shown into sight, where a list of links scrolls. `place` changes with the page. */
export function useCurrentInSight(list: RefObject<HTMLElement | null>, place: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another link.
  useEffect(() => {
    list.current
      ?.querySelector('[aria-current=page]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [list, place]);
}
