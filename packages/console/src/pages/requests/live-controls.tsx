import { ArrowUp, Pin, Radio, Unplug } from 'lucide-react';
import { useEffect } from 'react';
import { useDisconnectedAt, useEventStreamState } from '../../data/events.ts';
import { browserZone, formatClockTime, formatShortTime } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { Tooltip } from '../../ui/tooltip.tsx';
import type { RequestList } from './use-request-list.ts';

/** Whether rows arrive by themselves, why not, and how to change that. */
export function LiveButton({ list }: { readonly list: RequestList }) {
  const { live, tail, span, change, query } = list;
  const words = query.has('open') ? 'hidden' : 'max-xl:hidden';
  const isLost = useEventStreamState() === 'reconnecting';
  useWaitingInTitle(live ? tail.waiting : 0);
  if (span.range === null)
    return (
      <Tooltip text="This link shows a fixed time: its rows stay the same. Choose this to watch the newest instead.">
        <Button icon={Pin} onClick={() => change({ from: null, to: null, range: '1h', live: null })}>
          Fixed time
        </Button>
      </Tooltip>
    );
  if (live && tail.waiting > 0)
    return (
      <Button
        icon={Radio}
        aria-pressed
        aria-label={`Paused, ${tail.waiting} waiting`}
        className={joinClassNames(WIDTH, LIVE)}
        onClick={() => showWaitingRequests(list)}
      >
        <span className={words}>Paused, </span>
        {tail.waiting}
        <span className={words}> waiting</span>
      </Button>
    );
  if (live && isLost) return <ReconnectingButton list={list} />;
  return (
    <Button
      icon={Radio}
      aria-pressed={live}
      className={joinClassNames(WIDTH, live && LIVE)}
      onClick={() => toggleLive(list)}
    >
      Live
    </Button>
  );
}

/** The stream is lost, and since when; where there is no room only since when. */
function ReconnectingButton({ list }: { readonly list: RequestList }) {
  const lostAt = useDisconnectedAt();
  const isOpen = list.query.has('open');
  const last = lostAt === null ? null : new Date(lostAt);
  const since = last === null ? '' : `, last update ${formatClockTime(last, browserZone())}`;
  return (
    <Tooltip text={`Reconnecting${since}`}>
      <Button
        icon={Unplug}
        aria-pressed
        aria-label={`Reconnecting${since}`}
        className={joinClassNames(WIDTH, 'border-warning-line! bg-warning-tint! text-warning-ink!')}
        onClick={() => toggleLive(list)}
      >
        <span className={isOpen ? 'hidden' : 'max-md:hidden'}>Reconnecting</span>
        <span className={isOpen ? 'hidden' : 'max-xl:hidden'}>{since}</span>
        {last && (
          <span className={joinClassNames(!isOpen && 'md:hidden')}>
            {formatShortTime(last, browserZone())}
          </span>
        )}
      </Button>
    </Tooltip>
  );
}

/** Wide enough for five digits, so that no state is wider where there is no room: a toolbar that wraps moves the rows. */
const WIDTH = 'min-w-22';
const LIVE = 'border-healthy-line! bg-healthy-tint! text-healthy-ink!';

/** Live on or off. */
export function toggleLive({ live, change }: RequestList): void {
  change({ live: live ? '0' : null }, 'replace');
}

/** Shows what waited, where it stands. */
export function showWaitingRequests({ tail }: RequestList): void {
  document.querySelector('[data-scroll]')?.scrollTo({ top: 0 });
  tail.show();
}

/** A tab that nobody looks at says so too. */
function useWaitingInTitle(waiting: number): void {
  useEffect(() => {
    const bare = document.title.replace(/^\(\d+\) /, '');
    document.title = waiting > 0 ? `(${waiting}) ${bare}` : bare;
  }, [waiting]);
}

/** Over the rows and without a place of its own, so that no row moves when it comes or goes. */
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
          {waiting} new
        </Button>
      ) : (
        <p className="h-8 rounded-full border border-line-strong bg-raised px-3 text-small leading-8 text-ink-2 shadow-popover">
          More arrive than can be shown. Counts are exact.
        </p>
      )}
    </div>
  );
}
