import { deleteIdentities, insertIdentity } from '../../store/identities.ts';
import { changeUser, membershipsOf } from '../../store/members.ts';
import { deleteOperator } from '../../store/operators.ts';
import { deletePasskeys } from '../../store/passkeys.ts';
import type { Reader, Writer } from '../../store/ports.ts';
import { deleteSessions, standingOf } from '../../store/sessions.ts';
import { recordSignIn } from './audit.ts';
import type { SignInParts } from './sign-in.ts';

/** Whether an account belongs to no org, so that taking it over gives nothing. */
export async function isUnclaimed(reader: Reader, userId: string): Promise<boolean> {
  return (await membershipsOf(reader, userId)).length === 0;
}

/**
 * Makes a new proof of an account's address the only one: its password, passkeys and identities are replaced and its
 * sessions end. For an unclaimed account, and for whoever has the owner link of this host.
 *
 * @param passwordHash the new one; null for none
 */
export async function replaceProofs(
  { clock }: Pick<SignInParts, 'clock'>,
  writer: Writer,
  userId: string,
  passwordHash: string | null,
): Promise<void> {
  // Whoever proves the address proves nothing about the installation.
  await deleteOperator(writer, userId);
  await deleteIdentities(writer, userId);
  await deletePasskeys(writer, userId);
  await deleteSessions(writer, userId, null);
  await changeUser(writer, userId, { password_hash: passwordHash, updated_at: clock.now() });
}

/** Who somebody is to an issuer. */
export interface ProvenIdentity {
  /** As `iss` says it. */
  readonly issuer: string;
  readonly subject: string;
  /** In `auth.oidc`. */
  readonly name: string;
}

/** Adds an identity to an account, which is a further way into it: every session that began before ends. */
export async function joinIdentity(
  { clock }: Pick<SignInParts, 'clock'>,
  writer: Writer,
  userId: string,
  { issuer, subject, name }: ProvenIdentity,
): Promise<void> {
  await deleteSessions(writer, userId, null);
  await insertIdentity(writer, { issuer, subject, user_id: userId, created_at: clock.now() });
  for (const { org_id, member_id } of await standingOf(writer, userId, null))
    await recordSignIn(writer, clock, {
      orgId: org_id,
      actor: member_id,
      action: 'identities.create',
      subject: userId,
      after: { issuer: name },
    });
}
