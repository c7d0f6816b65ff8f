import { Fault } from '@floe/contract/faults';
import type { MemberRole } from '@floe/contract/roles';
import type { Actor } from '../../platform/actor.ts';
import type { PlatformKeyRow } from '../../store/platform-keys.ts';
import { createInsufficientRoleFault } from '../access.ts';
import { requireNotManagedByFile } from '../managed-by-file.ts';

/**
 * The roles that may create and change keys. Callers with the role `member` may do so only for their own keys.
 */
export const KEY_EDITOR_ROLES: readonly MemberRole[] = ['owner', 'admin', 'member'];

/**
 * Requires that the actor may change a key.
 * @throws Fault `managed_by_file`; `insufficient_role` if the actor has the role member and the key
 * has another owner
 */
export function requireChangeableKey(row: PlatformKeyRow, actor: Actor): void {
  requireNotManagedByFile('key', row.name, row);
  const { member } = actor;
  if (member?.role !== 'member') return;
  const own = row.owner === null ? row.created_by === member.id : row.owner === member.email;
  if (!own) throw createInsufficientRoleFault(actor, ['owner', 'admin']);
}

interface KeyOwnership {
  readonly team?: string | null | undefined;
  readonly owner?: string | null | undefined;
}

/**
 * Determines the team and owner of a new key. For a caller with the role member, they are the
 * caller and the caller's team.
 *
 * @throws Fault `insufficient_role` if a caller with the role member specifies another team or
 * owner
 */
export function resolveKeyOwnership(
  actor: Actor,
  asked: KeyOwnership,
): { team: string | null; owner: string | null } {
  const { member } = actor;
  if (member?.role !== 'member') return { team: asked.team ?? null, owner: asked.owner ?? null };
  // Null means the default: the caller and their team.
  requireOwnTeamAndOwner(actor, { team: asked.team ?? undefined, owner: asked.owner ?? undefined });
  return { team: member.team, owner: member.email };
}

/**
 * Requires that a caller with the role member sets no team except their own, and no owner except themselves. Clearing
 * a field is also rejected: without the team, the team's limits and budgets do not apply, and without the owner, the key
 * could outlast their membership. Absent fields are not set.
 * @throws Fault `insufficient_role`
 */
export function requireOwnTeamAndOwner(actor: Actor, { team, owner }: KeyOwnership): void {
  const { member } = actor;
  if (member?.role !== 'member') return;
  const field =
    owner !== undefined && owner !== member.email
      ? 'owner'
      : team !== undefined && team !== member.team
        ? 'team'
        : null;
  if (field === null) return;
  throw new Fault(
    'insufficient_role',
    `${field}: must be ${field === 'owner' ? 'your own email address' : 'your own team'}, because your role is member. Correct the field, or ask an owner or admin to make this change.`,
    {
      param: field,
    },
  );
}
