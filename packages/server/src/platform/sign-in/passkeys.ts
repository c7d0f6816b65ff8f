import type { PasskeyAssertion, PasskeyAttestation } from '@floe/contract/api/passkeys';
import { Fault } from '@floe/contract/faults';
import type { VerifiedAuthenticationResponse } from '@simplewebauthn/server';
import { newId } from '../../core/ids.ts';
import {
  changePasskey,
  insertPasskey,
  type PasskeyRow,
  passkeyByCredential,
  passkeysOf,
} from '../../store/passkeys.ts';
import type { Reader, Writer } from '../../store/ports.ts';
import { isChallenge, newChallenge, type Purpose, spendChallenge } from './challenge.ts';
import { failed, type SignInParts } from './sign-in.ts';

/** How long a browser waits for the person. */
const TIMEOUT_MS = 5 * 60_000;
/** COSE algorithms: Ed25519, ES256, RS256 (Windows Hello). */
const ALGORITHMS = [-8, -7, -257];

export type PasskeyParts = Pick<SignInParts, 'clock' | 'site' | 'auth' | 'challengeKey'>;

/** Loaded when somebody uses a passkey: its attestation parsers are large. */
export function loadWebauthn() {
  return import('@simplewebauthn/server');
}

/** @throws Fault `not_found` where passkeys are switched off or browsers allow none */
export function passkeySite({ auth, site }: Pick<SignInParts, 'auth' | 'site'>) {
  const { passkeys, baseUrl } = site();
  if (!auth().passkey)
    throw new Fault('not_found', 'Sign-in by passkey is switched off here (auth.passkey in floe.yaml).');
  if (!passkeys)
    throw new Fault(
      'not_found',
      `Browsers allow no passkeys at ${baseUrl}: server.base_url has to be https with a name, or localhost.`,
    );
  return passkeys;
}

/** What `navigator.credentials.get` is called with (PublicKeyCredentialRequestOptionsJSON); the person picks who they are. */
export function assertionOptions(parts: PasskeyParts) {
  const { rpId } = passkeySite(parts);
  return {
    challenge: newChallenge(parts.challengeKey, parts.clock, ANYBODY),
    rpId,
    timeout: TIMEOUT_MS,
    userVerification: 'required' as const,
    allowCredentials: [],
  };
}

const ANYBODY: Purpose = ['passkey', ''];

/** What `navigator.credentials.create` is called with (PublicKeyCredentialCreationOptionsJSON). */
export async function attestationOptions(
  parts: PasskeyParts,
  reader: Reader,
  user: { readonly id: string; readonly email: string },
) {
  const { rpId } = passkeySite(parts);
  const known = await passkeysOf(reader, user.id);
  return {
    rp: { id: rpId, name: 'Floe' },
    user: { id: Buffer.from(user.id).toString('base64url'), name: user.email, displayName: user.email },
    challenge: newChallenge(parts.challengeKey, parts.clock, ['register', user.id]),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: TIMEOUT_MS,
    excludeCredentials: known.map((row) => ({ type: 'public-key' as const, id: row.credential_id })),
    authenticatorSelection: {
      residentKey: 'required' as const,
      requireResidentKey: true as const,
      userVerification: 'required' as const,
    },
    attestation: 'none' as const,
  };
}

/** Somebody's passkey, shown and good, but not used up yet. */
export interface ShownPasskey {
  readonly row: PasskeyRow;
  readonly challenge: string;
  readonly counter: number;
  readonly backedUp: boolean;
}

/**
 * Checks what `navigator.credentials.get` gave: signature, challenge, origin, that the person was verified.
 *
 * @throws Fault `sign_in_failed`, in the same words for everything that can be wrong
 */
export async function checkAssertion(
  parts: PasskeyParts,
  reader: Reader,
  assertion: PasskeyAssertion,
): Promise<ShownPasskey> {
  const { rpId, origin } = passkeySite(parts);
  const { verifyAuthenticationResponse } = await loadWebauthn();
  const row = await passkeyByCredential(reader, assertion.id);
  if (!row) throw wrong();
  const { clientDataJSON, authenticatorData, signature } = assertion.response;
  const publicKey = new Uint8Array(Buffer.from(row.public_key, 'base64url'));
  let challenge = '';
  let verified: VerifiedAuthenticationResponse;
  try {
    verified = await verifyAuthenticationResponse({
      response: {
        ...assertion,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: (text) => {
        challenge = text;
        return isChallenge(parts.challengeKey, parts.clock, ANYBODY, text);
      },
      expectedOrigin: origin,
      expectedRPID: rpId,
      credential: { id: row.credential_id, publicKey, counter: row.counter },
      requireUserVerification: true,
    });
  } catch {
    throw wrong();
  }
  const { newCounter, credentialBackedUp } = verified.authenticationInfo;
  if (!verified.verified) throw wrong();
  return { row, challenge, counter: newCounter, backedUp: credentialBackedUp };
}

/**
 * Uses the challenge up and notes the use, inside the transaction that acts on it.
 *
 * @throws Fault `sign_in_failed` when the same answer was used before
 */
export async function useAssertion(
  { clock }: PasskeyParts,
  writer: Writer,
  { row, challenge, counter, backedUp }: ShownPasskey,
): Promise<void> {
  if (!(await spendChallenge(writer, clock, challenge))) throw wrong();
  const use = { counter, backed_up: backedUp ? 1 : 0, last_used_at: clock.now() };
  await changePasskey(writer, row.id, use);
}

function wrong(): Fault {
  return failed('This passkey is not known here, or did not fit. Try again, or sign in another way.');
}

/**
 * Checks and keeps what `navigator.credentials.create` gave.
 *
 * @throws Fault `invalid_request` for what did not fit, `conflict` for an authenticator that is registered already
 */
export async function register(
  parts: PasskeyParts,
  writer: Writer,
  userId: string,
  given: { readonly name: string; readonly credential: PasskeyAttestation },
): Promise<PasskeyRow> {
  const { clock, challengeKey } = parts;
  const { rpId, origin } = passkeySite(parts);
  const { verifyRegistrationResponse } = await loadWebauthn();
  const { clientDataJSON, attestationObject, transports = [] } = given.credential.response;
  let challenge = '';
  const verified = await verifyRegistrationResponse({
    response: {
      ...given.credential,
      response: { clientDataJSON, attestationObject },
      clientExtensionResults: {},
    },
    expectedChallenge: (text) => {
      challenge = text;
      return isChallenge(challengeKey, clock, ['register', userId], text);
    },
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => null);
  if (!verified?.verified || !(await spendChallenge(writer, clock, challenge)))
    throw new Fault('invalid_request', 'credential: did not fit; ask for new options and try again', {
      param: 'credential',
    });
  const { credential, credentialBackedUp } = verified.registrationInfo;
  const row: PasskeyRow = {
    id: newId('psk', clock.now()),
    user_id: userId,
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports_json: JSON.stringify(transports),
    name: given.name,
    backed_up: credentialBackedUp ? 1 : 0,
    created_at: clock.now(),
    last_used_at: null,
  };
  await insertPasskey(writer, row);
  return row;
}
