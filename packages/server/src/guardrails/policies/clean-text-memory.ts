import { hash } from 'node:crypto';
import type { GrowingCleanTexts } from '@floe/conditions/detect/redact';

/** Texts remembered in this process, for all sets of policies together: about 8 MB. */
const MAX_TEXTS = 50_000;

/** By set and digest, least recently used first. */
const remembered = new Set<string>();
let sets = 0;

/**
 * The texts that one set of policies found clean. Nothing is shared between sets, so an organization learns nothing
 * of another one, and a changed policy is read again in full. A text is known by its SHA-256. No one can construct another
 * text with the same digest, so a remembered digest never hides a secret.
 */
export class CleanTextMemory implements GrowingCleanTexts {
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
