import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { EventStream, type EventStreamState, type ServerEvent } from './event-stream.ts';

const stream = new EventStream();
const watch = (changed: () => void) => stream.watch(changed);
const connection = () => stream.connection;
const lostAt = () => stream.lostAt;

/** Whether changes arrive by themselves right now. */
export function useEventStreamState(): EventStreamState {
  return useSyncExternalStore(watch, connection);
}

/** When changes last arrived by themselves, in milliseconds, while they do not. */
export function useDisconnectedAt(): number | null {
  return useSyncExternalStore(watch, lostAt);
}

/** Calls `heard` for every event of a topic, and for `resync` (some were missed: read again). */
export function useEvents(topic: string, heard: (event: ServerEvent) => void, on = true): void {
  const latest = useEffectEvent(heard);
  useEffect(() => (on ? stream.listen(topic, (event) => latest(event)) : undefined), [topic, on]);
}

/** Reads queries again whenever an event of the topic arrives: at most once a second each. */
export function useLiveQuery(topic: string, queryKey: readonly unknown[], on = true): void {
  const client = useQueryClient();
  useEvents(
    topic,
    throttled(JSON.stringify(queryKey), () => void client.invalidateQueries({ queryKey })),
    on,
  );
}

const due = new Map<string, ReturnType<typeof setTimeout>>();

function throttled(name: string, run: () => void): () => void {
  return () => {
    if (due.has(name)) return;
    due.set(
      name,
      setTimeout(() => {
        due.delete(name);
        run();
      }, 1000),
    );
  };
}
