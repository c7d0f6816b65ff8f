import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import type { EventStream, EventStreamState, ServerEvent } from './event-stream.ts';

let stream: EventStream | null = null;
let loading: Promise<EventStream> | null = null;
/** Whether the code of the stream could not be loaded. Lists then poll until the page is loaded again. */
let hasFailed = false;
const watchers = new Set<() => void>();
const tellWatchers = () => {
  for (const changed of [...watchers]) changed();
};

/** Loads the code of the stream with the first subscription, because the page is shown before events arrive. */
function loadStream(): Promise<EventStream> {
  loading ??= import('./event-stream.ts').then(({ EventStream: Stream }) => {
    stream = new Stream();
    stream.watch(tellWatchers);
    return stream;
  });
  return loading;
}

const watch = (changed: () => void) => {
  watchers.add(changed);
  return () => watchers.delete(changed);
};
const connection = () => stream?.connection ?? (hasFailed ? 'off' : loading ? 'connecting' : 'idle');
const lostAt = () => stream?.lostAt ?? null;

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
  useEffect(() => {
    if (!on) return;
    const listen = (to: EventStream) => to.listen(topic, (event) => latest(event));
    if (stream) return listen(stream);
    let stop: (() => void) | null = null;
    let isOn = true;
    // Not tried again: a later success would end the polling of lists that are not subscribed.
    loadStream().then(
      (loaded) => {
        if (isOn) stop = listen(loaded);
      },
      () => {
        hasFailed = true;
        tellWatchers();
      },
    );
    return () => {
      isOn = false;
      stop?.();
    };
  }, [topic, on]);
}
