import { useSyncExternalStore } from 'react';
import { browserZone, formatFullTime, formatRelativeTime } from '../format/times.ts';
import { PageClock } from './page-clock.ts';
import { Tooltip } from './tooltip.tsx';

const clock = new PageClock({
  nowMs: Date.now,
  isHidden: () => document.hidden,
  everySecond: (tick) => {
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  },
});

/** Now, to the second. */
export function useNow(): Date {
  return useSyncExternalStore(clock.follow, clock.now);
}

/** `9 h ago`, with the full time and its zone behind it. Drawn again when its words change, not every second. */
export function TimeText({ at }: { readonly at: string }) {
  const moment = new Date(at);
  const words = useSyncExternalStore(clock.follow, () => formatRelativeTime(moment, clock.now()));
  return (
    <Tooltip text={<FullTime moment={moment} />}>
      <time dateTime={at}>{words}</time>
    </Tooltip>
  );
}

/** Worked out when somebody looks: a list shows many times and opens few. */
function FullTime({ moment }: { readonly moment: Date }) {
  return formatFullTime(moment, browserZone());
}
