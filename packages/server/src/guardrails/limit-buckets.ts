import type { LimitSettings } from './guardrail-rule.ts';
import type { RuleClaim } from './rule-claim.ts';

/** The shared store releases the slots of a process that says nothing for so long: the process died. */
const LEASE_MS = 10_000;
/** Buckets remembered of one limit; one of each end user can be any number. */
const MAX_BUCKETS = 4_096;

/** The bucket of one subject in one limit, and what a request takes of it. */
export class LimitBucket {
  readonly #tokens: RuleClaim | null;
  /** A request and its place, whatever its size. */
  readonly #requests: RuleClaim | null;
  readonly #concurrency: RuleClaim | null;

  constructor(rule: LimitSettings, bucket: string) {
    const { rpm, tpm, concurrency } = rule.config;
    const of = (counts: RuleClaim['unit'], sign: string, limit?: number) =>
      limit === undefined ? null : createClaim(rule, counts, `${sign}:${bucket}`, limit);
    this.#requests = of('requests', 'r', rpm);
    this.#tokens = of('tokens', 't', tpm);
    this.#concurrency = of('concurrency', 'c', concurrency);
  }

  /** Adds what a request of so many tokens takes; one that was refused already (null) takes no place. */
  addClaims(claims: RuleClaim[], tokens: number | null): void {
    if (this.#requests) claims.push(this.#requests);
    const limit = this.#tokens;
    // Capped, or a request larger than the limit could never pass.
    if (limit) claims.push({ ...limit, amount: Math.min(tokens ?? 0, limit.limit) });
    if (this.#concurrency && tokens !== null) claims.push(this.#concurrency);
  }
}

/** The buckets of one limit, by whose they are. */
export class LimitBuckets {
  readonly #rule: LimitSettings;
  readonly #buckets = new Map<string, LimitBucket>();

  constructor(rule: LimitSettings) {
    this.#rule = rule;
  }

  get(whose: string): LimitBucket {
    let bucket = this.#buckets.get(whose);
    if (bucket) return bucket;
    if (this.#buckets.size === MAX_BUCKETS) this.#buckets.clear();
    bucket = new LimitBucket(this.#rule, `${this.#rule.id}:${whose}`);
    this.#buckets.set(whose, bucket);
    return bucket;
  }
}

function createClaim(
  rule: LimitSettings,
  counts: RuleClaim['unit'],
  bucket: string,
  limit: number,
): RuleClaim {
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
  };
}
