import { hash, randomBytes } from 'node:crypto';

/** Crockford's base 32, lower case: sorts like the number it spells, has no `i l o u`. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

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

/** Random bytes from one pooled system call per few hundred ids. */
function takeRandomBytes(count: number): Buffer {
  if (usedBytes + count > randomPool.length) {
    randomPool = randomBytes(4096);
    usedBytes = 0;
  }
  usedBytes += count;
  return randomPool.subarray(usedBytes - count, usedBytes);
}

/**
 * A new id: prefix, 10 characters of milliseconds, 16 characters of randomness (80 bits), as
 * `exc_01jd…`. Ids made later sort later, so an index on them follows time.
 */
export function newId(prefix: IdPrefix, nowMs: number): string {
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
 * The id that stands for `text`: always the same for the same text, shaped like the others (130 bits of its
 * SHA-256). A creation repeated with the same idempotency key meets the row of the first one.
 */
export function deriveId(prefix: IdPrefix, text: string): string {
  let id = '';
  for (const byte of hash('sha256', text, 'buffer').subarray(0, 26)) id += ALPHABET[byte & 31];
  return `${prefix}_${id}`;
}
