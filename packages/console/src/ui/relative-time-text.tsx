import { useSyncExternalStore } from 'react';
import { formatFullDateTime, formatRelativeTime, getBrowserTimeZone } from '../format/times.ts';
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

/** Returns the current time, updated every second. */
export function useNow(): Date {
  return useSyncExternalStore(clock.follow, clock.now);
}

/**
 * Shows a relative time such as `9 h ago`, with the full time and time zone as a tooltip. Renders again only
 * when the text changes.
 */
export function RelativeTimeText({ at }: { readonly at: string }) {
  const moment = new Date(at);
  const words = useSyncExternalStore(clock.follow, () => formatRelativeTime(moment, clock.now()));
  return (
    <Tooltip text={<FullTime moment={moment} />}>
      <time dateTime={at}>{words}</time>
    </Tooltip>
  );
}

/** Formats the full time only when it is shown, because a list contains many times. */
function FullTime({ moment }: { readonly moment: Date }) {
  return formatFullDateTime(moment, getBrowserTimeZone());
}
