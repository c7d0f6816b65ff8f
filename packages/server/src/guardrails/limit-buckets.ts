import type { LimitDefinition } from './limit-or-budget-base.ts';
import type { LimitOrBudgetClaim } from './limit-or-budget-claim.ts';

/** The shared store releases the concurrency slots of a process that has not renewed them for this long. */
const LEASE_MS = 10_000;

/** A limit's counter for one subject. */
export class LimitBucket {
  readonly #tokens: LimitOrBudgetClaim | null;
  /** Counts one request. */
  readonly #requests: LimitOrBudgetClaim | null;
  readonly #concurrency: LimitOrBudgetClaim | null;

  constructor(rule: LimitDefinition, bucket: string) {
    const { rpm, tpm, concurrency } = rule.config;
    const of = (counts: LimitOrBudgetClaim['unit'], sign: string, limit?: number) =>
      limit === undefined ? null : createClaim(rule, counts, `${sign}:${bucket}`, limit);
    this.#requests = of('requests', 'r', rpm);
    this.#tokens = of('tokens', 't', tpm);
    this.#concurrency = of('concurrency', 'c', concurrency);
  }

  /**
   * Adds the claims of a request with this number of tokens. Null means that the request has already been
   * rejected, so it needs no concurrency slot.
   */
  addClaims(claims: LimitOrBudgetClaim[], tokens: number | null): void {
    if (this.#requests) claims.push(this.#requests);
    const limit = this.#tokens;
    // Capped at the limit. Otherwise a request larger than the limit could never pass.
    if (limit) claims.push({ ...limit, amount: Math.min(tokens ?? 0, limit.limit) });
    if (this.#concurrency && tokens !== null) claims.push(this.#concurrency);
  }
}

/** A limit's counters by subject. */
export class LimitBuckets {
  readonly #rule: LimitDefinition;
  readonly #maxBuckets: number;
  readonly #buckets = new Map<string, LimitBucket>();

  constructor(rule: LimitDefinition, maxBuckets: number) {
    this.#rule = rule;
    this.#maxBuckets = maxBuckets;
  }

  get(whose: string): LimitBucket {
    let bucket = this.#buckets.get(whose);
    if (bucket) return bucket;
    if (this.#buckets.size === this.#maxBuckets) this.#buckets.clear();
    bucket = new LimitBucket(this.#rule, `${this.#rule.id}:${whose}`);
    this.#buckets.set(whose, bucket);
    return bucket;
  }
}

function createClaim(
  rule: LimitDefinition,
  counts: LimitOrBudgetClaim['unit'],
  bucket: string,
  limit: number,
): LimitOrBudgetClaim {
  const isLease = counts === 'concurrency';
  return {
    kind: isLease ? 'lease' : 'window',
    bucket,
    amount: 1,
    limit,
    enforced: true,
    persistent: counts === 'requests',
    minimumUsed: 0,
    endsAt: 0,
    ttlMs: isLease ? LEASE_MS : 0,
    outageMode: rule.onStoreError,
    name: rule.name,
    ruleId: rule.id,
    unit: counts,
    period: '',
    day: '',
  };
}
