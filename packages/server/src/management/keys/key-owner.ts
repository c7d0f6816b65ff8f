import { Fault } from '@floe/contract/faults';
import type { Role } from '@floe/contract/roles';
import type { Actor } from '../../platform/actor.ts';
import type { PlatformKeyRow } from '../../store/platform-keys.ts';
import { roleNeeded } from '../access.ts';
import { mustNotBeInFile } from '../managed-by-file.ts';

/** Members make and change keys of their own; those of others are for owners and admins. */
export const KEY_ROLES: readonly Role[] = ['owner', 'admin', 'member'];

/** @throws Fault `managed_by_file`; `insufficient_role` for a mere member and a key that is not theirs */
export function mustBeChangeableKey(row: PlatformKeyRow, actor: Actor): void {
  mustNotBeInFile('key', row.name, row);
  const { member } = actor;
  if (member?.role !== 'member') return;
  const own = row.owner === null ? row.created_by === member.id : row.owner === member.email;
  if (!own) throw roleNeeded(actor, ['owner', 'admin']);
}

interface Whose {
  readonly team?: string | null | undefined;
  readonly owner?: string | null | undefined;
}

/**
 * Whose key a request makes: what a mere member makes is theirs and their team's.
 *
 * @throws Fault `insufficient_role` when a mere member names somebody or some team else
 */
export function whoseKey(actor: Actor, asked: Whose): { team: string | null; owner: string | null } {
  const { member } = actor;
  if (member?.role !== 'member') return { team: asked.team ?? null, owner: asked.owner ?? null };
  requireOwnNames(actor, asked);
  return { team: member.team, owner: member.email };
}

/** @throws Fault `insufficient_role` when a mere member names somebody or some team else */
export function requireOwnNames(actor: Actor, { team, owner }: Whose): void {
  const { member } = actor;
  if (member?.role !== 'member') return;
  const field =
    owner != null && owner !== member.email ? 'owner' : team != null && team !== member.team ? 'team' : null;
  if (field === null) return;
  throw new Fault('insufficient_role', `${field}: a member can only name their own in a key.`, {
    param: field,
  });
}
