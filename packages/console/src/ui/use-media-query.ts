import { useSyncExternalStore } from 'react';

interface Media {
  readonly watch: (changed: () => void) => () => void;
  readonly holds: () => boolean;
}

/** One list of each query for the whole page: a table asks with every step of its scrolling. */
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

/** Whether a media query holds, kept up to date. */
export function useMediaQuery(query: string): boolean {
  const { watch, holds } = mediaOf(query);
  return useSyncExternalStore(watch, holds);
}
