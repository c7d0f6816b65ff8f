import { Fault } from '@floe/contract/faults';
import { type MemberRole, ROLE_SCOPES } from '@floe/contract/roles';
import type { KeyScope } from '@floe/contract/scopes';
import { describePlatformKey, includesKeyScope, type KeyRecord } from './keyring.ts';

/** An API caller in one organization: a platform key or a signed-in member. */
export interface Actor {
  readonly orgId: string;
  /** Id of the key or the member, as the audit log stores it. */
  readonly id: string;
  readonly scopes: ReadonlySet<KeyScope>;
  /** Name of the key or email address of the member, as the audit log stores it. */
  readonly name: string;
  /** Name for messages: `The platform key "ci" (eis_AbCd…wxyz)` or `mara@acme.example (viewer)`. */
  readonly displayName: string;
  /** Null for a member. */
  readonly key: KeyRecord | null;
  /** Null for a key. */
  readonly member: SignedInMember | null;
  /** IP address of the request. Absent if there is no request. */
  readonly address?: string;
}

/** A signed-in member, as the console session identifies them. */
export interface SignedInMember {
  /** Id of the membership, `mem_…`. A person has one per organization. */
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly team: string | null;
  readonly sessionId: string;
  /** May change settings of the whole installation. */
  readonly isOperator: boolean;
  /** Name of the issuer that started the session. Null for other sign-in methods. */
  readonly issuer: string | null;
  /** Until when actions with step-up are allowed, in milliseconds since the epoch. */
  readonly steppedUpUntil: number;
}

/** Returns the actor for a request with a platform key. */
export function createKeyActor(key: KeyRecord): Actor {
  return {
    orgId: key.orgId,
    id: key.id,
    scopes: key.scopes,
    name: key.name,
    displayName: `The platform key ${describePlatformKey(key)}`,
    key,
    member: null,
  };
}

/** Returns the actor for a request with a console session. */
export function createMemberActor(orgId: string, member: SignedInMember): Actor {
  return {
    orgId,
    id: member.id,
    scopes: new Set(ROLE_SCOPES[member.role]),
    name: member.email,
    displayName: `${member.email} (${member.role})`,
    key: null,
    member,
  };
}

/**
 * Requires that the actor has one of the scopes. For a `GET` under `/api`, the scope `read` is also
 * sufficient.
 *
 * @throws Fault `insufficient_scope` with the accepted scopes
 */
export function requireActorScope(actor: Actor, ...anyOf: readonly [KeyScope, ...KeyScope[]]): void {
  if (anyOf.some((scope) => includesKeyScope(actor.scopes, scope))) return;
  throw new Fault(
    'insufficient_scope',
    `${actor.displayName} needs the scope ${anyOf.map((scope) => `"${scope}"`).join(' or ')} for this operation.`,
  );
}
