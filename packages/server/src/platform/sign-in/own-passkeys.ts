import type { PasskeyAttestation } from '@floe/contract/api/passkeys';
import { Fault } from '@floe/contract/faults';
import { deleteConsoleSessionsOfPasskey } from '../../store/console-sessions.ts';
import {
  deletePasskey,
  findPasskeyById,
  listPasskeysOfUser,
  type PasskeyRow,
  updatePasskey,
} from '../../store/passkeys.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';
import { auditAccountEvent } from './audit-account-event.ts';
import type { ActiveConsoleSession } from './console-sessions.ts';
import { createPasskeyCreationOptions, loadWebauthn, registerPasskey } from './passkeys.ts';
import {
  requireActiveSession,
  requireSessionForCredentialChange,
  runSessionTransaction,
} from './session-changes.ts';
import type { BrowserRequest, SignInContext } from './sign-in-context.ts';

/**
 * Returns the signed-in user's passkeys, oldest first.
 * @throws Fault `session_expired`
 */
export async function listOwnPasskeys(
  context: SignInContext,
  browser: BrowserRequest,
): Promise<PasskeyRow[]> {
  const { live } = await requireActiveSession(context, browser);
  return listPasskeysOfUser(context.database.read, live.user.id);
}

/**
 * Returns the options for `navigator.credentials.create`.
 * @throws the faults of `requireSessionForCredentialChange`; `not_found` if passkeys are disabled
 */
export async function createOwnPasskeyCreationOptions(context: SignInContext, browser: BrowserRequest) {
  const { live } = await requireSessionForCredentialChange(context, browser);
  return createPasskeyCreationOptions(context, context.database.read, live.user);
}

/**
 * Adds a passkey for the signed-in user.
 * @throws the faults of `requireSessionForCredentialChange` and `registerPasskey`
 */
export async function addOwnPasskey(
  context: SignInContext,
  browser: BrowserRequest,
  given: { readonly name: string; readonly credential: PasskeyAttestation },
): Promise<PasskeyRow> {
  const { live } = await requireSessionForCredentialChange(context, browser);
  // Outside the transaction, because loading takes a while.
  await loadWebauthn();
  return runSessionTransaction(context, browser, live, async (writer) => {
    const row = await registerPasskey(context, writer, live.user.id, given);
    const after = { name: row.name };
    await auditPasskeyChange(context, writer, live, { action: 'passkeys.create', id: row.id, after });
    return row;
  });
}

/**
 * Renames one of the signed-in user's passkeys.
 * @throws Fault `session_expired`; `not_found` for a passkey of another user
 */
export async function renameOwnPasskey(
  context: SignInContext,
  browser: BrowserRequest,
  id: string,
  name: string,
): Promise<PasskeyRow> {
  const { live } = await requireActiveSession(context, browser);
  return runSessionTransaction(context, browser, live, async (writer) => {
    const row = await requireOwnPasskey(writer, live, id);
    if (row.name === name) return row;
    await updatePasskey(writer, id, { name });
    const before = { name: row.name };
    await auditPasskeyChange(context, writer, live, {
      action: 'passkeys.update',
      id,
      before,
      after: { name },
    });
    return { ...row, name };
  });
}

/**
 * Removes a passkey and ends the sessions that were started with it. Returns whether it ended the current
 * session.
 * @throws the faults of `requireSessionForCredentialChange`; `not_found` for a passkey of another user
 */
export async function removeOwnPasskey(
  context: SignInContext,
  browser: BrowserRequest,
  id: string,
): Promise<boolean> {
  const { database, sessions } = context;
  const { live, token } = await requireSessionForCredentialChange(context, browser);
  await runSessionTransaction(context, browser, live, async (writer) => {
    const row = await requireOwnPasskey(writer, live, id);
    await deletePasskey(writer, id);
    await deleteConsoleSessionsOfPasskey(writer, live.user.id, id);
    const after = { name: row.name };
    await auditPasskeyChange(context, writer, live, { action: 'passkeys.delete', id, after });
    await database.signals.announce(writer);
  });
  sessions.clearCache();
  return (await sessions.find(token)) === null;
}

async function requireOwnPasskey(
  writer: DatabaseWriter,
  { user }: ActiveConsoleSession,
  id: string,
): Promise<PasskeyRow> {
  const row = await findPasskeyById(writer, user.id, id);
  if (!row) throw new Fault('not_found', 'You have no passkey with this id.');
  return row;
}

interface PasskeyChange {
  readonly action: 'passkeys.create' | 'passkeys.update' | 'passkeys.delete';
  readonly id: string;
  readonly before?: { readonly name: string };
  readonly after: { readonly name: string };
}

/** Recorded in all organizations of the user, because the passkey gives access to all of them. */
async function auditPasskeyChange(
  { clock }: SignInContext,
  writer: DatabaseWriter,
  { memberships }: ActiveConsoleSession,
  { id, ...change }: PasskeyChange,
): Promise<void> {
  for (const { org, memberId } of memberships)
    await auditAccountEvent(writer, clock, {
      orgId: org.id,
      actor: memberId,
      subject: id,
      ...change,
    });
}
