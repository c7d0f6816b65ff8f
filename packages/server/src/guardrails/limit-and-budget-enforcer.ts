import { Fault } from '@floe/contract/faults';
import type { Clock } from '../core/clock.ts';
import type { BudgetCharge } from '../store/spend/budget-charge.ts';
import type { SpendJournal } from '../store/spend/spend-journal.ts';
import type { LimitCounters, ReservationIncreaseResult } from '../store/store-interfaces.ts';
import type { CompiledLimitsAndBudgets } from './compile-limits-and-budgets.ts';
import type { Grant, GrantExtension } from './grant.ts';
import {
  buildCharge,
  buildCharges,
  selectGrantClaims,
  toSpendClaim,
  toUnenforcedClaim,
} from './grant-charges.ts';
import {
  createBudgetExhaustedFault,
  createBudgetReservedFault,
  createInsufficientBudgetFault,
  createRateLimitFault,
  createTooManyCountersFault,
} from './limit-and-budget-faults.ts';
import type { LimitOrBudgetClaim } from './limit-or-budget-claim.ts';
import { type MatchedLimitsAndBudgets, matchLimitsAndBudgets } from './matched-limits-and-budgets.ts';
import type { MaxTokensAndCost, RequestAttributes } from './request-attributes.ts';
import type { SpendCache } from './spend-cache.ts';

/** The dependencies of a `LimitAndBudgetEnforcer`. */
export interface LimitAndBudgetEnforcerDependencies {
  readonly counters: LimitCounters;
  readonly journal: SpendJournal;
  readonly spendCache: SpendCache;
  readonly clock: Clock;
}

/**
 * Checks the limits and budgets of exchanges, makes their reservations, and replaces each reservation with the
 * actual usage. Each process has one instance.
 */
export class LimitAndBudgetEnforcer {
  readonly #options: LimitAndBudgetEnforcerDependencies;

  constructor(parts: LimitAndBudgetEnforcerDependencies) {
    this.#options = parts;
  }

  /**
   * Acquires every limit and budget that applies to the caller, in one atomic step. Without an `estimate`,
   * the request has already been rejected and counts only as one request. `grant.taken.refusedIndex` is set
   * if a limit or budget rejects the request. The caller decides which fault is returned.
   */
  acquire(
    id: string,
    rules: CompiledLimitsAndBudgets,
    caller: RequestAttributes,
    estimate: MaxTokensAndCost | null,
  ): Grant | Promise<Grant> {
    const { counters, spendCache, clock } = this.#options;
    const matched = matchLimitsAndBudgets(rules, caller, clock.now());
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

  /**
   * Writes the reservations of hard budgets to the spend journal. The request must not be sent before the
   * promise resolves. Returns null if there are no such reservations.
   */
  persistReservation(grant: Grant): Promise<void> | null {
    const charges = buildCharges(grant, grant.taken.amounts, true);
    if (charges.length === 0) return null;
    grant.isJournaled = true;
    return this.#options.journal.reserve(grant.id, charges);
  }

  /**
   * Increases the reservation in hard budgets for an exchange that costs more than estimated. Reserves up to
   * `nanoUsd`, as far as every budget has room, in one atomic step. The journal is updated without waiting
   * for the disk.
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

  /**
   * Settles a grant with its actual tokens and cost, and releases concurrency slots. Later calls have no
   * effect.
   */
  settle(grant: Grant, tokens: number, nanoUsd: number): void {
    const { amounts } = grant.taken;
    const actual = grant.claims.map((claim, index) => {
      const amount = amounts[index] ?? 0;
      if (claim.kind === 'spend') return amount === 0 && claim.amount > 0 ? 0 : nanoUsd;
      if (claim.kind === 'lease') return 0;
      return claim.unit === 'tokens' && amount > 0 ? tokens : amount;
    });
    this.#settleAt(grant, actual);
  }

  /**
   * Settles a grant of budgets whose exchange another process finalizes. Charges what is reserved in hard budgets,
   * because the other process charges only the rest of the cost (`chargeBuckets`).
   */
  settleReserved(grant: Grant): void {
    const { claims, taken } = grant;
    const actual = claims.map((claim, index) => (isHardBudget(claim) ? (taken.amounts[index] ?? 0) : 0));
    this.#settleAt(grant, actual);
  }

  #settleAt(grant: Grant, actual: number[]): void {
    const { counters, journal } = this.#options;
    if (!grant.isOpen) return;
    grant.isOpen = false;
    const { amounts, second, countedLocally, localSecond } = grant.taken;
    const { id, orgId, claims } = grant;
    void counters.settle(orgId, { id, second, countedLocally, localSecond, claims, amounts, actual });
    const charges = buildCharges(grant, actual, false);
    if (grant.isJournaled || charges.length > 0) journal.settle(id, charges);
  }

