import type { BreakerAnswer } from '@floe/contract/api/breakers';
import { useQuery } from '@tanstack/react-query';
import { get, type Page } from '../../data/api-client.ts';
import { useConnection, useLiveQuery } from '../../data/events.ts';
import { StateIcon } from '../../ui/state.tsx';
import { standingOf } from '../breakers/breaker-state.ts';

/** Breakers that have something to say, by `<provider>/<model>`. */
export type TargetStates = ReadonlyMap<string, BreakerAnswer>;

/** How the targets of routes stand right now. */
export function useTargetStates(): TargetStates {
  const live = useConnection() === 'live';
  useLiveQuery('breakers', ['breakers']);
  const { data } = useQuery({
    queryKey: ['breakers', 'all'],
    queryFn: ({ signal }) => get<Page<BreakerAnswer>>('api/management/breakers', { limit: 500 }, signal),
    refetchInterval: live ? false : 10_000,
  });
  return new Map(data?.data.map((breaker) => [`${breaker.provider}/${breaker.model}`, breaker]));
}

/** Whether a target takes traffic; nothing while its breaker is closed, for only exceptions have colour. */
export function TargetMark({ states, model }: { readonly states: TargetStates; readonly model: string }) {
  const breaker = states.get(model);
  if (!breaker) return null;
  const { state, word } = standingOf(breaker);
  if (state === 'healthy') return null;
  return (
    <span className="inline-flex items-center gap-1 text-small text-ink-2" title={breaker.because}>
      <StateIcon state={state} size={14} />
      {word.toLowerCase()}
    </span>
  );
}
