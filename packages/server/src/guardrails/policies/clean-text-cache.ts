import { hash } from 'node:crypto';
import type { WritableCleanTexts } from '@floe/conditions/detect/redact';

/** Maximum number of texts in this process, for all policy sets together: about 8 MB. */
const MAX_TEXTS = 50_000;

/** Keys consist of the set and the digest. Least recently used first. */
const remembered = new Set<string>();
let sets = 0;

/**
 * Remembers the texts in which one policy set found nothing. Policy sets share no entries, so an
 * organization learns nothing about another one, and a changed policy scans all texts again. A text
 * is identified by its SHA-256 hash. Because no one can construct two texts with the same hash, a
 * secret cannot be hidden behind a remembered text.
 */
export class CleanTextCache implements WritableCleanTexts {
  readonly #set = `${sets++} `;

  keyOf(text: string): string {
    return this.#set + hash('sha256', text, 'base64');
  }

  has(key: string): boolean {
    if (!remembered.delete(key)) return false;
    remembered.add(key);
    return true;
  }

  add(key: string): void {
    remembered.add(key);
    if (remembered.size <= MAX_TEXTS) return;
    for (const oldest of remembered) {
      remembered.delete(oldest);
      return;
    }
  }
}
