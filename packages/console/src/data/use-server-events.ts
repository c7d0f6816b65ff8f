import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { EventStream, type EventStreamState, type ServerEvent } from './event-stream.ts';

const stream = new EventStream();
const watch = (changed: () => void) => stream.watch(changed);
const connection = () => stream.connection;
const lostAt = () => stream.lostAt;

/** Returns the state of the event stream. The state determines whether data updates automatically. */
export function useEventStreamState(): EventStreamState {
  return useSyncExternalStore(watch, connection);
}

/**
 * If the event stream is disconnected, returns the time of the last update before the disconnect, in
 * milliseconds since the epoch. Otherwise, returns null.
 */
export function useLastUpdateBeforeDisconnectMs(): number | null {
  return useSyncExternalStore(watch, lostAt);
}

/**
 * Calls `onEvent` for each event of a topic. Also calls it for the event `resync`, which means that events were
 * missed and the data must be read again.
 * @param on If false, does not subscribe to events.
 */
export function useServerEvents(topic: string, onEvent: (event: ServerEvent) => void, on = true): void {
  const latest = useEffectEvent(onEvent);
  useEffect(() => (on ? stream.listen(topic, (event) => latest(event)) : undefined), [topic, on]);
}
