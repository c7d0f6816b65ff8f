import type { Json, JsonObject } from '@floe/contract/json';
import type { Seal } from '../events.ts';
import { asArray, asString, isNonEmpty, isObject } from '../json-narrowing.ts';

/** Members that arrive in fragments; the others come whole, the last one that says something counts. */
const FRAGMENTED_MEMBERS = new Set(['text', 'summary', 'data']);

/**
 * Gathers `reasoning_details`, whose entries arrive in fragments told apart by index and type. They go
 * back to their host unchanged when one of them carries a proof.
 */
export class ReasoningDetailsCollector {
  #entries: Record<string, Json | undefined>[] = [];

  /** Adds fragments; gives the readable text among them. */
  add(value: Json | undefined): string {
    let text = '';
    for (const entry of asArray(value)) {
      if (!isObject(entry)) continue;
      text += asString(entry['text']) ?? asString(entry['summary']) ?? '';
      this.#merge(entry);
    }
    return text;
  }

  #merge(entry: JsonObject): void {
    const same = this.#entries.find(
      (known) => known['index'] === entry['index'] && known['type'] === entry['type'],
    );
    if (!same) {
      this.#entries.push({ ...entry });
      return;
    }
    for (const [key, value] of Object.entries(entry)) {
      const before = same[key];
      if (FRAGMENTED_MEMBERS.has(key) && typeof before === 'string' && typeof value === 'string')
        same[key] = before + value;
      else if (isNonEmpty(value)) same[key] = value;
    }
  }

  /** The proof gathered so far, once. */
  takeSeal(origin: string | undefined): Seal | undefined {
    const sealed = this.#entries.some((entry) => isNonEmpty(entry['signature']) || isNonEmpty(entry['data']));
    if (!sealed) return undefined;
    const value = JSON.stringify(this.#entries);
    this.#entries = [];
    return { dialect: 'chat', value, origin };
  }
}
