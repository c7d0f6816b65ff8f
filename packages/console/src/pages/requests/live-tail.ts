import type { RequestRow } from '@floe/contract/api/analytics';
import { useCallback, useEffect, useState } from 'react';
import { useConnection, useEvents } from '../../data/events.ts';
import { newestRequests } from './request-data.ts';
import { merged } from './request-rows.ts';

/** Without an event stream the list asks by itself. */
const POLL_MS = 2000;
/** With one, what arrives within this time comes as one batch. */
const BATCH_MS = 250;

export interface LiveTail {
  /** Rows that arrived and are shown. */
  readonly rows: readonly RequestRow[];
  /** Rows that arrived while the reader was busy. */
  readonly waiting: number;
  readonly show: () => void;
}

/**
 * New requests as they come. Rows never move under the reader: while `held` (scrolled, pointing, reading one) they wait
 * and are counted.
 */
export function useLiveTail(
  filters: Readonly<Record<string, string>>,
  on: boolean,
  held: () => boolean,
  known: ReadonlySet<string>,
): LiveTail {
  const [rows, setRows] = useState<readonly RequestRow[]>([]);
  const [waiting, setWaiting] = useState<readonly RequestRow[]>([]);
  const [due, setDue] = useState(0);
  const connection = useConnection();
  const live = connection === 'live';
  useEvents('requests', () => setDue((count) => count + 1), on);

  const read = useCallback(async () => {
    if (document.hidden) return;
    const { data } = await newestRequests(filters);
    if (held()) {
      setWaiting((before) => merged(before, data));
      return;
    }
    setRows((before) => merged(before, data));
    setWaiting([]);
  }, [filters, held]);

  useEffect(() => {
    if (!on || due === 0) return;
    const timer = setTimeout(() => void read().catch(() => undefined), BATCH_MS);
    return () => clearTimeout(timer);
  }, [due, on, read]);

  useEffect(() => {
    if (!on || live) return;
    const timer = setInterval(() => void read().catch(() => undefined), POLL_MS);
    return () => clearInterval(timer);
  }, [on, live, read]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters make another list.
  useEffect(() => {
    setRows([]);
    setWaiting([]);
  }, [filters]);

  const show = useCallback(() => {
    setRows((before) => merged(before, waiting));
    setWaiting([]);
  }, [waiting]);
  const shown = new Set(rows.map(({ id }) => id));
  return { rows, waiting: waiting.filter(({ id }) => !shown.has(id) && !known.has(id)).length, show };
}
