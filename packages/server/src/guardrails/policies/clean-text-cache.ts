import { hash } from 'node:crypto';
import type { CleanTextSet, WritableCleanTextSet } from '@floe/conditions/detect/redact';
import type { ByteSpan } from '@floe/wire/json-edits';
import { FairLruMap } from '../../core/fair-lru-map.ts';

/** Maximum number of texts in this process, for all policy sets together: about 8 MB. */
const MAX_TEXTS = 50_000;

/** Keys consist of the set and the digest. The organizations share the space fairly. */
const remembered = new FairLruMap<true>(MAX_TEXTS);
let sets = 0;

/**
 * Stores the hashes of texts in which a policy set found nothing, so that Floe does not scan these texts again.
 * Policy sets share no entries. An organization therefore learns nothing about the texts of other organizations,
 * and a changed policy scans all texts again. The hash is SHA-256. No one can construct a text that contains a
 * secret and has the same hash as a text in the cache.
 */
export class CleanTextCache implements WritableCleanTextSet {
  readonly #set = `${sets++} `;
  readonly #orgId: string;

  constructor(orgId = '') {
    this.#orgId = orgId;
  }

  keyOf(token: string | Uint8Array): string {
    return this.#set + hash('sha256', token, 'base64');
  }

  has(key: string): boolean {
    return remembered.get(this.#orgId, key) === true;
  }

  add(key: string): void {
    remembered.set(this.#orgId, key, true);
  }

  /** Adds a text that a thread has scanned, by the digest that `ReportingCleanTextCache` reported. */
  addDigest(digest: string): void {
    this.add(this.#set + digest);
  }
}

/** Maximum number of digests in one report: the most that a main thread receives in a fraction of 1 ms. */
const MAX_REPORTED = 2_000;

/** The cache of a worker thread. It reports new texts, so that the main thread need not scan them again. */
export class ReportingCleanTextCache extends CleanTextCache {
  #added: string[] = [];

  override add(key: string): void {
    super.add(key);
    if (this.#added.length < MAX_REPORTED) this.#added.push(key.slice(key.indexOf(' ') + 1));
  }

  /** Returns the digests of the texts that were added since the last call. */
  takeAdded(): readonly string[] {
    const added = this.#added;
    this.#added = [];
    return added;
  }
}

/**
 * Returns a JSON body as text. Strings that are known to be clean are empty in it, because decoding a body of 300 KB
 * takes 250 µs. Returns null if no string is known.
 * @param longStrings the positions of strings in the body, in order and with their quotes
 */
export function decodeWithoutCleanTexts(
  body: Buffer,
  longStrings: readonly ByteSpan[],
  cleanTexts: CleanTextSet,
): string | null {
  const kept: Buffer[] = [];
  let from = 0;
  for (const { start, end } of longStrings) {
    if (!cleanTexts.has(cleanTexts.keyOf(body.subarray(start, end)))) continue;
    kept.push(body.subarray(from, start + 1));
    from = end - 1;
  }
  return from === 0 ? null : Buffer.concat([...kept, body.subarray(from)]).toString('utf8');
}
