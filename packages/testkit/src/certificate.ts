import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A certificate and its private key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly name: string;
  readonly privateKey: KeyObject;
}

/** A certificate authority of a test's own: valid for a day around now, trusted by nobody. */
export function makeAuthority(name: string): Certificate {
  return make(name, undefined, [extension('2.5.29.19', sequence(tagged(0x01, Buffer.from([0xff]))), true)]);
}

/** A certificate that `authority` gave out for 127.0.0.1 and the host `name`, which is its common name too. */
export function issue(name: string, authority: Certificate): Certificate {
  const address = tagged(0x87, Buffer.from([127, 0, 0, 1]));
  const host = tagged(0x82, Buffer.from(name));
  return make(name, authority, [extension('2.5.29.17', sequence(address, host), false)]);
}

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const HALF_DAY_MS = 12 * 3_600_000;

/** X.509 version 3 (RFC 5280, 4.1), written out by hand: the runtime reads certificates and makes none. */
function make(name: string, issuer: Certificate | undefined, extensions: readonly Buffer[]): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = Date.now();
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    nameOf(issuer?.name ?? name),
    sequence(time(now - HALF_DAY_MS), time(now + HALF_DAY_MS)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey);
  const whole = sequence(body, ECDSA_SHA256, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
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

function extension(id: string, value: Buffer, isCritical: boolean): Buffer {
  const critical = isCritical ? [tagged(0x01, Buffer.from([0xff]))] : [];
  return sequence(oid(id), ...critical, tagged(0x04, value));
}

function nameOf(name: string): Buffer {
  return sequence(tagged(0x31, sequence(oid('2.5.4.3'), tagged(0x0c, Buffer.from(name)))));
}

function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]|\.\d{3}/g, '');
  return tagged(0x17, Buffer.from(text.slice(2)));
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return tagged(0x06, Buffer.from(bytes));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

/** One element in DER: tag, length, content. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
