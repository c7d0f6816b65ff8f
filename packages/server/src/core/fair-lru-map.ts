/**
 * A map with a maximum number of entries of all organizations. If it is full, the organization with the most entries
 * loses its least recently used ones. An organization therefore cannot evict the entries of another one that has fewer.
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

  /** Removes several entries, because the selection visits all organizations. */
  #evict(): void {
    let largest = new Map<string, Value>();
    let orgId = '';
    for (const [id, entries] of this.#byOrg)
      if (entries.size > largest.size) [orgId, largest] = [id, entries];
    let count = Math.ceil(Math.min(this.#maxEntries / 100, largest.size / 2));
    for (const key of largest.keys()) {
      if (count-- === 0) break;
      this.delete(orgId, key);
    }
  }
}
