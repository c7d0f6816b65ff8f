import { Fault } from '@floe/contract/faults';
import { type MemberRole, ROLE_SCOPES } from '@floe/contract/roles';
import type { KeyScope } from '@floe/contract/scopes';
import { describePlatformKey, includesScope, type KeyRecord } from './keyring.ts';

/** Who asks the API, in one org: the bearer of a platform key, or a member signed in to the console. */
export interface Actor {
  readonly orgId: string;
  /** What the audit log calls them: the id of the key or of the member. */
  readonly id: string;
  readonly scopes: ReadonlySet<KeyScope>;
  /** Name of the key or address of the member, as the audit log keeps it. */
  readonly name: string;
  /** How messages to them name them: `The platform key "ci" (eis_AbCd…wxyz)` or `mara@acme.example (viewer)`. */
  readonly displayName: string;
  /** Null for a member. */
  readonly key: KeyRecord | null;
  /** Null for a key. */
  readonly member: SignedInMember | null;
  /** IP address that the request came from; absent where none made it. */
  readonly address?: string;
}

/** A member as their console session knows them. */
export interface SignedInMember {
  /** Of the membership, `mem_…`; a person has one in each of their orgs. */
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly team: string | null;
  readonly sessionId: string;
  /** May change what affects every org of the installation. */
  readonly isOperator: boolean;
  /** Name of the issuer the session began by; null for other ways. */
  readonly issuer: string | null;
  /** Until when what asks for a fresh sign-in (step-up) may be done; milliseconds since the epoch. */
  readonly steppedUpUntil: number;
}

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
 * Passes when the actor has any of the scopes. A `GET` under `/api` asks for its own scope or `read`.
 *
 * @throws Fault `insufficient_scope` naming the scopes that would do
 */
export function requireActorScope(actor: Actor, ...anyOf: readonly [KeyScope, ...KeyScope[]]): void {
  if (anyOf.some((scope) => includesScope(actor.scopes, scope))) return;
  throw new Fault(
    'insufficient_scope',
    `${actor.displayName} needs the scope ${anyOf.map((scope) => `"${scope}"`).join(' or ')} for this.`,
  );
}
