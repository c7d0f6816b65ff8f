import { deleteConsoleSessionsOfUser, listMembershipAccess } from '../../store/console-sessions.ts';
import { deleteIdentitiesOfUser, insertIdentity } from '../../store/identities.ts';
import { listMembershipsOfUser, updateUser } from '../../store/members.ts';
import { deleteOperator } from '../../store/operators.ts';
import { deletePasskeysOfUser } from '../../store/passkeys.ts';
import type { DatabaseReader, DatabaseWriter } from '../../store/ports.ts';
import { auditSignIn } from './audit-sign-in.ts';
import type { SignInContext } from './sign-in-context.ts';

/** Whether an account belongs to no org, so that taking it over gives nothing. */
export async function isUnclaimedAccount(reader: DatabaseReader, userId: string): Promise<boolean> {
  return (await listMembershipsOfUser(reader, userId)).length === 0;
}

/**
 * Makes a new proof of an account's address the only one: its password, passkeys and identities are replaced and its
 * sessions end. For an unclaimed account, and for whoever has the owner link of this host.
 *
 * @param passwordHash the new one; null for none
 */
export async function replaceAccountCredentials(
  { clock }: Pick<SignInContext, 'clock'>,
  writer: DatabaseWriter,
  userId: string,
  passwordHash: string | null,
): Promise<void> {
  // Whoever proves the address proves nothing about the installation.
  await deleteOperator(writer, userId);
  await deleteIdentitiesOfUser(writer, userId);
  await deletePasskeysOfUser(writer, userId);
  await deleteConsoleSessionsOfUser(writer, userId, null);
  await updateUser(writer, userId, { password_hash: passwordHash, updated_at: clock.now() });
}

/** Who somebody is to an issuer. */
export interface VerifiedIdentity {
  /** As `iss` says it. */
  readonly issuer: string;
  readonly subject: string;
  /** In `auth.oidc`. */
  readonly name: string;
}

/** Adds an identity to an account, which is a further way into it: every session that began before ends. */
export async function linkIdentity(
  { clock }: Pick<SignInContext, 'clock'>,
  writer: DatabaseWriter,
  userId: string,
  { issuer, subject, name }: VerifiedIdentity,
): Promise<void> {
  await deleteConsoleSessionsOfUser(writer, userId, null);
  await insertIdentity(writer, { issuer, subject, user_id: userId, created_at: clock.now() });
  for (const { org_id, member_id } of await listMembershipAccess(writer, userId, null))
    await auditSignIn(writer, clock, {
      orgId: org_id,
      actor: member_id,
      action: 'identities.create',
      subject: userId,
      after: { issuer: name },
    });
}
