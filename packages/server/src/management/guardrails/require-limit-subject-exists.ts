import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import { describeUnknownName } from '@floe/contract/config/cross-object-rules';
import { findActivePlatformKeyByName } from '../../store/platform-keys.ts';
import { listActivePlatformKeys } from '../../store/snapshot-platform-keys.ts';
import { findTeamById, listTeamsOfOrg } from '../../store/teams.ts';
import type { WriteOperationContext } from '../operation-definition.ts';
import { createInvalidInputFault } from '../validate-input.ts';

type LimitSubject = Pick<LimitConfig | BudgetConfig, 'team' | 'key'>;

/**
 * Throws if the team or the key of a new limit or budget does not exist. `floe config check` makes the same check for
 * floe.yaml. Otherwise, a misspelled name would create a limit or budget that never applies. A limit or budget may keep
 * a reference to a key that was revoked later.
 *
 * @param before the limit or budget before the change; null for a new one
 * @param requiresKey false if the key may be created later. The team must exist in any case.
 * @throws Fault `invalid_request`
 */
export async function requireLimitSubjectExists(
  { reader, orgId, clock }: WriteOperationContext,
  { team, key }: LimitSubject,
  before: LimitSubject | null,
  requiresKey: boolean,
): Promise<void> {
  if (team !== undefined && team !== before?.team && !(await findTeamById(reader, orgId, team))) {
    const teams = new Set((await listTeamsOfOrg(reader, orgId)).map(({ id }) => id));
    throw createInvalidInputFault({ path: ['team'], message: describeUnknownName('team', team, teams, 0) });
  }
  if (!requiresKey || key === undefined || key === before?.key) return;
  const nowMs = clock.now();
  if (await findActivePlatformKeyByName(reader, orgId, key, nowMs)) return;
  const names = new Set((await listActivePlatformKeys(reader, orgId, nowMs)).map(({ name }) => name));
  throw createInvalidInputFault({ path: ['key'], message: describeUnknownName('key', key, names, 0) });
}
