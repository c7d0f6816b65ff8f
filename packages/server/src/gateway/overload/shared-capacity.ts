/**
 * The part of the capacity that every organization may use. The rest is reserved for organizations below
 * their equal share, so that they are served while another organization uses everything else.
 */
const UNRESERVED_FRACTION = 0.9;

/**
 * Divides a capacity, such as a number of concurrent exchanges or bytes, between organizations. While
 * capacity is available, an organization may use more than its share. Otherwise, each active organization
 * gets an equal share.
 */
export class SharedCapacity {
  /** The capacity that is divided. It can be reduced below `maximum`, and below the amount in use. */
  limit: number;
  /** The amount that all organizations together never exceed. */
  readonly maximum: number;
  readonly #countOrgs: () => number;
  readonly #usedByOrg = new Map<string, number>();
  #used = 0;

  /** @param countOrgs returns the number of organizations in the installation */
  constructor(maximum: number, countOrgs: () => number) {
    this.maximum = maximum;
    this.limit = maximum;
    this.#countOrgs = countOrgs;
  }

  /** The amount in use. */
  get used(): number {
    return this.#used;
  }

  /** Takes an amount for an organization. Returns false if not enough capacity is available. */
  tryTake(orgId: string, amount: number): boolean {
    const own = this.#usedByOrg.get(orgId) ?? 0;
    if (!this.#hasRoom(own, amount)) return false;
    this.#usedByOrg.set(orgId, own + amount);
    this.#used += amount;
    return true;
  }

  /** Gives back an amount that `tryTake` took. */
  release(orgId: string, amount: number): void {
    const own = (this.#usedByOrg.get(orgId) ?? 0) - amount;
    if (own > 0) this.#usedByOrg.set(orgId, own);
    else this.#usedByOrg.delete(orgId);
    this.#used -= amount;
  }

  #hasRoom(own: number, amount: number): boolean {
    const used = this.#used + amount;
    if (used > this.maximum) return false;
    const hasSeveralOrgs = this.#countOrgs() > 1;
    if (used <= this.limit * (hasSeveralOrgs ? UNRESERVED_FRACTION : 1)) return true;
    // An organization without anything in use is served even if the shares are smaller than its request.
    if (own === 0 && hasSeveralOrgs) return true;
    const active = this.#usedByOrg.size + (own === 0 ? 1 : 0);
    return own + amount <= this.limit / Math.max(active, hasSeveralOrgs ? 2 : 1);
  }
}
