import { Fault } from '@floe/contract/faults';
import type { Clock } from '../core/clock.ts';
import type { Counters, ReservationExtensionResult } from '../store/ports.ts';
import type { BudgetCharge } from '../store/spend/budget-spend.ts';
import type { SpendJournal } from '../store/spend/spend-journal.ts';
import type { OrgRules } from './compile-rules.ts';
import type { Grant, GrantExtension } from './grant.ts';
import { selectGrantClaims, toSpendClaim, toUnenforcedClaim } from './grant-charges.ts';
import { type MatchedRules, matchRules } from './matched-rules.ts';
import type { CostEstimate, RequestAttributes } from './request-attributes.ts';
import type { RuleClaim } from './rule-claim.ts';
import {
  budgetExceededFault,
  budgetReservedFault,
  budgetUsedUpFault,
  rateLimitFault,
} from './rule-faults.ts';
import type { SpendCache } from './spend-cache.ts';

/** What guards stand on; `main.ts` puts it together. */
export interface GuardOptions {
  readonly counters: Counters;
  readonly journal: SpendJournal;
  readonly spendCache: SpendCache;
  readonly clock: Clock;
}

/** Takes limits and budgets for exchanges and settles them. One for the process. */
export class Guard {
  readonly #options: GuardOptions;

  constructor(parts: GuardOptions) {
    this.#options = parts;
  }

  /**
   * One atomic step over every rule that reaches the caller. Without an `estimate` the request was refused
   * already: it spends its RPM and nothing else. `grant.taken.refused` says whether a rule refused; the
   * caller of this decides what is told first.
   */
  acquire(
    id: string,
    rules: OrgRules,
    caller: RequestAttributes,
    estimate: CostEstimate | null,
  ): Grant | Promise<Grant> {
    const { counters, spendCache, clock } = this.#options;
    const matched = matchRules(rules, caller, clock.now());
    const fault = estimate && matched.findUnpricedFault(estimate);
    const paid = fault ? null : estimate;
    const claims = matched.buildClaims(paid, spendCache);
    const { orgId } = caller.key;
    const taken = counters.acquire(orgId, id, claims);
    const grant = {
      id,
      orgId,
      claims,
      fault,
      isOpen: paid !== null,
      isJournaled: false,
      reservedNanoUsd: null,
    };
    if (taken instanceof Promise) return taken.then((done) => this.#completeGrant({ ...grant, taken: done }));
    return this.#completeGrant({ ...grant, taken });
  }

  /** Puts what a hard budget holds on disk, before anything is sent. Null when there is nothing to wait for. */
  persistReservation(grant: Grant): Promise<void> | null {
    const charges = buildCharges(grant, grant.taken.amounts, true);
    if (charges.length === 0) return null;
    grant.isJournaled = true;
    return this.#options.journal.reserve(grant.id, charges);
  }

  /**
   * Reserves more of the hard budgets for an exchange that costs more than was expected: as much of `nanoUsd` as all of
   * them have room for, in one atomic step. The journal hears of it too, without anyone waiting for the disk.
   */
  extend(grant: Grant, nanoUsd: number): GrantExtension | Promise<GrantExtension> {
    const { counters, spendCache } = this.#options;
    const { id, orgId, taken } = grant;
    const claims = grant.claims
      .filter(isHardBudget)
      .map((claim) => ({ ...claim, minimumUsed: spendCache.spentNanoUsd(orgId, claim.bucket) }));
    const held = grant.reservedNanoUsd ?? 0;
    const extended = counters.extend(orgId, {
      id,
      countedLocally: taken.countedLocally,
      claims,
      reserved: held,
      amount: nanoUsd,
    });
    if (extended instanceof Promise)
      return extended.then((done) => this.#completeExtension(grant, claims, done));
    return this.#completeExtension(grant, claims, extended);
  }

  /** The end of a grant, once: what it was worth in tokens and money. Concurrency is given back. */
  settle(grant: Grant, tokens: number, nanoUsd: number): void {
    const { counters, journal } = this.#options;
    if (!grant.isOpen) return;
    grant.isOpen = false;
    const { amounts, second, countedLocally, localSecond } = grant.taken;
    const actual = grant.claims.map((claim, index) => {
      const amount = amounts[index] ?? 0;
      if (claim.kind === 'spend') return amount === 0 && claim.amount > 0 ? 0 : nanoUsd;
      if (claim.kind === 'lease') return 0;
      return claim.unit === 'tokens' && amount > 0 ? tokens : amount;
    });
    const { id, orgId, claims } = grant;
    void counters.settle(orgId, {
      id,
      second,
      countedLocally,
      localSecond,
      claims,
      amounts,
      actual,
    });
    const charges = buildCharges(grant, actual, false);
    if (grant.isJournaled || charges.length > 0) journal.settle(id, charges);
  }

  /**
   * The end of what a grant took of limits. What it took of budgets stays reserved, in memory and on disk, until the
   * grant that this returns is settled; a process that dies before is charged for it in full, as for any reservation.
   */
  settleLimits(grant: Grant): Grant {
    const kept: Grant = { ...grant, ...selectGrantClaims(grant, true) };
    if (!grant.isOpen) return kept;
    grant.isOpen = false;
    const { id, orgId } = grant;
    const rates = selectGrantClaims(grant, false);
    const { second, countedLocally, localSecond, amounts } = rates.taken;
    // Tokens stay as they were reserved: their window is over before the answer is.
    void this.#options.counters.settle(orgId, {
      id,
      second,
      countedLocally,
      localSecond,
      claims: rates.claims,
      amounts,
      actual: amounts.map((amount, index) => (rates.claims[index]?.kind === 'lease' ? 0 : amount)),
    });
    return kept;
  }

