/** A bucket in the table, with what its removal needs. */
interface TableEntry<Bucket> {
  readonly orgId: string;
  readonly name: string;
  readonly bucket: Bucket;
}

/**
 * Stores counters by organization and name. Each call of `sweep` checks a few of them and removes
 * those no longer in use.
 *
 * The sweep stores only its position in a list, and no iterator or per-organization map. Before it
 * removes an entry, it looks up the entry in the current map, so that a counter in use is never
 * removed.
 */
export class CounterBucketTable<Bucket> {
  /** Two levels, because a joined name would have to be hashed for each request. */
  readonly #orgs = new Map<string, Map<string, Bucket>>();
  /** Every bucket once, without order. The last entry replaces a removed one. */
  readonly #entries: TableEntry<Bucket>[] = [];
  #position = 0;

  /** Number of buckets. */
  get size(): number {
    return this.#entries.length;
  }

  get(orgId: string, name: string): Bucket | undefined {
    return this.#orgs.get(orgId)?.get(name);
  }

  /** Number of buckets of an organization. */
  countOf(orgId: string): number {
    return this.#orgs.get(orgId)?.size ?? 0;
  }

  /** Adds a bucket. The organization must not have one with this name. */
  add(orgId: string, name: string, bucket: Bucket): void {
    let buckets = this.#orgs.get(orgId);
    if (!buckets) {
      buckets = new Map();
      this.#orgs.set(orgId, buckets);
    }
    buckets.set(name, bucket);
    this.#entries.push({ orgId, name, bucket });
  }

  /**
   * Checks the next `count` buckets and removes those for which `isEmpty` returns true. Starts again after
   * the last bucket.
   */
  sweep(count: number, isEmpty: (bucket: Bucket) => boolean): void {
    for (let looked = 0; looked < count; looked++) {
      if (this.#position >= this.#entries.length) this.#position = 0;
      const entry = this.#entries[this.#position];
      if (entry === undefined) return;
      if (isEmpty(entry.bucket)) this.#removeAt(this.#position, entry);
      else this.#position += 1;
    }
  }

  forEach(visit: (bucket: Bucket, orgId: string, name: string) => void): void {
    for (const { bucket, orgId, name } of this.#entries) visit(bucket, orgId, name);
  }

  clear(): void {
    this.#orgs.clear();
    this.#entries.length = 0;
  }

  #removeAt(position: number, { orgId, name }: TableEntry<Bucket>): void {
    const last = this.#entries.pop();
    if (last !== undefined && position < this.#entries.length) this.#entries[position] = last;
    const buckets = this.#orgs.get(orgId);
    buckets?.delete(name);
    if (buckets?.size === 0) this.#orgs.delete(orgId);
  }
}
