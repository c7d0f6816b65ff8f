import { ArrowUp, Pin, Radio, Unplug } from 'lucide-react';
import { useEffect } from 'react';
import { useEventStreamState, useLastUpdateBeforeDisconnectMs } from '../../data/use-server-events.ts';
import { formatClockTime, formatShortTime, getBrowserTimeZone } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { Tooltip } from '../../ui/tooltip.tsx';
import { requestsText } from './text.ts';
import type { RequestList } from './use-request-list.ts';

/**
 * Renders a button that turns live updates of the list on or off. The button also shows whether the list
 * updates live, or why it does not.
 */
export function LiveUpdatesButton({ list }: { readonly list: RequestList }) {
  const { live, tail, span, change, query } = list;
  const wide = query.has('open') ? 'hidden' : 'max-xl:hidden';
  const isLost = useEventStreamState() === 'reconnecting';
  useWaitingInTitle(live ? tail.waiting : 0);
  if (span.range === null)
    return (
      <Tooltip text={requestsText.live.fixedTimeHint}>
        <Button icon={Pin} onClick={() => change({ from: null, to: null, range: '1h', live: null })}>
          {requestsText.live.fixedTime}
        </Button>
      </Tooltip>
    );
  if (live && tail.waiting > 0)
    return (
      <Button
        icon={Radio}
        aria-pressed
        aria-label={requestsText.live.paused(tail.waiting)}
        className={joinClassNames(WIDTH, LIVE)}
        onClick={() => showWaitingRequests(list)}
      >
        <span className={wide}>{requestsText.live.pausedBefore}</span>
        {tail.waiting}
        <span className={wide}>{requestsText.live.pausedAfter(tail.waiting)}</span>
      </Button>
    );
  if (live && isLost) return <ReconnectingButton list={list} />;
  return (
    <Button
      icon={Radio}
      aria-pressed={live}
      className={joinClassNames(WIDTH, live && LIVE)}
      onClick={() => toggleLiveUpdates(list)}
    >
      {requestsText.live.on}
    </Button>
  );
}

/** Shown while the event stream is disconnected. Shows the time of the last update. */
function ReconnectingButton({ list }: { readonly list: RequestList }) {
  const lostAt = useLastUpdateBeforeDisconnectMs();
  const isOpen = list.query.has('open');
  const last = lostAt === null ? null : new Date(lostAt);
  const since =
    last === null ? '' : requestsText.live.lastUpdate(formatClockTime(last, getBrowserTimeZone()));
  const label = `${requestsText.live.reconnecting}${since}`;
  return (
    <Tooltip text={label}>
      <Button
        icon={Unplug}
        aria-pressed
        aria-label={label}
        className={joinClassNames(WIDTH, 'border-warning-line! bg-warning-tint! text-warning-ink!')}
        onClick={() => toggleLiveUpdates(list)}
      >
        <span className={isOpen ? 'hidden' : 'max-md:hidden'}>{requestsText.live.reconnecting}</span>
        <span className={isOpen ? 'hidden' : 'max-xl:hidden'}>{since}</span>
        {last && (
          <span className={joinClassNames(!isOpen && 'md:hidden')}>
            {formatShortTime(last, getBrowserTimeZone())}
          </span>
        )}
      </Button>
    </Tooltip>
  );
}

/** Wide enough for five digits, so that the toolbar never wraps and moves the rows. */
const WIDTH = 'min-w-22';
const LIVE = 'border-healthy-line! bg-healthy-tint! text-healthy-ink!';

/** Turns live updates on or off. */
export function toggleLiveUpdates({ live, change }: RequestList): void {
  change({ live: live ? '0' : null }, 'replace');
}

/** Scrolls to the top and adds the waiting requests to the list. */
export function showWaitingRequests({ tail }: RequestList): void {
  document.querySelector('[data-scroll]')?.scrollTo({ top: 0 });
  tail.show();
}

/** Shows the number of waiting requests in the title of the browser tab. */
function useWaitingInTitle(waiting: number): void {
  useEffect(() => {
    const bare = document.title.replace(/^\(\d+\) /, '');
    document.title = waiting > 0 ? `(${waiting}) ${bare}` : bare;
  }, [waiting]);
}

/**
 * Shows the number of waiting requests. The banner covers the top rows, so no row moves when it appears or
 * disappears.
 */
export function NewRequestsBanner({ list }: { readonly list: RequestList }) {
  const { tail, live } = list;
  const { waiting, isSampled } = tail;
  if (waiting === 0 && !(isSampled && live)) return null;
  return (
    <div className="pointer-events-none sticky top-2 z-20 flex h-0 justify-center overflow-visible">
      {waiting > 0 ? (
        <Button
          icon={ArrowUp}
          onClick={() => showWaitingRequests(list)}
          className="pointer-events-auto rounded-full! shadow-popover"
        >
          {requestsText.live.newRequests(waiting)}
        </Button>
      ) : (
        <p className="h-8 rounded-full border border-line-strong bg-raised px-3 text-small leading-8 text-ink-2 shadow-popover">
          {requestsText.live.sampled}
        </p>
      )}
    </div>
  );
}
