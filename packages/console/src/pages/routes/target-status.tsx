import type { BreakerResource } from '@floe/contract/api/breakers';
import { useQuery } from '@tanstack/react-query';
import { type ApiPage, getJson } from '../../data/api-client.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { useEventStreamState } from '../../data/use-server-events.ts';
import { StatusIcon } from '../../ui/status.tsx';
import { getBreakerStateDisplay } from '../breakers/breaker-state-display.ts';
import { findWorstBreakers } from './find-worst-breaker.ts';

/** The worst breaker of each target, by `<provider>/<model>`. */
export type BreakersByModel = ReadonlyMap<string, BreakerResource>;

/** Returns the worst breaker of each target, by `<provider>/<model>`. */
export function useWorstBreakersByModel(): BreakersByModel {
  const live = useEventStreamState() === 'live';
  useRefetchOnEvent('breakers', ['breakers']);
  const { data } = useQuery({
    queryKey: ['breakers', 'all'],
    queryFn: ({ signal }) =>
      getJson<ApiPage<BreakerResource>>('api/management/breakers', { limit: 500 }, signal),
    refetchInterval: live ? false : 10_000,
  });
  return findWorstBreakers(data?.data ?? []);
}

/** Shows the status of a target’s worst breaker and its credential. Renders nothing if the breaker is closed. */
export function TargetStatus({
  states,
  model,
}: {
  readonly states: BreakersByModel;
  readonly model: string;
}) {
  const breaker = states.get(model);
  if (!breaker) return null;
  const { state, word } = getBreakerStateDisplay(breaker);
  if (state === 'healthy') return null;
  return (
    <span className="inline-flex items-center gap-1 text-small text-ink-2" title={breaker.reason}>
      <StatusIcon state={state} size={14} />
      {word.toLowerCase()}
      {breaker.credential !== 'none' && ` (${breaker.credential})`}
    </span>
  );
}
