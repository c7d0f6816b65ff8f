/** A bucket in the table, with all that is needed to remove it. */
interface TableEntry<Bucket> {
  readonly orgId: string;
  readonly name: string;
  readonly bucket: Bucket;
}

/**
 * Buckets by org and name, swept a few at a time so that the table stays as large as what is in use.
 *
 * The sweep keeps a position in a list and nothing else: no iterator and no map of an org outlives a call. What it
 * removes is one entry, found anew in the live map, so a bucket that is in use cannot be detached.
 */
export class BucketTable<Bucket> {
  /** By org, then by name: a name joined from the two would be hashed anew for each request. */
  readonly #orgs = new Map<string, Map<string, Bucket>>();
  /** Every bucket once, in no order: one that is removed gives its place to the last. */
  readonly #entries: TableEntry<Bucket>[] = [];
  #position = 0;

  /** Buckets in the table. */
  get size(): number {
    return this.#entries.length;
  }

  get(orgId: string, name: string): Bucket | undefined {
    return this.#orgs.get(orgId)?.get(name);
  }

  /** Adds a bucket under a name that the org does not use yet. */
  add(orgId: string, name: string, bucket: Bucket): void {
    let buckets = this.#orgs.get(orgId);
    if (!buckets) {
      buckets = new Map();
      this.#orgs.set(orgId, buckets);
    }
    buckets.set(name, bucket);
    this.#entries.push({ orgId, name, bucket });
  }

  /** Looks at the next `count` buckets and removes those that `isEmpty`; round and round, call by call. */
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
