import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/** NIST SP 800-38D: 96 random bits, at most 2^32 uses per key. Each data key encrypts one text. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const CIPHER = 'aes-256-gcm';
const FORMAT = 'fs1';

/**
 * Identifies the row that a secret is encrypted for. The secret cannot be decrypted for another
 * organization, row or version.
 */
export interface SecretLocation {
  readonly orgId: string;
  readonly rowId: string;
  /** Increased with each new secret of the row, so that an old text cannot be restored. */
  readonly version: number;
}

/** An installation's key-encryption key. */
export interface SecretEncryptionKey {
  readonly key: KeyObject;
  /** Identifies the key in ciphertexts, without revealing it. */
  readonly id: string;
  /** Earlier keys. They are used only to decrypt. */
  readonly previousKeys?: readonly SecretEncryptionKey[];
}

/** Thrown if a secret cannot be decrypted. The message contains neither the secret nor the key. */
export class UnreadableSecretError extends Error {
  override readonly name = 'UnreadableSecretError';
  /**
   * `wrong_key`: encrypted with another key-encryption key. `damaged`: truncated, changed, or from another
   * row.
   */
  readonly reason: 'wrong_key' | 'damaged';

  constructor(reason: 'wrong_key' | 'damaged', options?: ErrorOptions) {
    super(
      reason === 'wrong_key'
        ? 'The stored secret is encrypted with a key that is not configured. Append the previous key to FLOE_ENCRYPTION_KEYS, or set the secret again.'
        : 'The stored secret is damaged or belongs to a different record. Set the secret again.',
      options,
    );
    this.reason = reason;
  }
}

/**
 * Derives the key that encrypts stored secrets (HKDF, RFC 5869) from the first of `encryptionKeys`, or
 * from the installation's secret key. The other keys are used only for decryption.
 */
export function deriveStoredSecretsKey(
  secretKey: Buffer,
  encryptionKeys: readonly string[] = [],
): SecretEncryptionKey {
  return deriveKeys(secretKey, encryptionKeys, 'floe credentials');
}

/**
 * Derives the key that encrypts stored responses. It differs from the key for stored secrets, so that
 * neither kind of ciphertext can be decrypted as the other.
 */
export function deriveStoredResponsesKey(
  secretKey: Buffer,
  encryptionKeys: readonly string[] = [],
): SecretEncryptionKey {
  return deriveKeys(secretKey, encryptionKeys, 'floe stored turns');
}

function deriveKeys(
  secretKey: Buffer,
  encryptionKeys: readonly string[],
  purpose: string,
): SecretEncryptionKey {
  const given = encryptionKeys.map((text) => deriveKey(Buffer.from(text, 'utf8'), purpose));
  const own = deriveKey(secretKey, purpose);
  const [current = own, ...others] = [...given, own];
  return { ...current, previousKeys: others };
}

/** Derives the key that encrypts stored request and response bodies. */
export function deriveStoredBodiesKey(secretKey: Buffer): SecretEncryptionKey {
  return deriveKey(secretKey, 'floe kept bodies');
}

/** Derives the key that signs sign-in challenges. */
export function deriveSignInChallengeKey(secretKey: Buffer): KeyObject {
  return deriveKey(secretKey, 'floe sign-in challenges').key;
}

/**
 * Derives the key that encrypts the state that the browser stores during a sign-in with an issuer.
 */
export function deriveOidcFlowKey(secretKey: Buffer): SecretEncryptionKey {
  return deriveKey(secretKey, 'floe sign-in under way');
}

function deriveKey(secretKey: Buffer, purpose: string): SecretEncryptionKey {
  const bytes = Buffer.from(hkdfSync('sha256', secretKey, '', purpose, KEY_BYTES));
  const id = createHmac('sha256', bytes).update(`${purpose} key id`).digest('hex').slice(0, 8);
  return { key: createSecretKey(bytes), id };
}

/**
 * Encrypts a secret with its own data key, and the data key with the key-encryption key. A change
 * of the key-encryption key therefore does not require encrypting the secret again. The result is
 * `fs1.<key id>.<wrapped data key>.<encrypted secret>` in base64url.
 */
