import { useSyncExternalStore } from 'react';
import { getCurrentTime } from '../data/server-clock.ts';
import { formatFullDateTime, formatRelativeTime, getBrowserTimeZone } from '../format/times.ts';
import { PageClock } from './page-clock.ts';
import { Tooltip } from './tooltip.tsx';

const clock = new PageClock({
  nowMs: () => getCurrentTime().getTime(),
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

/** Returns the start of the current minute. Renders again only once a minute. */
export function useCurrentMinute(): Date {
  const minute = useSyncExternalStore(clock.follow, () => Math.floor(clock.now().getTime() / 60_000));
  return new Date(minute * 60_000);
}

/**
 * Shows a relative time such as `9 h ago`, with the full time and time zone as a tooltip. The component renders
 * again only when the text changes.
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
