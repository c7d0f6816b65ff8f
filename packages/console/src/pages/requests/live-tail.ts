import type { RequestRow } from '@floe/contract/api/analytics';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useConnection, useEvents } from '../../data/events.ts';
import { type Batch, batchIn, NO_TAIL, taken, together } from './live-rows.ts';
import { NEWEST_ROWS, newestRequests } from './request-data.ts';

/** Without an event stream the list asks by itself. */
const POLL_MS = 2000;
/** With one, what arrives within this time comes as one batch. */
const BATCH_MS = 250;
/** After so long without news a list with a gap is read anew. */
const SETTLED_MS = 2000;

export interface LiveTail {
  /** Rows that arrived and are shown. */
  readonly rows: readonly RequestRow[];
  /**
   * How many arrived while the reader was busy, also when more came than are told one by one. A row that was read with
   * the list in the instant its stream opened, and counted without being told, counts twice.
   */
  readonly waiting: number;
  /** More arrive than are told: what is shown is a part of them until it calms down. */
  readonly isSampled: boolean;
  readonly show: () => void;
}

/**
 * New requests as they come. Rows never move under the reader: while `held` (scrolled, pointing, reading one) they wait
 * and are counted. Where rows were missed, after a break or in a flood, `reread` reads the list from its start.
 */
export function useLiveTail(
  filters: Readonly<Record<string, string>>,
  on: boolean,
  held: () => boolean,
  known: ReadonlySet<string>,
  reread: () => void,
): LiveTail {
  const [tail, setTail] = useState(NO_TAIL);
  const live = useConnection() === 'live';
  const latest = useRef({ tail, known, reread });
  latest.current = { tail, known, reread };

  const take = useCallback(
    (batch: Batch) => setTail((before) => taken(before, batch, latest.current.known, held())),
    [held],
  );
  const read = useCallback(async () => {
    if (document.hidden) return;
    const { data } = await newestRequests(filters);
    const { tail: now, known: paged } = latest.current;
    const seen = new Set([...now.rows, ...now.held].map(({ id }) => id));
    const isNew = ({ id }: RequestRow) => !paged.has(id) && !seen.has(id);
    // Nothing of a full answer is known: older ones were missed, nobody knows how many.
    const missed = data.length === NEWEST_ROWS && paged.size > 0 && data.every(isNew);
    take({ rows: data, untold: missed ? null : 0 });
  }, [filters, take]);
  useBatches(filters, on, take, read);

  useEffect(() => {
    if (!on || live) return;
    const timer = setInterval(() => void read().catch(() => undefined), POLL_MS);
    return () => clearInterval(timer);
  }, [on, live, read]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters make another list.
  useEffect(() => setTail(NO_TAIL), [filters]);

  const settle = useCallback(() => {
    setTail(NO_TAIL);
    latest.current.reread();
  }, []);
  useEffect(() => {
    if (!tail.hasGap) return;
    if (!on) return settle();
    const timer = setTimeout(() => !held() && settle(), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [tail, on, held, settle]);

  const show = useCallback(() => {
    if (latest.current.tail.hasGap) settle();
    else setTail((before) => taken(before, { rows: [], untold: 0 }, latest.current.known, false));
  }, [settle]);
  return { rows: tail.rows, waiting: tail.held.length + tail.untold, isSampled: tail.hasGap, show };
}

/** Events of the stream, a batch at a time. They tell the rows of the org: a list with filters of its own reads its own. */
function useBatches(
  filters: Readonly<Record<string, string>>,
  on: boolean,
  take: (batch: Batch) => void,
  read: () => Promise<void>,
): void {
  const whole = Object.keys(filters).every((name) => name === 'from');
  const batches = useRef<Batch[]>([]);
  const missed = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const flush = useRef<() => void>(() => undefined);
  flush.current = () => {
    timer.current = null;
    const told = batches.current;
    const mustRead = !whole || missed.current;
    batches.current = [];
    missed.current = false;
    if (mustRead) void read().catch(() => undefined);
    else take(together(told));
  };
  useEvents(
    'requests',
    ({ data }) => {
      const batch = batchIn(data);
      // An event without rows says that some were missed, as after a break: only the server knows which.
      if (batch && !document.hidden) batches.current.push(batch);
      else missed.current = true;
      timer.current ??= setTimeout(() => flush.current(), BATCH_MS);
    },
    on,
  );
  useEffect(
    () => () => {
      if (timer.current) clearTimeout(timer.current);
      timer.current = null;
      batches.current = [];
    },
    [],
  );
}
