import type { Permission } from '@floe/contract/api/me';
import { Fault } from '@floe/contract/faults';
import { ROLES, type Role, SCOPES_OF_ROLE } from '@floe/contract/roles';
import type { Scope } from '@floe/contract/scopes';
import type { Actor } from '../platform/actor.ts';
import { holds } from '../platform/keyring.ts';
import { scopesOf, type Verb } from './verb.ts';

/** What of a verb says who may use it. */
export type Access = Pick<
  Verb,
  'method' | 'scope' | 'isConfidential' | 'roles' | 'operator' | 'keys' | 'stepUp'
>;

/** Whether an actor may use a verb: the one judgement behind requests and behind `can` of `/api/me`. */
export function permissionOf(access: Access, actor: Actor, nowMs: number): Permission {
  const { member } = actor;
  if (!member) return access.keys !== false && hasScope(actor.scopes, scopesOf(access));
  if (!rolesFor(access).includes(member.role)) return false;
  if (access.operator && !member.isOperator) return false;
  return access.stepUp && member.steppedUpUntil <= nowMs ? 'step_up' : true;
}

/** The roles of members who may use a verb, most first. */
export function rolesFor(access: Access): readonly Role[] {
  const scopes = scopesOf(access);
  return access.roles ?? ROLES.filter((role) => hasScope(new Set(SCOPES_OF_ROLE[role]), scopes));
}

/** No scope asked for: whoever is known may. */
function hasScope(scopes: ReadonlySet<Scope>, anyOf: readonly Scope[]): boolean {
  return anyOf.length === 0 || anyOf.some((scope) => holds(scopes, scope));
}

/**
 * @throws Fault `insufficient_scope` for a key that lacks a scope, `insufficient_role` for a member whose role does
 *   not allow it and for a key where only members may, `step_up_required`
 */
export function requireAccess(access: Access, actor: Actor, nowMs: number): void {
  const permission = permissionOf(access, actor, nowMs);
  if (permission === true) return;
  if (permission === 'step_up') throw stepUpRequired();
  if (actor.member && access.operator)
    throw new Fault(
      'insufficient_role',
      `${actor.shown} cannot do this; it affects every organization and needs an operator of the installation.`,
    );
  if (actor.member) throw roleNeeded(actor, rolesFor(access));
  if (access.keys === false)
    throw new Fault('insufficient_role', 'Only a member who is signed in can do this, no platform key.');
  const needed = scopesOf(access).map((scope) => `"${scope}"`);
  throw new Fault('insufficient_scope', `${actor.shown} needs the scope ${needed.join(' or ')} for this.`);
}

/**
 * For what lets more money through: members say why, and confirm who they are.
 *
 * @throws Fault `reason_required`, `step_up_required`; neither for a key
 */
export function requireReasonAndStepUp(actor: Actor, reason: string | null, nowMs: number): void {
  if (actor.member && reason === null)
    throw new Fault(
      'reason_required',
      'This lets more money through than before. Say why, for the audit log.',
      { param: 'reason' },
    );
  requireStepUp(actor, nowMs);
}

/** What a member is told whose role is not among `roles`. */
export function roleNeeded(actor: Actor, roles: readonly Role[]): Fault {
  const who = roles.length === 0 ? 'a platform key' : `the role ${anyOf(roles)}`;
  return new Fault('insufficient_role', `${actor.shown} cannot do this; it needs ${who}.`);
}

/**
 * For what depends on the request: making an owner, raising a budget.
 *
 * @throws Fault `step_up_required` for a member who did not confirm who they are a moment ago; never for a key
 */
export function requireStepUp({ member }: Actor, nowMs: number): void {
  if (member && member.steppedUpUntil <= nowMs) throw stepUpRequired();
}

function stepUpRequired(): Fault {
  return new Fault('step_up_required', 'Confirm who you are to do this, then send the request again.');
}

/** The role an actor acts with where owners are treated apart: a key with `management` is an admin. */
export function actingRole(actor: Actor): Role | null {
  if (actor.member) return actor.member.role;
  return actor.scopes.has('management') ? 'admin' : null;
}

/** `owner, admin or member` */
function anyOf(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
