import { useQueryClient } from '@tanstack/react-query';
import { runThrottled } from './throttle.ts';
import { useServerEvents } from './use-server-events.ts';

/**
 * Refetches a query when an event of the topic arrives, at most once per second. Waits for the last refetch, but
 * at most 30 seconds.
 */
export function useRefetchOnEvent(topic: string, queryKey: readonly unknown[], on = true): void {
  const client = useQueryClient();
  useServerEvents(
    topic,
    () => runThrottled(JSON.stringify(queryKey), () => client.invalidateQueries({ queryKey })),
    on,
  );
}