export function encryptSecret(
  secret: string,
  location: SecretLocation,
  { key, id }: SecretEncryptionKey,
): string {
  const dataKey = randomBytes(KEY_BYTES);
  const wrapped = encrypt(key, dataKey, encodeAad('key', location));
  const body = encrypt(createSecretKey(dataKey), Buffer.from(secret, 'utf8'), encodeAad('secret', location));
  return [FORMAT, id, wrapped.toString('base64url'), body.toString('base64url')].join('.');
}

/** Returns the result of a function that decrypts a stored secret. Null if the secret cannot be decrypted. */
export function decryptOrNull<Result>(decrypt: () => Result): Result | null {
  try {
    return decrypt();
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null;
    throw error;
  }
}

/** Decrypts a secret. @throws UnreadableSecretError */
export function decryptSecret(
  ciphertext: string,
  location: SecretLocation,
  encryptionKey: SecretEncryptionKey,
): string {
  const { body, dataKey } = unwrapDataKey(ciphertext, location, encryptionKey);
  return decrypt(createSecretKey(dataKey), body, encodeAad('secret', location)).toString('utf8');
}

/**
 * Encrypts a secret's data key with another key-encryption key, and returns the new ciphertext.
 *
 * @throws UnreadableSecretError if `from` cannot decrypt it
 */
export function rewrapSecret(
  ciphertext: string,
  location: SecretLocation,
  from: SecretEncryptionKey,
  to: SecretEncryptionKey,
): string {
  const { body, dataKey } = unwrapDataKey(ciphertext, location, from);
  // Decrypted once, so that a damaged secret does not look valid afterwards.
  decrypt(createSecretKey(dataKey), body, encodeAad('secret', location));
  const wrapped = encrypt(to.key, dataKey, encodeAad('key', location));
  return [FORMAT, to.id, wrapped.toString('base64url'), body.toString('base64url')].join('.');
}

/** Returns the prefix of all ciphertexts that were encrypted with a key. */
export function getEncryptedSecretPrefix({ id }: Pick<SecretEncryptionKey, 'id'>): string {
  return `${FORMAT}.${id}.`;
}

function unwrapDataKey(ciphertext: string, location: SecretLocation, encryptionKey: SecretEncryptionKey) {
  const [format, keyId, wrapped, body, ...rest] = ciphertext.split('.');
  if (
    format !== FORMAT ||
    keyId === undefined ||
    wrapped === undefined ||
    body === undefined ||
    rest.length > 0
  )
    throw new UnreadableSecretError('damaged');
  const known = [encryptionKey, ...(encryptionKey.previousKeys ?? [])].find(({ id }) => id === keyId);
  if (!known) throw new UnreadableSecretError('wrong_key');
  const dataKey = decrypt(known.key, Buffer.from(wrapped, 'base64url'), encodeAad('key', location));
  if (dataKey.length !== KEY_BYTES) throw new UnreadableSecretError('damaged');
  return { dataKey, body: Buffer.from(body, 'base64url') };
}

/** JSON separates the parts, so that two places never have the same bytes. */
function encodeAad(purpose: 'key' | 'secret', { orgId, rowId, version }: SecretLocation): Buffer {
  return Buffer.from(JSON.stringify([FORMAT, purpose, orgId, rowId, version]));
}

function encrypt(key: KeyObject, plain: Buffer, aad: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(aad);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: KeyObject, ciphertext: Buffer, aad: Buffer): Buffer {
  if (ciphertext.length < NONCE_BYTES + TAG_BYTES) throw new UnreadableSecretError('damaged');
  const end = ciphertext.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, ciphertext.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(aad);
  decipher.setAuthTag(ciphertext.subarray(end));
  try {
    return Buffer.concat([decipher.update(ciphertext.subarray(NONCE_BYTES, end)), decipher.final()]);
  } catch (cause) {
    throw new UnreadableSecretError('damaged', { cause });
  }
}
