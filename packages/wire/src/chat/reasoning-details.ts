import type { Json, JsonObject } from '@floe/contract/json';
import { asArray, asString, isJsonObject, isNonEmpty } from '../json-narrowing.ts';
import type { Seal } from '../response-events.ts';

/**
 * Members that are streamed in fragments. Other members are complete in one chunk; the last non-empty value
 * counts.
 */
const FRAGMENTED_MEMBERS = new Set(['text', 'summary', 'data']);

/**
 * Collects `reasoning_details`. The index and type of a fragment identify the entry that it belongs
 * to. If an entry has a seal, all entries are returned to the provider unchanged.
 */
export class ReasoningDetailsCollector {
  #entries: Record<string, Json | undefined>[] = [];

  /** Adds fragments and returns their readable text. */
  add(value: Json | undefined): string {
    let text = '';
    for (const entry of asArray(value)) {
      if (!isJsonObject(entry)) continue;
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

  /** Returns the collected seal and resets it. */
  takeSeal(origin: string | undefined): Seal | undefined {
    const sealed = this.#entries.some((entry) => isNonEmpty(entry['signature']) || isNonEmpty(entry['data']));
    if (!sealed) return undefined;
    const value = JSON.stringify(this.#entries);
    this.#entries = [];
    return { dialect: 'chat', value, origin };
  }
}
