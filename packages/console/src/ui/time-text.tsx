import { useSyncExternalStore } from 'react';
import { browserZone, fullTime, relative } from '../format/moments.ts';
import { Tooltip } from './tooltip.tsx';

let now = new Date();
const readers = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

/** One clock for all relative times of the page; it stands while the tab is hidden. */
function follow(changed: () => void): () => void {
  readers.add(changed);
  ticking ??= setInterval(() => {
    if (document.hidden) return;
    now = new Date();
    for (const reader of readers) reader();
  }, 1000);
  return () => {
    readers.delete(changed);
    if (readers.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

/** Now, to the second. */
export function useNow(): Date {
  return useSyncExternalStore(follow, () => now);
}

/** `9 h ago`, with the full time and its zone behind it. */
export function TimeText({ at }: { readonly at: string }) {
  const shown = useNow();
  const moment = new Date(at);
  return (
    <Tooltip text={fullTime(moment, browserZone())}>
      <time dateTime={at}>{relative(moment, shown)}</time>
    </Tooltip>
  );
}
