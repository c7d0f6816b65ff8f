import type { OperationPermission } from '@floe/contract/api/me';
import { Fault } from '@floe/contract/faults';
import { MEMBER_ROLES, type MemberRole, ROLE_SCOPES } from '@floe/contract/roles';
import type { KeyScope } from '@floe/contract/scopes';
import type { Actor } from '../platform/actor.ts';
import { includesKeyScope } from '../platform/keyring.ts';
import { listAcceptedScopes, type Operation } from './operation.ts';

/** The properties of an API operation that determine who may use it. */
export type OperationAccessRule = Pick<
  Operation,
  | 'method'
  | 'scope'
  | 'isConfidential'
  | 'roles'
  | 'requiresOperator'
  | 'allowsPlatformKeys'
  | 'requiresStepUp'
>;

/**
 * Returns whether an actor may use an operation, or `step_up` if the actor must first confirm their
 * identity again. Requests are authorized with this function, and `/api/me` returns its result in
 * the field `can`.
 */
export function getOperationPermission(
  access: OperationAccessRule,
  actor: Actor,
  nowMs: number,
): OperationPermission {
  const { member } = actor;
  if (!member)
    return access.allowsPlatformKeys !== false && hasAnyScope(actor.scopes, listAcceptedScopes(access));
  if (!resolveAllowedRoles(access).includes(member.role)) return false;
  if (access.requiresOperator && !member.isOperator) return false;
  return access.requiresStepUp && member.steppedUpUntil <= nowMs ? 'step_up' : true;
}

/**
 * Returns the roles of members who may use an operation. The role with the most permissions is
 * first.
 */
export function resolveAllowedRoles(access: OperationAccessRule): readonly MemberRole[] {
  const scopes = listAcceptedScopes(access);
  return access.roles ?? MEMBER_ROLES.filter((role) => hasAnyScope(new Set(ROLE_SCOPES[role]), scopes));
}

/** True if no scope is required, so that every authenticated caller may use the operation. */
function hasAnyScope(scopes: ReadonlySet<KeyScope>, acceptedScopes: readonly KeyScope[]): boolean {
  return acceptedScopes.length === 0 || acceptedScopes.some((scope) => includesKeyScope(scopes, scope));
}

/**
 * Rejects an actor who may not use the operation.
 *
 * @throws Fault `insufficient_scope` for a key without the scope; `insufficient_role` for a member
 * without the role, and for a key if only members are allowed; `step_up_required`
 */
export function requireAccess(access: OperationAccessRule, actor: Actor, nowMs: number): void {
  const permission = getOperationPermission(access, actor, nowMs);
  if (permission === true) return;
  if (permission === 'step_up') throw stepUpRequiredFault();
  if (actor.member && access.requiresOperator)
    throw new Fault(
      'insufficient_role',
      `${actor.displayName} is not allowed to perform this operation. The operation affects every organization, so it requires an operator of the installation.`,
    );
  if (actor.member) throw createInsufficientRoleFault(actor, resolveAllowedRoles(access));
  if (access.allowsPlatformKeys === false)
    throw new Fault(
      'insufficient_role',
      'This operation requires a signed-in member; platform keys are not accepted.',
    );
  const needed = listAcceptedScopes(access).map((scope) => `"${scope}"`);
  throw new Fault(
    'insufficient_scope',
    `${actor.displayName} needs the scope ${needed.join(' or ')} for this operation.`,
  );
}

/**
 * Protects changes that allow more spending. Members must give a reason and complete a step-up.
 *
 * @throws Fault `reason_required`, `step_up_required`; never for a key
 */
export function requireReasonAndStepUp(actor: Actor, reason: string | null, nowMs: number): void {
  if (actor.member && reason === null)
    throw new Fault(
      'reason_required',
      'This change can allow more spending, so it requires a reason. Send the field "reason". Floe records the reason in the audit log.',
      { param: 'reason' },
    );
  requireStepUp(actor, nowMs);
}

/** Returns the fault for a member whose role is not among `roles`. */
export function createInsufficientRoleFault(actor: Actor, roles: readonly MemberRole[]): Fault {
  const who = roles.length === 0 ? 'a platform key' : `the role ${formatAlternatives(roles)}`;
  return new Fault(
    'insufficient_role',
    `${actor.displayName} is not allowed to perform this operation. The operation requires ${who}.`,
  );
}

/**
 * Requires a step-up for operations where only some requests need one, such as granting the `owner` role or raising a
 * budget.
 * @throws Fault `step_up_required` for a member without a recent step-up; never for a key
 */
export function requireStepUp({ member }: Actor, nowMs: number): void {
  if (member && member.steppedUpUntil <= nowMs) throw stepUpRequiredFault();
}

function stepUpRequiredFault(): Fault {
  return new Fault(
    'step_up_required',
    'This operation requires a step-up. Confirm your identity again, then repeat the request.',
  );
}

/**
 * Returns the role that an actor has in checks that treat owners differently. A key with the scope
 * `management` counts as an admin.
 */
export function getEffectiveRole(actor: Actor): MemberRole | null {
  if (actor.member) return actor.member.role;
  return actor.scopes.has('management') ? 'admin' : null;
}

/** Formats names as `owner, admin or member`. */
function formatAlternatives(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
