import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A certificate and its private key in PEM format. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
  readonly name: string;
  readonly privateKey: KeyObject;
}

/**
 * Creates a certificate authority for a test. It is valid from twelve hours ago until twelve hours
 * from now.
 */
export function createCertificateAuthority(name: string): TestCertificate {
  return createCertificate(name, undefined, [
    derExtension('2.5.29.19', derSequence(derElement(0x01, Buffer.from([0xff]))), true),
  ]);
}

/** Issues a certificate of `authority` for 127.0.0.1 and the host `name`, which is also its common name. */
export function issueCertificate(name: string, authority: TestCertificate): TestCertificate {
  const address = derElement(0x87, Buffer.from([127, 0, 0, 1]));
  const host = derElement(0x82, Buffer.from(name));
  return createCertificate(name, authority, [derExtension('2.5.29.17', derSequence(address, host), false)]);
}

const ECDSA_SHA256 = derSequence(derOid('1.2.840.10045.4.3.2'));
const HALF_DAY_MS = 12 * 3_600_000;

/** Encodes an X.509 version 3 certificate (RFC 5280, 4.1), because the runtime can only read certificates. */
function createCertificate(
  name: string,
  issuer: TestCertificate | undefined,
  extensions: readonly Buffer[],
): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = Date.now();
  const body = derSequence(
    derElement(0xa0, derElement(0x02, Buffer.from([2]))),
    derElement(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    derName(issuer?.name ?? name),
    derSequence(derTime(now - HALF_DAY_MS), derTime(now + HALF_DAY_MS)),
    derName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    derElement(0xa3, derSequence(...extensions)),
  );
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey);
  const whole = derSequence(
    body,
    ECDSA_SHA256,
    derElement(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  const lines = whole
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    name,
    privateKey,
  };
}

function derExtension(id: string, value: Buffer, isCritical: boolean): Buffer {
  const critical = isCritical ? [derElement(0x01, Buffer.from([0xff]))] : [];
  return derSequence(derOid(id), ...critical, derElement(0x04, value));
}

function derName(name: string): Buffer {
  return derSequence(derElement(0x31, derSequence(derOid('2.5.4.3'), derElement(0x0c, Buffer.from(name)))));
}

function derTime(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]|\.\d{3}/g, '');
  return derElement(0x17, Buffer.from(text.slice(2)));
}

function derOid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return derElement(0x06, Buffer.from(bytes));
}

function derSequence(...parts: readonly Buffer[]): Buffer {
  return derElement(0x30, Buffer.concat(parts));
}

/** Encodes one DER element: tag, length, content. */
function derElement(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
