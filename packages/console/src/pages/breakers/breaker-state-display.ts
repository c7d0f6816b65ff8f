import type { BreakerResource as Breaker } from '@floe/contract/api/breakers';
import type { ModelResource, ProviderResource } from '../../data/lookup-queries.ts';
import { formatDuration } from '../../format/amounts.ts';
import { parseDurationInput, toDurationMs } from '../../format/duration-input.ts';
import type { DisplayStatus } from '../../ui/status.tsx';
import { breakersText } from './text.ts';

/** The icon and the label for the state of a breaker. */
export interface BreakerStateDisplay {
  readonly state: DisplayStatus;
  readonly word: string;
}

/**
 * Returns the icon and label of a breaker. If the state is forced, they show the forced state instead of
 * the automatic state.
 */
export function getBreakerStateDisplay({
  state,
  forced,
  wait_ms,
  probe = null,
}: Pick<Breaker, 'state' | 'forced' | 'wait_ms'> & Partial<Pick<Breaker, 'probe'>>): BreakerStateDisplay {
  if (forced) return { state: 'paused', word: breakersText.states.forced[forced.state] };
  if (state === 'open') return { state: 'failing', word: breakersText.states.open };
  if (state === 'half_open')
    return {
      state: 'waiting',
      word: probe === 'next_request' ? breakersText.states.half_open : breakersText.states.probing,
    };
  if (state === 'ramping') return { state: 'partial', word: breakersText.states.ramping };
  if (wait_ms > 0) return { state: 'waiting', word: breakersText.states.waiting };
  return { state: 'healthy', word: breakersText.states.closed };
}

/**
 * Returns the icon and label of a breaker that was looked up in the list of breakers. The list contains all breakers
 * that are not closed, so a missing breaker is closed only if the whole list is known.
 */
export function getListedBreakerDisplay(
  breaker: Breaker | undefined,
  isListComplete: boolean,
): BreakerStateDisplay {
  if (breaker) return getBreakerStateDisplay(breaker);
  return isListComplete
    ? { state: 'healthy', word: breakersText.states.closed }
    : { state: 'unknown', word: breakersText.states.unknown };
}

/**
 * Describes what a breaker does next and when, as in `Test request in 12 s`. Returns an empty string if there
 * is no next step.
 */
export function describeNextBreakerStep({
  state,
  forced,
  wait_ms,
  probe,
}: Pick<Breaker, 'state' | 'forced' | 'wait_ms' | 'probe'>): string {
  if (forced) return '';
  if (state === 'half_open') return probe === 'next_request' ? breakersText.next.nextRequest : '';
  if (wait_ms > 0) {
    const duration = formatDuration(wait_ms);
    return state === 'open' ? breakersText.next.probe(duration) : breakersText.next.retry(duration);
  }
  return state === 'ramping' ? breakersText.next.ramping : '';
}

/** Returns the icon and label of an entry in the history of a breaker. */
export function getBreakerHistoryDisplay(state: string): BreakerStateDisplay {
  if (state === 'released') return { state: 'healthy', word: breakersText.states.released };
  if (state === 'forced_open') return { state: 'paused', word: breakersText.states.forced.open };
  if (state === 'forced_closed') return { state: 'paused', word: breakersText.states.forced.closed };
  const known = (['open', 'half_open', 'ramping', 'closed'] as const).find((one) => one === state);
  return known
    ? getBreakerStateDisplay({ state: known, forced: null, wait_ms: 0 })
    : { state: 'unknown', word: state.replaceAll('_', ' ') };
}

const MAX_FORCE_S = 7 * 86_400;

/**
 * Parses a typed duration such as `45s`, `20m`, `6h` or `3d`, and returns seconds. Returns null if the text is
 * not a duration or is longer than seven days.
 */
export function parseForceSeconds(typed: string): number | null {
  const length = parseDurationInput(typed);
  const seconds = length === null ? 0 : Math.round(toDurationMs(length) / 1000);
  return seconds > 0 && seconds <= MAX_FORCE_S ? seconds : null;
}

/**
 * Returns the IDs of all breakers that can exist: one for each known model of an enabled provider and each
 * credential of that provider.
 */
export function listPossibleBreakerIds(
  models: readonly Pick<ModelResource, 'id' | 'provider'>[],
  providers: readonly BreakerProvider[],
): readonly string[] {
  const ids = models.flatMap((model) => {
    const provider = providers.find(({ id, enabled }) => enabled && id === model.provider);
    return provider ? credentialNames(provider).map((name) => `${model.id}@${name}`) : [];
  });
  return [...new Set(ids)];
}

type BreakerProvider = Pick<ProviderResource, 'id' | 'enabled' | 'credential_source'> & {
  readonly credentials: readonly { readonly name: string }[];
};

function credentialNames({ credential_source, credentials }: BreakerProvider): readonly string[] {
  if (credential_source === 'caller') return ['caller'];
  return credentials.length > 0 ? credentials.map(({ name }) => name) : ['none'];
}

/** Returns a closed breaker for a target that the API does not list, or null if the ID is invalid. */
export function createClosedBreaker(id: string): Breaker | null {
  const [, provider, model, credential] = /^([^/]+)\/(.+)@([^@]+)$/.exec(id) ?? [];
  if (!provider || !model || !credential) return null;
  return {
    id,
    provider,
    model,
    credential,
    state: 'closed',
    reason: '',
    probe: null,
    wait_ms: 0,
    forced: null,
    calls: { ok: 0, failed: 0, slow: 0 },
  };
}
