import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** The options of `navigator.credentials.create` that the fake authenticator reads. */
export interface PasskeyCreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

/** The options of `navigator.credentials.get` that the fake authenticator reads. */
export interface PasskeyRequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

/** How the authenticator's response differs from a valid one. */
export interface AuthenticatorFault {
  /** The origin of the requesting page. Default: that of the authenticator. */
  readonly origin?: string;
  readonly rpId?: string;
  /** The user was not verified by fingerprint or PIN. */
  readonly isUserUnverified?: boolean;
  /** Replaces the signature counter. */
  readonly counter?: number;
  /** The signature is of other data. */
  readonly hasForgedSignature?: boolean;
}

interface StoredPasskey {
  readonly id: Buffer;
  readonly key: KeyObject;
  readonly userHandle: string;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED_CREDENTIAL = 0x40;

/**
 * A passkey provider in software (WebAuthn level 3): discoverable credentials, ES256, attestation `none`, one
 * user. Returns the format of `PublicKeyCredential.toJSON()`.
 */
export class FakeAuthenticator {
  readonly #origin: string;
  readonly #credentials: StoredPasskey[] = [];
  #uses = 0;

  /** `origin` is that of the page, such as `https://floe.example`. */
  constructor(origin: string) {
    this.#origin = origin;
  }

  create(options: PasskeyCreationOptions, twist: AuthenticatorFault = {}) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const credential = { id: randomBytes(32), key: privateKey, userHandle: options.user.id };
    this.#credentials.push(credential);
    const attested = Buffer.concat([
      Buffer.alloc(16),
      uint16(credential.id.length),
      credential.id,
      coseKey(privateKey),
    ]);
    const data = Buffer.concat([
      this.#authenticatorData(options.rp.id, twist, ATTESTED_CREDENTIAL),
      attested,
    ]);
    const attestationObject = cborMap([
      [cborText('fmt'), cborText('none')],
      [cborText('attStmt'), cborMap([])],
      [cborText('authData'), cborBytes(data)],
    ]);
    const id = credential.id.toString('base64url');
    return {
      id,
      rawId: id,
      type: 'public-key' as const,
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options.challenge, twist).toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  /** Signs in with the newest passkey. @throws Error if there is none */
  get(options: PasskeyRequestOptions, twist: AuthenticatorFault = {}) {
    const credential = this.#credentials.at(-1);
    if (!credential) throw new Error('this authenticator holds no passkey');
    this.#uses += 1;
    const data = this.#authenticatorData(options.rpId, twist, 0);
    const clientData = this.#clientData('webauthn.get', options.challenge, twist);
    const signed = twist.hasForgedSignature ? randomBytes(64) : Buffer.concat([data, sha256(clientData)]);
    const id = credential.id.toString('base64url');
    return {
      id,
      rawId: id,
      type: 'public-key' as const,
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, credential.key).toString('base64url'),
        userHandle: credential.userHandle,
      },
    };
  }

  #authenticatorData(rpId: string, twist: AuthenticatorFault, more: number): Buffer {
    const flags = USER_PRESENT | (twist.isUserUnverified ? 0 : USER_VERIFIED) | more;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(twist.counter ?? this.#uses);
    return Buffer.concat([sha256(Buffer.from(twist.rpId ?? rpId)), Buffer.from([flags]), counter]);
  }

  #clientData(type: string, challenge: string, { origin = this.#origin }: AuthenticatorFault): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

/** Encodes a key on P-256 for ES256 as an EC2 key (RFC 9053, 7.1.1). */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return cborMap([
    [cborUint(1), cborUint(2)],
    [cborUint(3), cborNegative(-7)],
    [cborNegative(-1), cborUint(1)],
    [cborNegative(-2), cborBytes(Buffer.from(x, 'base64url'))],
    [cborNegative(-3), cborBytes(Buffer.from(y, 'base64url'))],
  ]);
}

/** Encodes the head of a CBOR item (RFC 8949). */
function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.concat([Buffer.from([(major << 5) | 25]), uint16(value)]);
}

const cborUint = (value: number) => cborHead(0, value);
const cborNegative = (value: number) => cborHead(1, -1 - value);
const cborBytes = (value: Buffer) => Buffer.concat([cborHead(2, value.length), value]);
const cborText = (value: string) =>
  Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
const cborMap = (entries: readonly (readonly [Buffer, Buffer])[]) =>
  Buffer.concat([cborHead(5, entries.length), ...entries.flat()]);

function uint16(value: number): Buffer {
  const out = Buffer.alloc(2);
  out.writeUInt16BE(value);
  return out;
}
