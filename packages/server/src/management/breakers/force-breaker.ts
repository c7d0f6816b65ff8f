import { breaker, breakerForce } from '@floe/contract/api/breakers';
import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { breakerIdOf } from '../../guardrails/breakers/breakers.ts';
import { setForcedState } from '../../guardrails/breakers/forced-state.ts';
import type { RunningOrg, RunningOrgs } from '../running-org.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { type BreakerSource, breakerOf, forcedOf, nameIn } from './breaker-answer.ts';

/** Forces a breaker open or closed for a while, or gives it back to itself; every process follows. */
export function forceBreaker(breakers: BreakerSource, orgs: RunningOrgs): Verb {
  return writeVerb({
    name: 'breakers.force',
    method: 'POST',
    path: '/api/management/breakers/{id}/force',
    scope: 'management',
    summary: 'Force a breaker open or closed for a while',
    params: idParams,
    body: breakerForce,
    answer: breaker,
    status: 200,
    changes: 'breakers',
    async run({ orgId, actor, clock, writer }, { params, body }) {
      const name = nameIn(params.id);
      if (body.state !== 'auto') requireTarget(name, orgs(orgId));
      const { state, reason, expires_in_seconds: seconds } = body;
      const wanted = { state, reason, ttlMs: seconds * 1000, by: actor.name };
      const { before, after } = await setForcedState(writer, { ...name, orgId }, wanted, clock.now());
      const running = breakers.list(orgId).find((view) => breakerIdOf(view) === params.id);
      const view = running ?? { ...CLOSED, ...name, orgId };
      return {
        answer: { ...breakerOf(view), forced: forcedOf(after) },
        audit: {
          subject: params.id,
          before: before && { forced: forcedOf(before) },
          after: { forced: forcedOf(after), reason },
        },
      };
    },
  });
}

/** @throws Fault `not_found` for a target that no request of this org can have: the force would have no effect */
function requireTarget(name: ReturnType<typeof nameIn>, { catalog }: RunningOrg): void {
  const provider = catalog.providers.get(name.provider);
  const missing = !provider
    ? `The provider "${name.provider}" is not enabled`
    : !provider.allows(name.model)
      ? `The model "${name.model}" is not on the allowlist of "${name.provider}"`
      : provider.credential(name.credential).name === name.credential
        ? null
        : `"${name.provider}" has no credential "${name.credential}"`;
  if (missing !== null)
    throw new Fault('not_found', `${missing}, so there is no such breaker.`, { param: 'id' });
}

const CLOSED = {
  state: 'closed',
  because: '',
  probe: null,
  forced: null,
  waitMs: 0,
  calls: { ok: 0, failed: 0, slow: 0 },
} as const;
