import { breakerForceInput, breakerResource } from '@floe/contract/api/breakers';
import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { applyBreakerOverride, hasForcedBreakerState } from '../../guardrails/breakers/breaker-override.ts';
import { formatBreakerId } from '../../guardrails/breakers/breakers.ts';
import type { GetLoadedOrg, LoadedOrg } from '../loaded-org.ts';
import { defineWriteOperation, type Operation } from '../operation.ts';
import {
  type BreakerLister,
  parseBreakerId,
  toBreakerResource,
  toForcedBreakerField,
} from './breaker-resource.ts';

/**
 * Defines the operation that forces a breaker open or closed for a limited time, or removes the
 * forced state. The forced state applies in every process.
 */
export function defineForceBreakerOperation(breakers: BreakerLister, getLoadedOrg: GetLoadedOrg): Operation {
  return defineWriteOperation({
    name: 'breakers.force',
    method: 'POST',
    path: '/api/management/breakers/{id}/force',
    scope: 'management',
    summary: 'Force a breaker open or closed for a limited time, or return it to automatic control',
    params: idParams,
    body: breakerForceInput,
    answer: breakerResource,
    status: 200,
    invalidates: 'breakers',
    async run({ orgId, actor, clock, writer }, { params, body }) {
      const name = parseBreakerId(params.id);
      // A stored override can be ended even if its target no longer exists.
      const canBeReturned =
        body.state === 'auto' && (await hasForcedBreakerState(writer, { ...name, orgId }, clock.now()));
      if (!canBeReturned) requireBreakerTarget(name, getLoadedOrg(orgId));
      const { state, reason, expires_in_seconds: seconds } = body;
      const wanted = { state, reason, ttlMs: seconds * 1000, by: actor.member?.id ?? actor.name };
      const { before, after } = await applyBreakerOverride(writer, { ...name, orgId }, wanted, clock.now());
      const running = breakers.list(orgId).find((view) => formatBreakerId(view) === params.id);
      const view = running ?? { ...CLOSED_BREAKER, ...name, orgId };
      // The running breakers apply the override after the commit, so the response computes its wait.
      const waitMs = after?.state === 'open' ? after.until - clock.now() : view.unforcedWaitMs;
      return {
        answer: toBreakerResource({ ...view, forced: after && { ...after, by: actor.name }, waitMs }),
        audit: {
          subject: params.id,
          before: before && { forced: toForcedBreakerField(before) },
          after: { forced: toForcedBreakerField(after), reason },
        },
      };
    },
  });
}

/** Rejects a target that no request of this org can use. @throws Fault `not_found` */
function requireBreakerTarget(name: ReturnType<typeof parseBreakerId>, { catalog }: LoadedOrg): void {
  const provider = catalog.providers.get(name.provider);
  const missing = !provider
    ? `The provider "${name.provider}" does not exist, is disabled or cannot be used`
    : !provider.allows(name.model)
      ? `The model "${name.model}" is not on the allowlist of "${name.provider}"`
      : provider.credential(name.credential).name === name.credential
        ? null
        : `The provider "${name.provider}" has no credential "${name.credential}"`;
  if (missing !== null)
    throw new Fault('not_found', `${missing}, so this breaker does not exist.`, { param: 'id' });
}

const CLOSED_BREAKER = {
  state: 'closed',
  reason: '',
  probe: null,
  forced: null,
  waitMs: 0,
  unforcedWaitMs: 0,
  calls: { ok: 0, failed: 0, slow: 0 },
} as const;
