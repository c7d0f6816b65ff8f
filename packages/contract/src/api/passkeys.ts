import * as z from 'zod';
import { createPageSchema, timestamp } from './page.ts';

const base64urlField = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url');

const passkeyName = z.string().trim().min(1).max(100);

/**
 * The result of `PublicKeyCredential.toJSON()` after `navigator.credentials.get`. Additional fields
 * that browsers send are ignored.
 */
export const passkeyAssertion = z.object({
  id: base64urlField(1400),
  rawId: base64urlField(1400),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64urlField(8000),
    authenticatorData: base64urlField(8000),
    signature: base64urlField(8000),
    userHandle: base64urlField(200).optional(),
  }),
});

export type PasskeyAssertion = z.output<typeof passkeyAssertion>;

/** The result of `PublicKeyCredential.toJSON()` after `navigator.credentials.create`. */
export const passkeyAttestation = z.object({
  id: base64urlField(1400),
  rawId: base64urlField(1400),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64urlField(8000),
    attestationObject: base64urlField(100_000),
    transports: z.array(z.string().max(30)).max(20).optional(),
  }),
});

export type PasskeyAttestation = z.output<typeof passkeyAttestation>;

const publicKey = z.literal('public-key');

/** The options for `navigator.credentials.get` (`PublicKeyCredentialRequestOptionsJSON`). */
export const passkeyAssertionOptions = z.strictObject({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.int().describe('How long the browser waits for the user to respond, in milliseconds.'),
  userVerification: z.literal('required'),
  allowCredentials: z.array(z.never()),
});

/** The options for `navigator.credentials.create` (`PublicKeyCredentialCreationOptionsJSON`). */
export const passkeyCreationOptions = z.strictObject({
  rp: z.strictObject({ id: z.string(), name: z.string() }),
  user: z.strictObject({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.strictObject({ type: publicKey, alg: z.int() })),
  timeout: z.int().describe('How long the browser waits for the user to respond, in milliseconds.'),
  excludeCredentials: z.array(z.strictObject({ type: publicKey, id: z.string() })),
  authenticatorSelection: z.strictObject({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
});

/** A passkey in the API format. Only its owner can see it. */
export const passkeyResource = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    backed_up: z.boolean().describe('Whether the passkey is backed up, for example by a password manager.'),
    created_at: timestamp,
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: 'Passkey' });

export const passkeyList = createPageSchema(passkeyResource);

export const passkeyCreation = z.strictObject({ name: passkeyName, credential: passkeyAttestation });
export const passkeyPatch = z.strictObject({ name: passkeyName });
