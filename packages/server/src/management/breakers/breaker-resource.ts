import type { BreakerResource } from '@floe/contract/api/breakers';
import { Fault } from '@floe/contract/faults';
import {
  type BreakerKey,
  type Breakers,
  type BreakerView,
  formatBreakerId,
} from '../../guardrails/breakers/breakers.ts';
import type { ForcedBreakerState } from '../../guardrails/breakers/forced-breaker-state.ts';

/** The method of `Breakers` that the operations use. */
export type BreakerLister = Pick<Breakers, 'list'>;

/** Converts a breaker to the API format. */
export function toBreakerResource(view: BreakerView): BreakerResource {
  const { provider, model, credential, state, reason, probe, waitMs, forced, calls } = view;
  return {
    id: formatBreakerId(view),
    provider,
    model,
    credential,
    state,
    reason,
    probe,
    wait_ms: Math.ceil(waitMs),
    forced: toForcedBreakerField(forced),
    calls,
  };
}

/** Converts a forced state to the field `forced` of a breaker. Null if no state is forced. */
export function toForcedBreakerField(forced: ForcedBreakerState | null): BreakerResource['forced'] {
  if (!forced) return null;
  const { state, until, reason, by } = forced;
  return { state, until: new Date(until).toISOString(), reason, by };
}

/**
 * Parses a breaker id. A provider name contains no slash and a credential name no `@`, so the id is parsed from
 * both ends.
 * @throws Fault `invalid_request`
 */
export function parseBreakerId(id: string): Omit<BreakerKey, 'orgId'> {
  const found = /^([a-z0-9][a-z0-9._-]{0,63})\/(.+)@([a-z0-9][a-z0-9._-]{0,63})$/s.exec(id);
  if (found) return { provider: found[1] ?? '', model: found[2] ?? '', credential: found[3] ?? '' };
  throw new Fault(
    'invalid_request',
    'id: must have the form <provider>/<model>@<credential>. Example: main/some-model@default. If the provider has no credential, use "none". If callers send their own credentials, use "caller".',
    { param: 'id' },
  );
}
