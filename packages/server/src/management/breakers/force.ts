import { breaker, breakerForce } from '@floe/contract/api/breakers';
import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { newId } from '../../core/ids.ts';
import { insertBreakerChange } from '../../store/breaker-changes.ts';
import { type ForcedBreaker, forcedBreakers, putForcedBreakers } from '../../store/forced-breakers.ts';
import type { RunningOrg, RunningOrgs } from '../running-org.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { type BreakerSource, breakerOf, forcedOf, idOf, nameIn } from './view.ts';

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
      const isIt = (entry: ForcedBreaker) => entry.orgId === orgId && idOf(entry) === params.id;
      const now = clock.now();
      const all = await forcedBreakers(writer, now);
      const { state, reason } = body;
      const until = now + body.expires_in_seconds * 1000;
      const before = all.find(isIt) ?? null;
      const after = state === 'auto' ? null : { ...name, orgId, state, until, reason, by: actor.name };
      await putForcedBreakers(writer, [...all.filter((entry) => !isIt(entry)), ...(after ? [after] : [])]);
      if (after || before)
        await insertBreakerChange(writer, {
          id: newId('brk', now),
          org_id: orgId,
          breaker_id: params.id,
          at: now,
          state: state === 'auto' ? 'released' : `forced_${state}`,
          because: `${actor.name}: ${reason}`,
        });
      const running = breakers.list(orgId).find((view) => idOf(view) === params.id);
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
