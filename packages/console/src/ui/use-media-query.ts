import { useSyncExternalStore } from 'react';

interface Media {
  readonly watch: (changed: () => void) => () => void;
  readonly holds: () => boolean;
}

/** One `Media` per query for the whole page, because a table reads it on each scroll step. */
const known = new Map<string, Media>();

function mediaOf(query: string): Media {
  const kept = known.get(query);
  if (kept) return kept;
  const list = window.matchMedia(query);
  const media: Media = {
    watch(changed) {
      list.addEventListener('change', changed);
      return () => list.removeEventListener('change', changed);
    },
    holds: () => list.matches,
  };
  known.set(query, media);
  return media;
}

/** Returns whether a media query matches. The component renders again when the result changes. */
export function useMediaQuery(query: string): boolean {
  const { watch, holds } = mediaOf(query);
  return useSyncExternalStore(watch, holds);
}
