import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Fault } from '@floe/contract/faults';

const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'api-key', 'x-floe-key'];
/** Longer values are not hashed, because no product issues such keys. */
const MAX_IMPORTED_CHARS = 1_000;
const PREFIX = 'eis_';
/** Some clients require an OpenAI-like key, so `sk-eis_…` is accepted as the same key. */
const ALIAS_PREFIX = 'sk-eis_';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 is the first power of 62 above 2^256. */
const SECRET_CHARS = 43;
/** 62^6 is above 2^32, so that every CRC fits. */
const CHECKSUM_CHARS = 6;

function base62(value: bigint, width: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = BASE62.charAt(Number(rest % 62n)) + text;
  return text.padStart(width, '0');
}

/**
 * Generates a platform key: `eis_`, 43 base62 characters that encode 256 random bits, and 6 base62
 * characters with the CRC-32 of everything before them. The checksum helps secret scanners. Floe
 * does not reject a key with a wrong checksum.
 */
export function generatePlatformKey(): string {
  const body = PREFIX + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_CHARS);
  return body + base62(BigInt(crc32(body)), CHECKSUM_CHARS);
}

/** Returns the parts of a key that lists may show: `eis_AbCd` and the last four characters. */
export function createPlatformKeyHint(key: string): { readonly prefix: string; readonly last4: string } {
  return { prefix: key.slice(0, PREFIX.length + 4), last4: key.slice(-4) };
}

/** Replaces the first characters of a key that was imported by its hash. */
const IMPORTED_PREFIX = 'sha256:';

/**
 * Returns the hint for an imported key, of which only the hash is known: `sha256:` and the last
 * four digits of the hash.
 */
export function createImportedKeyHint(sha256: string): { readonly prefix: string; readonly last4: string } {
  return { prefix: IMPORTED_PREFIX, last4: sha256.slice(-4) };
}

/** Returns whether a prefix belongs to an imported key. The value of such a key can have any format. */
export function isImportedKeyPrefix(prefix: string): boolean {
  return prefix === IMPORTED_PREFIX;
}

/** Returns whether a value starts with `eis_` or `sk-eis_`, as platform keys do. */
export function hasPlatformKeyPrefix(value: string): boolean {
  return value.startsWith(PREFIX) || value.startsWith(ALIAS_PREFIX);
}

/** The request headers that can contain a credential, by lowercase name. */
export type PlatformKeyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the platform key in a request's headers, without `sk-`. Floe looks for it in `authorization: Bearer`,
 * `x-api-key`, `api-key` and `x-floe-key`. Header names must be in lowercase. The platform key is the value that
 * starts with `eis_` or `sk-eis_`. If no value starts like a platform key and there are imported keys, returns the
 * first imported key, or else the first value.
 *
 * @throws Fault `missing_api_key` if there is no key, `invalid_api_key` if there are two different
 * keys
 */
export function extractPlatformKey(headers: PlatformKeyHeaders, imported: ImportedKeyLookup): string {
  let key = findKey(headers['authorization'], true, undefined);
  key = findKey(headers['x-api-key'], false, key);
  key = findKey(headers['api-key'], false, key);
  key = findKey(headers['x-floe-key'], false, key);
  if (key === undefined && imported.hasImportedKeys) key = findImportedKey(headers, imported);
  if (key !== undefined) return key;
  throw new Fault(
    'missing_api_key',
    'The request has no platform key. A platform key starts with "eis_". Send it in "Authorization: Bearer eis_…" or "X-API-Key: eis_…".',
  );
}

/** The functions of a keyring that recognize imported keys, whose values can have any format. */
export interface ImportedKeyLookup {
  readonly hasImportedKeys: boolean;
  isImportedKey(presented: string): boolean;
}

function findImportedKey(headers: PlatformKeyHeaders, imported: ImportedKeyLookup): string | undefined {
  let first: string | undefined;
  for (const name of CREDENTIAL_HEADERS)
    for (const header of [headers[name] ?? []].flat()) {
      const value = name === 'authorization' ? bearerToken(header) : header;
      if (value === '' || value.length > MAX_IMPORTED_CHARS) continue;
      if (imported.isImportedKey(value)) return value;
      first ??= value;
    }
  return first;
}

/**
 * Returns whether a header contains a value that begins with `eis_` or `sk-eis_`. The value can be incomplete
 * or invalid.
 */
export function mayContainPlatformKey(headers: PlatformKeyHeaders): boolean {
  return CREDENTIAL_HEADERS.some((name) =>
    [headers[name] ?? []].flat().some((value) => /(?:^|\s)(?:sk-)?eis_/i.test(value)),
  );
}

function findKey(
  header: string | readonly string[] | undefined,
  bearer: boolean,
  found: string | undefined,
): string | undefined {
  if (header === undefined) return found;
  if (typeof header !== 'string') {
    let key = found;
    for (const value of header) key = findKey(value, bearer, key);
    return key;
  }
  const value = bearer ? bearerToken(header) : header;
  const key = value.startsWith(PREFIX) ? value : value.startsWith(ALIAS_PREFIX) ? value.slice(3) : undefined;
  if (key === undefined) return found;
  if (found !== undefined && found !== key)
    throw new Fault(
      'invalid_api_key',
      'The request has two different platform keys. Send only one platform key.',
    );
  return key;
}

/** The scheme is case-insensitive and followed by spaces (RFC 9110, section 11.4). */
function bearerToken(header: string): string {
  if (header.startsWith('Bearer eis_')) return header.slice(7);
  return header.slice(0, 7).toLowerCase() === 'bearer ' ? header.slice(7).trim() : '';
}
