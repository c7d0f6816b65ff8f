import type { RequestRow } from '@floe/contract/api/analytics';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useEventStreamState, useServerEvents } from '../../data/use-server-events.ts';
import { useValueEffect } from '../../data/use-value-effect.ts';
import { addLiveBatch, type LiveBatch, NO_LIVE_ROWS, parseLiveBatch } from './live-rows.ts';
import { fetchRequestTail, isUnfiltered, type RequestFilters } from './request-data.ts';
import { REFETCH_TAIL_EVENT, TailReader } from './tail-reader.ts';

/** Poll interval in milliseconds without an event stream. */
const POLL_MS = 2000;
/** With an event stream, rows that arrive within this many milliseconds are shown together. */
const BATCH_MS = 250;
/** After this many milliseconds without new rows, a list with missing rows is reloaded. */
const SETTLED_MS = 2000;

/** The requests that have arrived since the list was loaded. */
export interface LiveTail {
  /** Rows that arrived and are displayed. */
  readonly rows: readonly RequestRow[];
  /** The exact number of rows that wait to be shown, including rows that the server did not send. */
  readonly waiting: number;
  /** Whether more rows arrive than the server sends, so that only some are displayed until the rate drops. */
  readonly isSampled: boolean;
  readonly show: () => void;
}

interface LiveList {
  readonly filters: RequestFilters;
  readonly on: boolean;
  /** The event ID up to which the loaded list is complete. Null while the list is loading. */
  readonly liveId: string | null;
  readonly knownIds: ReadonlySet<string>;
  /** Returns whether rows must not move. */
  readonly isHeld: () => boolean;
  readonly reload: () => void;
}

/**
 * Adds new requests to the list as they arrive. While `isHeld` returns true, for example because the user has
 * scrolled down, new requests are only counted. If the server did not send all new requests, calls `reload`,
 * which reloads the list.
 */
export function useLiveTail({ filters, on, liveId, knownIds, isHeld, reload }: LiveList): LiveTail {
  const [tail, setTail] = useState(NO_LIVE_ROWS);
  const latest = useRef({ tail, knownIds, reload });
  latest.current = { tail, knownIds, reload };
  const take = useCallback(
    (batch: LiveBatch) => setTail((before) => addLiveBatch(before, batch, latest.current.knownIds, isHeld())),
    [isHeld],
  );
  const reader = useMemo(
    () =>
      new TailReader({
        fetchTail: (after, until) => fetchRequestTail(filters, after, until),
        addBatch: take,
        isWatched: () => !isHeld(),
        acceptsEvents: isUnfiltered(filters),
      }),
    [filters, take, isHeld],
  );
  useReading(reader, on, liveId);

  // A reloaded list contains all rows that had arrived.
  useValueEffect(JSON.stringify([filters, liveId]), () => {
    if (liveId !== null) setTail(NO_LIVE_ROWS);
  });

  useEffect(() => {
    if (!tail.hasGap) return;
    if (!on) return latest.current.reload();
    const timer = setTimeout(() => !isHeld() && latest.current.reload(), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [tail, on, isHeld]);

  const show = useCallback(() => {
    if (latest.current.tail.hasGap) latest.current.reload();
    else setTail((before) => addLiveBatch(before, { rows: [], omitted: 0 }, latest.current.knownIds, false));
  }, []);
  return { rows: tail.rows, waiting: tail.pending.length + tail.omitted, isSampled: tail.hasGap, show };
}

/**
 * Runs the reader: on events, at intervals without an event stream, and when the tab becomes visible again.
 */
function useReading(reader: TailReader, on: boolean, liveId: string | null): void {
  const isLive = useEventStreamState() === 'live';
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const latest = useRef(reader);
  latest.current = reader;
  const soon = useCallback((ms: number) => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      // While the tab is hidden, rows are read only when it becomes visible again.
      if (!document.hidden) void latest.current.read().catch(() => undefined);
    }, ms);
  }, []);
  useEffect(
    () => () => {
      if (timer.current) clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
  useServerEvents(
    'requests',
    ({ topic, data, after, id }) => {
      reader.addEvent(topic === 'requests' ? { after, id, batch: parseLiveBatch(data) } : REFETCH_TAIL_EVENT);
      soon(BATCH_MS);
    },
    on,
  );
  useEffect(() => {
    if (!on || liveId === null) return;
    reader.startFrom(liveId);
    // The list may have been loaded a while ago, before the page subscribed to events.
    reader.addEvent(REFETCH_TAIL_EVENT);
    soon(0);
  }, [reader, on, liveId, soon]);
  useEffect(() => {
    if (!on) return;
    const look = () => soon(0);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [on, soon]);
  useEffect(() => {
    if (!on || isLive) return;
    const poll = () => {
      reader.addEvent(REFETCH_TAIL_EVENT);
      soon(0);
    };
    const polling = setInterval(poll, POLL_MS);
    return () => clearInterval(polling);
  }, [reader, on, isLive, soon]);
}