  /** Counts charges whatever the budgets say: what of them a process that is gone had reserved is charged already. */
  async chargeBuckets(
    id: string,
    orgId: string,
    charges: readonly BudgetCharge[],
    nanoUsd: number,
  ): Promise<void> {
    const owed = charges.map((charge) => {
      const reserved = charge.mode === 'hard' ? charge.nanoUsd : 0;
      return { ...charge, nanoUsd: Math.max(0, nanoUsd - reserved) };
    });
    const claims = owed.map((charge) => toSpendClaim(charge));
    if (claims.length === 0) return;
    const taken = await this.#options.counters.acquire(orgId, id, claims.map(toUnenforcedClaim));
    const { second, countedLocally, localSecond, amounts } = taken;
    const actual = owed.map((charge) => charge.nanoUsd);
    void this.#options.counters.settle(orgId, {
      id,
      second,
      countedLocally,
      localSecond,
      claims,
      amounts,
      actual,
    });
    this.#options.journal.settle(id, owed);
  }

  /**
   * Counts money that was spent already, whatever the budgets say: nothing was reserved for it. `id` must be new or
   * that of an exchange that holds nothing of a budget.
   */
  async charge(id: string, rules: OrgRules, caller: RequestAttributes, nanoUsd: number): Promise<void> {
    const { counters, spendCache, clock } = this.#options;
    const { orgId } = caller.key;
    const spent = { tokens: 0, nanoUsd, unpriced: null };
    const claims = matchRules(rules, caller, clock.now())
      .buildClaims(spent, spendCache)
      .filter(({ kind }) => kind === 'spend');
    if (claims.length === 0) return;
    const taken = await counters.acquire(orgId, id, claims.map(toUnenforcedClaim));
    const open = { fault: null, isOpen: true, isJournaled: false, reservedNanoUsd: null };
    this.settle({ id, orgId, claims, taken, ...open }, 0, nanoUsd);
  }

  /** Where a caller stands with each rule that reaches it, for `GET /gateway/v1/key` and the console. */
  matchRules(rules: OrgRules, caller: RequestAttributes): MatchedRules {
    return matchRules(rules, caller, this.#options.clock.now());
  }

  /** Levels of claims made by `reach`. */
  async readLevels(orgId: string, claims: readonly RuleClaim[]) {
    return this.#options.counters.peek(orgId, claims);
  }

  get spendCache(): SpendCache {
    return this.#options.spendCache;
  }

  #completeGrant(grant: Grant): Grant {
    if (grant.taken.refusedIndex !== null) grant.isOpen = false;
    if (grant.isOpen) grant.reservedNanoUsd = grant.claims.find(isHardBudget)?.amount ?? null;
    return grant;
  }

  #completeExtension(
    grant: Grant,
    claims: readonly RuleClaim[],
    { granted, limitingIndex, countedLocally }: ReservationExtensionResult,
  ): GrantExtension {
    const reserved = (grant.reservedNanoUsd ?? 0) + granted;
    grant.reservedNanoUsd = reserved;
    if (granted > 0 && grant.isJournaled && grant.isOpen) {
      const charges = claims.map((claim) => buildCharge(grant.orgId, claim, granted));
      this.#options.journal.extend(grant.id, charges);
    }
    const claim = limitingIndex === null ? undefined : claims[limitingIndex];
    if (claim === undefined) return { reservedNanoUsd: reserved, fault: null };
    return {
      reservedNanoUsd: reserved,
      fault:
        countedLocally && claim.outageMode === 'closed'
          ? storeUnavailableFault(claim)
          : budgetUsedUpFault(claim),
    };
  }
}

