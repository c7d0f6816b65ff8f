/**
 * A queue from which organizations take turns, so that the items of one organization do not delay those of another
 * one. The items of one organization stay in order.
 */
export class FairQueue<Item> {
  /** In the order in which the organizations take turns. */
  readonly #byOrg = new Map<string, Item[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Returns the number of items of an organization. */
  lengthOf(orgId: string): number {
    return this.#byOrg.get(orgId)?.length ?? 0;
  }

  /** Returns the organization with the most items. Undefined if the queue is empty. */
  findLargestOrg(): string | undefined {
    let largest: string | undefined;
    let most = 0;
    for (const [orgId, { length }] of this.#byOrg) if (length > most) [largest, most] = [orgId, length];
    return largest;
  }

  push(orgId: string, item: Item): void {
    const items = this.#byOrg.get(orgId);
    if (items) items.push(item);
    else this.#byOrg.set(orgId, [item]);
    this.#length += 1;
  }

  /** Adds items before all others of the organization. */
  unshift(orgId: string, items: readonly Item[]): void {
    this.#byOrg.set(orgId, [...items, ...(this.#byOrg.get(orgId) ?? [])]);
    this.#length += items.length;
  }

  /** Removes and returns the newest item of an organization. */
  pop(orgId: string): Item | undefined {
    const items = this.#byOrg.get(orgId);
    const item = items?.pop();
    if (items?.length === 0) this.#byOrg.delete(orgId);
    if (item !== undefined) this.#length -= 1;
    return item;
  }

  /** Removes and returns up to `count` items. Organizations get equal shares, as far as they have items. */
  take(count: number): Item[] {
    const shares = this.#computeShares(Math.min(count, this.#length));
    const taken: Item[] = [];
    for (const [orgId, share] of shares) {
      const items = this.#byOrg.get(orgId) ?? [];
      taken.push(...items.splice(0, share));
      this.#byOrg.delete(orgId);
      // The organization moves to the end of the order.
      if (items.length > 0) this.#byOrg.set(orgId, items);
    }
    this.#length -= taken.length;
    return taken;
  }

  #computeShares(count: number): ReadonlyMap<string, number> {
    const shares = new Map<string, number>();
    let left = count;
    let waiting = [...this.#byOrg];
    while (left > 0) {
      const share = Math.max(1, Math.floor(left / waiting.length));
      for (const [orgId, { length }] of waiting) {
        const before = shares.get(orgId) ?? 0;
        const more = Math.min(share, length - before, left);
        if (more > 0) shares.set(orgId, before + more);
        left -= more;
      }
      waiting = waiting.filter(([orgId, { length }]) => length > (shares.get(orgId) ?? 0));
    }
    return shares;
  }

  /** Removes and returns the items for which `isRemoved` returns true. */
  remove(isRemoved: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const [orgId, items] of this.#byOrg) {
      const kept = items.filter((item) => !isRemoved(item));
      if (kept.length === items.length) continue;
      removed.push(...items.filter(isRemoved));
      if (kept.length === 0) this.#byOrg.delete(orgId);
      else this.#byOrg.set(orgId, kept);
    }
    this.#length -= removed.length;
    return removed;
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const items of this.#byOrg.values()) yield* items;
  }
}
