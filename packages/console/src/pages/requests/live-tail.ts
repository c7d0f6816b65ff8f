import type { RequestRow } from '@floe/contract/api/analytics';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useEventStreamState, useEvents } from '../../data/events.ts';
import { useOnChange } from '../../data/on-change.ts';
import { addLiveBatch, type LiveBatch, NO_LIVE_ROWS, parseLiveBatch } from './live-rows.ts';
import { fetchRequestTail, isUnfiltered, type RequestFilters } from './request-data.ts';
import { TailReader, UNKNOWN_TAIL_EVENT } from './tail-reader.ts';

/** Without an event stream the list asks by itself. */
const POLL_MS = 2000;
/** With one, what arrives within this time comes at once. */
const BATCH_MS = 250;
/** After so long without news a list with a gap is read anew. */
const SETTLED_MS = 2000;

export interface LiveTail {
  /** Rows that arrived and are shown. */
  readonly rows: readonly RequestRow[];
  /** How many arrived while the reader was busy, exactly, also when more came than are told one by one. */
  readonly waiting: number;
  /** More arrive than are told: what is shown is a part of them until it calms down. */
  readonly isSampled: boolean;
  readonly show: () => void;
}

interface LiveList {
  readonly filters: RequestFilters;
  readonly on: boolean;
  /** The event up to which the list on the page is exact; null while it is being read. */
  readonly liveId: string | null;
  readonly known: ReadonlySet<string>;
  /** Whether rows must stay where they are. */
  readonly held: () => boolean;
  readonly reread: () => void;
}

/**
 * New requests as they come. Rows never move under the reader: while `held` (scrolled, pointing, reading one) they wait
 * and are counted. Where more came than was told one by one, `reread` reads the list from its start.
 */
export function useLiveTail({ filters, on, liveId, known, held, reread }: LiveList): LiveTail {
  const [tail, setTail] = useState(NO_LIVE_ROWS);
  const latest = useRef({ tail, known, reread });
  latest.current = { tail, known, reread };
  const take = useCallback(
    (batch: LiveBatch) => setTail((before) => addLiveBatch(before, batch, latest.current.known, held())),
    [held],
  );
  const reader = useMemo(
    () =>
      new TailReader({
        fetchTail: (after, until) => fetchRequestTail(filters, after, until),
        addBatch: take,
        isWatched: () => !held(),
        acceptsEvents: isUnfiltered(filters),
      }),
    [filters, take, held],
  );
  useReading(reader, on, liveId);

  // What was read anew holds all that had arrived.
  useOnChange(JSON.stringify([filters, liveId]), () => {
    if (liveId !== null) setTail(NO_LIVE_ROWS);
  });

  useEffect(() => {
    if (!tail.hasGap) return;
    if (!on) return latest.current.reread();
    const timer = setTimeout(() => !held() && latest.current.reread(), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [tail, on, held]);

  const show = useCallback(() => {
    if (latest.current.tail.hasGap) latest.current.reread();
    else setTail((before) => addLiveBatch(before, { rows: [], omitted: 0 }, latest.current.known, false));
  }, []);
  return { rows: tail.rows, waiting: tail.pending.length + tail.omitted, isSampled: tail.hasGap, show };
}

/** Has the reader read: on news, by itself without an event stream, and once somebody looks again. */
function useReading(reader: TailReader, on: boolean, liveId: string | null): void {
  const isLive = useEventStreamState() === 'live';
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const latest = useRef(reader);
  latest.current = reader;
  const soon = useCallback((ms: number) => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      // Nobody looks: what was told is read when somebody does.
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
  useEvents(
    'requests',
    ({ topic, data, after, id }) => {
      reader.addEvent(topic === 'requests' ? { after, id, batch: parseLiveBatch(data) } : UNKNOWN_TAIL_EVENT);
      soon(BATCH_MS);
    },
    on,
  );
  useEffect(() => {
    if (!on || liveId === null) return;
    reader.startFrom(liveId);
    // It may have been read a while ago, or before anything was listened to.
    reader.addEvent(UNKNOWN_TAIL_EVENT);
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
      reader.addEvent(UNKNOWN_TAIL_EVENT);
      soon(0);
    };
    const polling = setInterval(poll, POLL_MS);
    return () => clearInterval(polling);
  }, [reader, on, isLive, soon]);
}
