import type { PasskeyAssertion, PasskeyAttestation } from '@floe/contract/api/passkeys';
import { Fault } from '@floe/contract/faults';
import type { VerifiedAuthenticationResponse } from '@simplewebauthn/server';
import { createId } from '../../core/ids.ts';
import {
  findPasskeyByCredential,
  findPasskeyById,
  insertPasskey,
  listPasskeysOfUser,
  type PasskeyRow,
  updatePasskey,
} from '../../store/passkeys.ts';
import type { DatabaseReader, DatabaseWriter } from '../../store/store-interfaces.ts';
import {
  consumeSignInChallenge,
  createSignInChallenge,
  isValidSignInChallenge,
  type SignInChallengeBinding,
} from './sign-in-challenge.ts';
import { createSignInFailedFault, type SignInContext } from './sign-in-context.ts';

/** How long a browser waits for the user. */
const TIMEOUT_MS = 5 * 60_000;
/** COSE algorithms: Ed25519, ES256, RS256 (Windows Hello). */
const ALGORITHMS = [-8, -7, -257];

/** The dependencies of the passkey functions. */
export type PasskeyContext = Pick<SignInContext, 'clock' | 'site' | 'auth' | 'challengeKey'>;

/** Loads the WebAuthn library when it is first needed, because its attestation parsers are large. */
export function loadWebauthn() {
  return import('@simplewebauthn/server');
}

/**
 * Returns the id and the origin of the relying party of passkeys.
 * @throws Fault `not_found` if passkeys are disabled or the base URL does not allow them
 */
export function requirePasskeyRelyingParty({ auth, site }: Pick<SignInContext, 'auth' | 'site'>) {
  const { passkeys, baseUrl } = site();
  if (!auth().passkey)
    throw new Fault(
      'not_found',
      'Sign-in with a passkey is disabled (auth.passkey in floe.yaml). Use another sign-in method.',
    );
  if (!passkeys)
    throw new Fault(
      'not_found',
      `Browsers support passkeys only at an https URL with a host name, or at localhost. server.base_url is ${baseUrl}. Change server.base_url, or sign in with another method.`,
    );
  return passkeys;
}

/**
 * Returns the options for `navigator.credentials.get` (PublicKeyCredentialRequestOptionsJSON). The
 * user selects the account.
 * @throws the fault of `requirePasskeyRelyingParty`
 */
export function createPasskeyAssertionOptions(context: PasskeyContext) {
  const { rpId } = requirePasskeyRelyingParty(context);
  return {
    challenge: createSignInChallenge(context.challengeKey, context.clock, ANY_USER),
    rpId,
    timeout: TIMEOUT_MS,
    userVerification: 'required' as const,
    allowCredentials: [],
  };
}

const ANY_USER: SignInChallengeBinding = ['passkey', ''];

/**
 * Returns the options for `navigator.credentials.create` (PublicKeyCredentialCreationOptionsJSON).
 * @throws the fault of `requirePasskeyRelyingParty`
 */
export async function createPasskeyCreationOptions(
  context: PasskeyContext,
  reader: DatabaseReader,
  user: { readonly id: string; readonly email: string },
) {
  const { rpId } = requirePasskeyRelyingParty(context);
  const known = await listPasskeysOfUser(reader, user.id);
  return {
    rp: { id: rpId, name: 'Floe' },
    user: { id: Buffer.from(user.id).toString('base64url'), name: user.email, displayName: user.email },
    challenge: createSignInChallenge(context.challengeKey, context.clock, ['register', user.id]),
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

/** A verified passkey assertion whose challenge has not been marked as used yet. */
export interface VerifiedPasskeyAssertion {
  readonly row: PasskeyRow;
  readonly challenge: string;
  readonly counter: number;
  readonly backedUp: boolean;
}

/**
 * Verifies the result of `navigator.credentials.get`: signature, challenge, origin and user verification.
 *
 * @throws Fault `sign_in_failed`, with the same message for every cause
 */
export async function verifyPasskeyAssertion(
  context: PasskeyContext,
  reader: DatabaseReader,
  assertion: PasskeyAssertion,
): Promise<VerifiedPasskeyAssertion> {
  const { rpId, origin } = requirePasskeyRelyingParty(context);
  const { verifyAuthenticationResponse } = await loadWebauthn();
  const row = await findPasskeyByCredential(reader, assertion.id);
  if (!row) throw assertionFault();
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
        return isValidSignInChallenge(context.challengeKey, context.clock, ANY_USER, text);
      },
      expectedOrigin: origin,
      expectedRPID: rpId,
      credential: { id: row.credential_id, publicKey, counter: row.counter },
      requireUserVerification: true,
    });
  } catch {
    throw assertionFault();
  }
  const { newCounter, credentialBackedUp } = verified.authenticationInfo;
  if (!verified.verified) throw assertionFault();
  return { row, challenge, counter: newCounter, backedUp: credentialBackedUp };
}

/**
 * Marks the challenge as used and records the passkey's use. Must run in the transaction that acts
 * on the assertion.
 *
 * @throws Fault `sign_in_failed` if the assertion was already used, or the passkey was deleted since it was verified
 */
export async function consumePasskeyAssertion(
  { clock }: PasskeyContext,
  writer: DatabaseWriter,
  { row, challenge, counter, backedUp }: VerifiedPasskeyAssertion,
): Promise<void> {
  if (!(await consumeSignInChallenge(writer, clock, challenge))) throw assertionFault();
  if (!(await findPasskeyById(writer, row.user_id, row.id))) throw assertionFault();
  const use = { counter, backed_up: backedUp ? 1 : 0, last_used_at: clock.now() };
  await updatePasskey(writer, row.id, use);
}

function assertionFault(): Fault {
  return createSignInFailedFault(
    'This passkey is not registered, or its verification failed. Try again, or sign in with another method.',
  );
}

/**
 * Verifies and stores the result of `navigator.credentials.create`.
 *
 * @throws Fault `invalid_request` for an invalid result, `conflict` for an authenticator that is already
 * registered
 */
export async function registerPasskey(
  context: PasskeyContext,
  writer: DatabaseWriter,
  userId: string,
  given: { readonly name: string; readonly credential: PasskeyAttestation },
): Promise<PasskeyRow> {
  const { clock, challengeKey } = context;
  const { rpId, origin } = requirePasskeyRelyingParty(context);
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
      return isValidSignInChallenge(challengeKey, clock, ['register', userId], text);
    },
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => null);
  if (!verified?.verified || !(await consumeSignInChallenge(writer, clock, challenge)))
    throw new Fault(
      'invalid_request',
      'credential: the passkey could not be verified. Request new creation options, then try again.',
      {
        param: 'credential',
      },
    );
  const { credential, credentialBackedUp } = verified.registrationInfo;
  const row: PasskeyRow = {
    id: createId('psk', clock.now()),
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
