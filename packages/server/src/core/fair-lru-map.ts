/** The entries of one organization, least recently used first. */
interface OrgEntries<Value> {
  readonly entries: Map<string, Value>;
  /** Total size of the entries. */
  size: number;
}

/**
 * A map that limits the total size of the entries of all organizations. If the map is full, the organizations that use the most lose
 * their least recently used entries. To fit a new entry, an organization that uses less than its share loses at most the size of
 * this entry or 1% of the maximum size, whichever is larger. The loss is rounded up to whole entries.
 */
export class FairLruMap<Value> {
  readonly #byOrg = new Map<string, OrgEntries<Value>>();
  readonly #maxSize: number;
  readonly #sizeOf: (value: Value) => number;
  #size = 0;

  /** @param sizeOf returns the size of an entry, which must not change. By default, each entry has size 1 */
  constructor(maxSize: number, sizeOf: (value: Value) => number = () => 1) {
    this.#maxSize = maxSize;
    this.#sizeOf = sizeOf;
  }

  /** The total size of all entries. */
  get size(): number {
    return this.#size;
  }

  get(orgId: string, key: string): Value | undefined {
    const entries = this.#byOrg.get(orgId)?.entries;
    const value = entries?.get(key);
    if (entries === undefined || value === undefined) return undefined;
    entries.delete(key);
    entries.set(key, value);
    return value;
  }

  /** Sets an entry. This entry remains, whatever its size, until the next one is set. */
  set(orgId: string, key: string, value: Value): void {
    this.delete(orgId, key);
    const size = this.#sizeOf(value);
    const org = this.#byOrg.get(orgId) ?? { entries: new Map<string, Value>(), size: 0 };
    this.#byOrg.set(orgId, org);
    org.entries.set(key, value);
    org.size += size;
    this.#size += size;
    while (this.#size > this.#maxSize && this.#evict(orgId, size));
  }

  delete(orgId: string, key: string): void {
    const org = this.#byOrg.get(orgId);
    const value = org?.entries.get(key);
    if (org === undefined || value === undefined) return;
    org.entries.delete(key);
    const size = this.#sizeOf(value);
    org.size -= size;
    this.#size -= size;
    if (org.entries.size === 0) this.#byOrg.delete(orgId);
  }

  clear(): void {
    this.#byOrg.clear();
    this.#size = 0;
  }

  *values(): Generator<Value> {
    for (const { entries } of this.#byOrg.values()) yield* entries.values();
  }

  /** Returns the organizations that have entries. */
  listOrgIds(): string[] {
    return [...this.#byOrg.keys()];
  }

  /** Returns the entries of an organization, the least recently used first. */
  entriesOf(orgId: string): ReadonlyMap<string, Value> {
    return this.#byOrg.get(orgId)?.entries ?? new Map();
  }

  /** Returns the total size of the entries of an organization. */
  sizeOf(orgId: string): number {
    return this.#byOrg.get(orgId)?.size ?? 0;
  }

  /**
   * Removes entries of the organizations that use the most, except for the new entry. Removes many at once, because it
   * visits all organizations. Returns false if there are no other entries.
   */
  #evict(newOrgId: string, newSize: number): boolean {
    const sizeWithoutNew = (orgId: string, size: number) => (orgId === newOrgId ? size - newSize : size);
    let most = 0;
    for (const [orgId, { size }] of this.#byOrg) most = Math.max(most, sizeWithoutNew(orgId, size));
    let left = Math.max(this.#size - this.#maxSize, Math.ceil(this.#maxSize / 100));
    for (const [orgId, { entries, size }] of this.#byOrg) {
      if (sizeWithoutNew(orgId, size) < most) continue;
      let leftOfOrg = Math.min(left, Math.ceil(most / 2));
      for (const [key, value] of entries) {
        if (leftOfOrg <= 0) break;
        leftOfOrg -= this.#sizeOf(value);
        left -= this.#sizeOf(value);
        this.delete(orgId, key);
      }
      if (left <= 0) break;
    }
    return most > 0;
  }
}
