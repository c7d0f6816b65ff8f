import { hash, randomBytes } from 'node:crypto';

/**
 * Crockford's base 32 in lower case. Encoded numbers sort like the numbers themselves. The letters `i l o u`
 * are not used.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** The prefix of an id. It identifies the kind of resource. */
export type IdPrefix =
  | 'org'
  | 'key'
  | 'exc'
  | 'aud'
  | 'mon'
  | 'beat'
  | 'chk'
  | 'req'
  | 'lim'
  | 'bud'
  | 'chn'
  | 'alr'
  | 'dlv'
  | 'brd'
  | 'mnt'
  | 'dec'
  | 'rep'
  | 'apr'
  | 'rlr'
  | 'brk'
  | 'viw'
  | 'job'
  | 'cfg'
  | 'crd'
  | 'usr'
  | 'mem'
  | 'ses'
  | 'psk'
  | 'inv'
  | 'rot';

let randomPool = Buffer.alloc(0);
let usedBytes = 0;

/** Returns random bytes. One system call provides enough for a few hundred ids. */
function takeRandomBytes(count: number): Buffer {
  if (usedBytes + count > randomPool.length) {
    randomPool = randomBytes(4096);
    usedBytes = 0;
  }
  usedBytes += count;
  return randomPool.subarray(usedBytes - count, usedBytes);
}

/**
 * Returns a new id, such as `exc_01jd…`: the prefix, 10 characters that encode milliseconds, and 16 random
 * characters (80 bits). Ids sort by creation time, so that a database adds new ids at the end of an index.
 */
export function createId(prefix: IdPrefix, nowMs: number): string {
  let time = '';
  let rest = nowMs;
  for (let i = 0; i < 10; i++) {
    time = ALPHABET[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  let random = '';
  for (const byte of takeRandomBytes(16)) random += ALPHABET[byte & 31];
  return `${prefix}_${time}${random}`;
}

/**
 * Returns an id that is derived from `text`, in the format of other ids (130 bits of the SHA-256 hash). Equal
 * texts have equal ids, so that a create request that is repeated with the same idempotency key finds the
 * existing row.
 */
export function deriveId(prefix: IdPrefix, text: string): string {
  let id = '';
  for (const byte of hash('sha256', text, 'buffer').subarray(0, 26)) id += ALPHABET[byte & 31];
  return `${prefix}_${id}`;
}
