import type { PasskeyAttestation } from '@floe/contract/api/passkeys';
import { Fault } from '@floe/contract/faults';
import {
  changePasskey,
  deletePasskey,
  type PasskeyRow,
  passkeyById,
  passkeysOf,
} from '../../store/passkeys.ts';
import type { Writer } from '../../store/ports.ts';
import { deleteSessionsOfPasskey } from '../../store/sessions.ts';
import { recordSignIn } from './audit.ts';
import { attestationOptions, loadWebauthn, register } from './passkeys.ts';
import { mustBeSignedIn, mustHoldAccount } from './session-changes.ts';
import type { LiveSession } from './sessions.ts';
import { type Browser, changeFrom, type SignInParts } from './sign-in.ts';

/** The oldest first. @throws Fault `signed_out` */
export async function ownPasskeys(parts: SignInParts, browser: Browser): Promise<PasskeyRow[]> {
  const { live } = await mustBeSignedIn(parts, browser);
  return passkeysOf(parts.database.read, live.user.id);
}

/** What the browser makes a passkey with. @throws Fault as `mustHoldAccount`; `not_found` where there are none */
export async function passkeyOptions(parts: SignInParts, browser: Browser) {
  const { live } = await mustHoldAccount(parts, browser);
  return attestationOptions(parts, parts.database.read, live.user);
}

/** @throws Fault as `mustHoldAccount`; `invalid_request`, `conflict` as `register` */
export async function addPasskey(
  parts: SignInParts,
  browser: Browser,
  given: { readonly name: string; readonly credential: PasskeyAttestation },
): Promise<PasskeyRow> {
  const { live } = await mustHoldAccount(parts, browser);
  // Not inside the transaction: the first time takes a while.
  await loadWebauthn();
  return changeFrom(parts, browser, live, async (writer) => {
    const row = await register(parts, writer, live.user.id, given);
    await record(parts, writer, live, { action: 'passkeys.create', row });
    return row;
  });
}

/** @throws Fault `signed_out`; `not_found` for one of somebody else */
export async function renamePasskey(
  parts: SignInParts,
  browser: Browser,
  id: string,
  name: string,
): Promise<PasskeyRow> {
  const { live } = await mustBeSignedIn(parts, browser);
  return parts.database.transaction(async (writer) => {
    const row = await existing(writer, live, id);
    await changePasskey(writer, id, { name });
    return { ...row, name };
  });
}

/**
 * Removes a passkey and ends the sessions that it started; returns whether the one that asks is among them.
 *
 * @throws Fault as `mustHoldAccount`; `not_found` for one of somebody else
 */
export async function removePasskey(parts: SignInParts, browser: Browser, id: string): Promise<boolean> {
  const { database, sessions } = parts;
  const { live, token } = await mustHoldAccount(parts, browser);
  await changeFrom(parts, browser, live, async (writer) => {
    const row = await existing(writer, live, id);
    await deletePasskey(writer, id);
    await deleteSessionsOfPasskey(writer, live.user.id, id);
    await record(parts, writer, live, { action: 'passkeys.delete', row });
    await database.signals.announce(writer);
  });
  sessions.forget();
  return (await sessions.find(token)) === null;
}

async function existing(writer: Writer, { user }: LiveSession, id: string): Promise<PasskeyRow> {
  const row = await passkeyById(writer, user.id, id);
  if (!row) throw new Fault('not_found', 'You have no passkey with this id.');
  return row;
}

interface PasskeyChange {
  readonly action: 'passkeys.create' | 'passkeys.delete';
  readonly row: PasskeyRow;
}

/** In every org of the person: it opens all of them. */
async function record(
  { clock }: SignInParts,
  writer: Writer,
  { everywhere }: LiveSession,
  { action, row }: PasskeyChange,
): Promise<void> {
  for (const { org, memberId } of everywhere)
    await recordSignIn(writer, clock, {
      orgId: org.id,
      actor: memberId,
      action,
      subject: row.id,
      after: { name: row.name },
    });
}