  /**
   * Settles the limits of a grant. Its budget reservations remain, in memory and on disk, until the returned
   * grant is settled. If the process dies before, the full reservation is charged.
   */
  settleLimits(grant: Grant): Grant {
    const kept: Grant = { ...grant, ...selectGrantClaims(grant, true) };
    if (!grant.isOpen) return kept;
    grant.isOpen = false;
    const { id, orgId } = grant;
    const rates = selectGrantClaims(grant, false);
    const { second, countedLocally, localSecond, amounts } = rates.taken;
    // Tokens remain as reserved, because their window ends before the response does.
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

  /**
   * Adds charges to budgets without enforcing them. The reserved part of each hard budget has already been
   * charged.
   */
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
    // The counters may still have the reservation of the exchange, until the restarted process settles it.
    const lateId = `${id}_late`;
    const taken = await this.#options.counters.acquire(orgId, lateId, claims.map(toUnenforcedClaim));
    const { second, countedLocally, localSecond, amounts } = taken;
    const actual = owed.map((charge) => charge.nanoUsd);
    const counted = { second, countedLocally, localSecond, claims, amounts, actual };
    void this.#options.counters.settle(orgId, { id: lateId, ...counted });
    this.#options.journal.settle(id, owed);
  }

  /**
   * Adds spending that was not reserved to budgets, without enforcing them. `id` must be new, or belong to an
   * exchange without budget claims.
   */
  async charge(
    id: string,
    rules: CompiledLimitsAndBudgets,
    caller: RequestAttributes,
    nanoUsd: number,
  ): Promise<void> {
    const { counters, spendCache, clock } = this.#options;
    const { orgId } = caller.key;
    const spent = { tokens: 0, nanoUsd, unpriced: null };
    // The money is already spent, so any number of budgets may apply.
    const claims = matchLimitsAndBudgets(rules, caller, clock.now(), Number.POSITIVE_INFINITY)
      .buildClaims(spent, spendCache)
      .filter(({ kind }) => kind === 'spend');
    if (claims.length === 0) return;
    const taken = await counters.acquire(orgId, id, claims.map(toUnenforcedClaim));
    const open = { fault: null, isOpen: true, isJournaled: false, reservedNanoUsd: null };
    this.settle({ id, orgId, claims, taken, ...open }, 0, nanoUsd);
  }

  /** Returns the limits and budgets that apply to a caller. */
  matchRules(rules: CompiledLimitsAndBudgets, caller: RequestAttributes): MatchedLimitsAndBudgets {
    return matchLimitsAndBudgets(rules, caller, this.#options.clock.now());
  }

  /** Reads the current levels of the buckets of claims. */
  async readLevels(orgId: string, claims: readonly LimitOrBudgetClaim[]) {
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
    claims: readonly LimitOrBudgetClaim[],
    { granted, limitingIndex, countedLocally }: ReservationIncreaseResult,
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
          : createBudgetExhaustedFault(claim),
    };
  }
}

/**
 * Returns the fault if a rate limit rejected the exchange; null otherwise. This fault takes
 * precedence over all others.
 */
export function findRateLimitFault(grant: Grant): Fault | null {
  const { refusedIndex } = grant.taken;
  return refusedIndex === null || grant.claims[refusedIndex]?.kind === 'spend'
    ? null
    : findRejectionFault(grant);
}

/** Returns the fault for the limit or budget that rejected the exchange; null if none did. */
export function findRejectionFault(grant: Grant): Fault | null {
  const { refusedIndex, isTableFull, retryAfterMs, countedLocally, levels } = grant.taken;
  const claim = refusedIndex === null ? undefined : grant.claims[refusedIndex];
  if (refusedIndex === null || claim === undefined) return null;
  if (countedLocally && claim.outageMode === 'closed') return storeUnavailableFault(claim);
  if (isTableFull === true) return createTooManyCountersFault(claim, retryAfterMs);
  if (claim.kind !== 'spend') return createRateLimitFault(claim, retryAfterMs);
  if (retryAfterMs !== null) return createBudgetReservedFault(claim, retryAfterMs);
  return createInsufficientBudgetFault(claim, levels[refusedIndex]?.used ?? 0);
}

function storeUnavailableFault({ kind, name }: LimitOrBudgetClaim): Fault {
  const what = kind === 'spend' ? 'budget' : 'limit';
  const message = `The ${what} "${name}" cannot be checked because its counters are unavailable. The ${what} rejects requests in this case (on_store_error: closed). Retry later.`;
  return new Fault('overloaded', message);
}

function isHardBudget({ kind, enforced }: LimitOrBudgetClaim): boolean {
  return kind === 'spend' && enforced;
}
