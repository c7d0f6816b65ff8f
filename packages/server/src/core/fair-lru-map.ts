/**
 * A map with a maximum number of entries of all organizations. If it is full, the organizations with the most entries
 * lose their least recently used ones. An organization therefore cannot evict the entries of another one that has fewer.
 */
export class FairLruMap<Value> {
  /** The entries of each organization, the least recently used first. */
  readonly #byOrg = new Map<string, Map<string, Value>>();
  readonly #maxEntries: number;
  #size = 0;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#size;
  }

  get(orgId: string, key: string): Value | undefined {
    const entries = this.#byOrg.get(orgId);
    const value = entries?.get(key);
    if (entries === undefined || value === undefined) return undefined;
    entries.delete(key);
    entries.set(key, value);
    return value;
  }

  set(orgId: string, key: string, value: Value): void {
    this.delete(orgId, key);
    const entries = this.#byOrg.get(orgId) ?? new Map<string, Value>();
    this.#byOrg.set(orgId, entries.set(key, value));
    this.#size += 1;
    if (this.#size > this.#maxEntries) this.#evict();
  }

  delete(orgId: string, key: string): void {
    const entries = this.#byOrg.get(orgId);
    if (!entries?.delete(key)) return;
    this.#size -= 1;
    if (entries.size === 0) this.#byOrg.delete(orgId);
  }

  *values(): Generator<Value> {
    for (const entries of this.#byOrg.values()) yield* entries.values();
  }

  /** Removes entries of the organizations that have the most. Removes many at once, because it visits all organizations. */
  #evict(): void {
    let most = 0;
    for (const { size } of this.#byOrg.values()) most = Math.max(most, size);
    let left = Math.ceil(this.#maxEntries / 100);
    for (const [orgId, entries] of this.#byOrg) {
      if (entries.size < most) continue;
      let count = Math.min(left, Math.ceil(most / 2));
      left -= count;
      for (const key of entries.keys()) {
        if (count-- === 0) break;
        this.delete(orgId, key);
      }
      if (left === 0) return;
    }
  }
}