/** The fault of a grant that a rate refused, which is told before all others; null when none did. */
export function findRateLimitFault(grant: Grant): Fault | null {
  const { refusedIndex } = grant.taken;
  return refusedIndex === null || grant.claims[refusedIndex]?.kind === 'spend' ? null : findGrantFault(grant);
}

/** The fault of a grant that a rule refused; null when none did. */
export function findGrantFault(grant: Grant): Fault | null {
  const { refusedIndex, retryAfterMs, countedLocally, levels } = grant.taken;
  const claim = refusedIndex === null ? undefined : grant.claims[refusedIndex];
  if (refusedIndex === null || claim === undefined) return null;
  if (countedLocally && claim.outageMode === 'closed') return storeUnavailableFault(claim);
  if (claim.kind !== 'spend') return rateLimitFault(claim, retryAfterMs);
  if (retryAfterMs !== null) return budgetReservedFault(claim, retryAfterMs);
  return budgetExceededFault(claim, levels[refusedIndex]?.used ?? 0);
}

function storeUnavailableFault({ kind, name }: RuleClaim): Fault {
  const what = kind === 'spend' ? 'budget' : 'limit';
  const message = `The ${what} "${name}" cannot be checked because its counters are unavailable, and it is configured to reject requests in this case (on_store_error: closed). Retry later.`;
  return new Fault('overloaded', message);
}

function isHardBudget({ kind, enforced }: RuleClaim): boolean {
  return kind === 'spend' && enforced;
}

function buildCharges(grant: Grant, worth: readonly number[], hardOnly: boolean): BudgetCharge[] {
  const charges: BudgetCharge[] = [];
  // Claims on budgets come last.
  if (grant.claims.at(-1)?.kind !== 'spend') return charges;
  for (const [index, claim] of grant.claims.entries()) {
    const nanoUsd = worth[index] ?? 0;
    if (claim.kind !== 'spend' || nanoUsd === 0 || (hardOnly && !claim.enforced)) continue;
    charges.push(buildCharge(grant.orgId, claim, nanoUsd));
  }
  return charges;
}

function buildCharge(orgId: string, claim: RuleClaim, nanoUsd: number): BudgetCharge {
  const { bucket, endsAt, limit, name, period, enforced } = claim;
  const mode = enforced ? 'hard' : 'soft';
  return { orgId, bucket, endsAt, nanoUsd, limitNanoUsd: limit, name, period, mode };
}
