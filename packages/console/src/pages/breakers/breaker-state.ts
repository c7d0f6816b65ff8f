import type { BreakerResource as Breaker } from '@floe/contract/api/breakers';
import { formatDuration } from '../../format/amounts.ts';
import { durationInputMs, toDurationInput } from '../../format/duration-input.ts';
import type { DisplayStatus } from '../../ui/status.tsx';

export interface Standing {
  readonly state: DisplayStatus;
  readonly word: string;
}

/** What a breaker does right now: a force of a person comes before what it found out by itself. */
export function standingOf({
  state,
  forced,
  wait_ms,
  probe = null,
}: Pick<Breaker, 'state' | 'forced' | 'wait_ms'> & Partial<Pick<Breaker, 'probe'>>): Standing {
  if (forced) return { state: 'paused', word: `Forced ${forced.state}` };
  if (state === 'open') return { state: 'failing', word: 'Open' };
  if (state === 'half_open')
    return { state: 'waiting', word: probe === 'next_request' ? 'Half-open' : 'Probing' };
  if (state === 'ramping') return { state: 'partial', word: 'Ramping' };
  if (wait_ms > 0) return { state: 'waiting', word: 'Cooling' };
  return { state: 'healthy', word: 'Closed' };
}

/** What happens to it next; empty when nothing has to. */
export function nextOf({
  state,
  forced,
  wait_ms,
  probe,
}: Pick<Breaker, 'state' | 'forced' | 'wait_ms' | 'probe'>): string {
  if (forced) return '';
  if (state === 'half_open') return probe === 'next_request' ? 'the next request is the probe' : '';
  if (wait_ms > 0) return `${state === 'open' ? 'probe' : 'asked again'} in ${formatDuration(wait_ms)}`;
  return state === 'ramping' ? 'more traffic with each success' : '';
}

/** The state of a line of its history. */
export function historyState(state: string): Standing {
  if (state === 'released') return { state: 'healthy', word: 'Released' };
  const forced = /^forced_(open|closed)$/.exec(state)?.[1];
  if (forced) return { state: 'paused', word: `Forced ${forced}` };
  const known = (['open', 'half_open', 'ramping', 'closed'] as const).find((one) => one === state);
  return known
    ? standingOf({ state: known, forced: null, wait_ms: 0 })
    : { state: 'unknown', word: state.replaceAll('_', ' ') };
}

const MOST_S = 7 * 86_400;

/** Seconds of `45s`, `20m`, `6h`, `3d`; null for anything else and for what no force may last. */
export function secondsIn(text: string): number | null {
  const length = toDurationInput(text);
  const seconds = length === null ? 0 : Math.round(durationInputMs(length) / 1000);
  return seconds > 0 && seconds <= MOST_S ? seconds : null;
}

/** A target without a word of trouble, as the list would have it if it listed everything. */
export function closedBreaker(id: string): Breaker | null {
  const [, provider, model, credential] = /^([^/]+)\/(.+)@([^@]+)$/.exec(id) ?? [];
  if (!provider || !model || !credential) return null;
  return {
    id,
    provider,
    model,
    credential,
    state: 'closed',
    because: '',
    probe: null,
    wait_ms: 0,
    forced: null,
    calls: { ok: 0, failed: 0, slow: 0 },
  };
}
