/** A request body that Floe is still receiving. */
export interface IncomingRequestBody {
  /** Rejects the request. */
  evict(): void;
}

/**
 * The requests whose bodies are arriving. They do not count as in progress, so that slow clients do not use the
 * capacity of the process. If there are too many, the oldest request of the organization with the most of them
 * is rejected. Bodies that arrive quickly are therefore not affected by slow ones.
 */
export class IncomingRequestBodies {
  readonly #maximum: number;
  /** The oldest first. */
  readonly #byOrg = new Map<string, Set<IncomingRequestBody>>();
  #count = 0;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  add(orgId: string, body: IncomingRequestBody): void {
    if (this.#count >= this.#maximum) this.#evictOldest();
    const bodies = this.#byOrg.get(orgId) ?? new Set<IncomingRequestBody>();
    this.#byOrg.set(orgId, bodies.add(body));
    this.#count += 1;
  }

  /** Has no effect if the body is not arriving. */
  delete(orgId: string, body: IncomingRequestBody): void {
    const bodies = this.#byOrg.get(orgId);
    if (!bodies?.delete(body)) return;
    this.#count -= 1;
    if (bodies.size === 0) this.#byOrg.delete(orgId);
  }

  #evictOldest(): void {
    let [largest] = this.#byOrg;
    for (const each of this.#byOrg) if (largest && each[1].size > largest[1].size) largest = each;
    if (!largest) return;
    const [orgId, bodies] = largest;
    const [oldest] = bodies;
    if (!oldest) return;
    this.delete(orgId, oldest);
    oldest.evict();
  }
}
