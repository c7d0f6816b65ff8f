import { deleteConsoleSessionsOfUser, listMembershipsWithRoles } from '../../store/console-sessions.ts';
import { deleteIdentitiesOfUser, insertIdentity } from '../../store/identities.ts';
import { listMembershipsOfUser, updateUser } from '../../store/members.ts';
import { deleteOperator } from '../../store/operators.ts';
import { deletePasskeysOfUser } from '../../store/passkeys.ts';
import type { DatabaseReader, DatabaseWriter } from '../../store/store-interfaces.ts';
import { auditAccountEvent } from './audit-account-event.ts';
import type { SignInContext } from './sign-in-context.ts';

/**
 * Returns whether an account belongs to no organization, so that taking it over would give access
 * to nothing.
 */
export async function isAccountWithoutOrg(reader: DatabaseReader, userId: string): Promise<boolean> {
  return (await listMembershipsOfUser(reader, userId)).length === 0;
}

/**
 * Replaces an account's password, deletes its passkeys and identities, removes its operator role, and ends its
 * sessions. Used for an account that belongs to no organization, and for an owner link that was created on this
 * host.
 *
 * @param passwordHash hash of the new password; null for none
 */
export async function replaceAccountCredentials(
  { clock }: Pick<SignInContext, 'clock'>,
  writer: DatabaseWriter,
  userId: string,
  passwordHash: string | null,
): Promise<void> {
  // Proof that the user controls the email address is not sufficient to keep the operator role.
  await deleteOperator(writer, userId);
  await deleteIdentitiesOfUser(writer, userId);
  await deletePasskeysOfUser(writer, userId);
  await deleteConsoleSessionsOfUser(writer, userId, null);
  await updateUser(writer, userId, { password_hash: passwordHash, updated_at: clock.now() });
}

/** The identity of a user, as an identity provider verified it. */
export interface VerifiedIdentity {
  /** The `iss` claim. */
  readonly issuer: string;
  readonly subject: string;
  /** Name in `auth.oidc`. */
  readonly name: string;
}

/**
 * Adds an identity to an account. Ends all earlier sessions, because the identity adds a way to
 * sign in.
 */
export async function linkAccountIdentity(
  { clock }: Pick<SignInContext, 'clock'>,
  writer: DatabaseWriter,
  userId: string,
  { issuer, subject, name }: VerifiedIdentity,
): Promise<void> {
  await deleteConsoleSessionsOfUser(writer, userId, null);
  await insertIdentity(writer, { issuer, subject, user_id: userId, created_at: clock.now() });
  for (const { org_id, member_id } of await listMembershipsWithRoles(writer, userId, null))
    await auditAccountEvent(writer, clock, {
      orgId: org_id,
      actor: member_id,
      action: 'identities.create',
      subject: userId,
      after: { issuer: name },
    });
}
