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

/** `9 h ago`, with the full time and its zone behind it. Drawn again when its words change, not every second. */
export function TimeText({ at }: { readonly at: string }) {
  const moment = new Date(at);
  const words = useSyncExternalStore(follow, () => relative(moment, now));
  return (
    <Tooltip text={<FullTime moment={moment} />}>
      <time dateTime={at}>{words}</time>
    </Tooltip>
  );
}

/** Worked out when somebody looks: a list shows many times and opens few. */
function FullTime({ moment }: { readonly moment: Date }) {
  return fullTime(moment, browserZone());
}
