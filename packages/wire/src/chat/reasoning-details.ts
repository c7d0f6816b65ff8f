import type { Json, JsonObject } from '@floe/contract/json';
import type { Seal } from '../events.ts';
import { isObject, listOf, says, textOf } from '../json-read.ts';

/** Members that arrive in fragments; the others come whole, the last one that says something counts. */
const GROWING = new Set(['text', 'summary', 'data']);

/**
 * Gathers `reasoning_details`, whose entries arrive in fragments told apart by index and type. They go
 * back to their host unchanged when one of them carries a proof.
 */
export class ReasoningDetails {
  #entries: Record<string, Json | undefined>[] = [];

  /** Adds fragments; gives the readable text among them. */
  add(value: Json | undefined): string {
    let text = '';
    for (const entry of listOf(value)) {
      if (!isObject(entry)) continue;
      text += textOf(entry['text']) ?? textOf(entry['summary']) ?? '';
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
      if (GROWING.has(key) && typeof before === 'string' && typeof value === 'string')
        same[key] = before + value;
      else if (says(value)) same[key] = value;
    }
  }

  /** The proof gathered so far, once. */
  take(origin: string | undefined): Seal | undefined {
    const sealed = this.#entries.some((entry) => says(entry['signature']) || says(entry['data']));
    if (!sealed) return undefined;
    const value = JSON.stringify(this.#entries);
    this.#entries = [];
    return { dialect: 'chat', value, origin };
  }
}
