import { Fault } from '@floe/contract/faults';
import type { Clock } from '../core/clock.ts';
import type { Counters, Extended } from '../store/ports.ts';
import type { SpendJournal } from '../store/spend/journal.ts';
import type { Charge } from '../store/spend/spend.ts';
import { type Reach, reachOf } from './claims.ts';
import type { Caller, Estimate } from './counted-request.ts';
import type { Extension, Grant } from './grant.ts';
import { partOf, spendClaimOf, unenforced } from './parts-of-grants.ts';
import { budgetFault, rateFault, reservedFault, usedUpFault } from './refusals.ts';
import type { RuleClaim } from './rule-claim.ts';
import type { Rules } from './rules.ts';
import type { SpendBook } from './spend-book.ts';

/** What guards stand on; `main.ts` puts it together. */
export interface GuardParts {
  readonly counters: Counters;
  readonly journal: SpendJournal;
  readonly book: SpendBook;
  readonly clock: Clock;
}

/** Takes limits and budgets for exchanges and settles them. One for the process. */
export class Guard {
  readonly #parts: GuardParts;

  constructor(parts: GuardParts) {
    this.#parts = parts;
  }

  /**
   * One atomic step over every rule that reaches the caller. Without an `estimate` the request was refused
   * already: it spends its RPM and nothing else. `grant.taken.refused` says whether a rule refused; the
   * caller of this decides what is told first.
   */
  take(id: string, rules: Rules, caller: Caller, estimate: Estimate | null): Grant | Promise<Grant> {
    const { counters, book, clock } = this.#parts;
    const reach = reachOf(rules, caller, clock.now());
    const fault = estimate && reach.unpayable(estimate);
    const paid = fault ? null : estimate;
    const claims = reach.claims(paid, book);
    const { orgId } = caller.key;
    const taken = counters.take(orgId, id, claims);
    const grant = { id, orgId, claims, fault, isOpen: paid !== null, isHeld: false, reserved: null };
    if (taken instanceof Promise) return taken.then((done) => this.#granted({ ...grant, taken: done }));
    return this.#granted({ ...grant, taken });
  }

  /** Puts what a hard budget holds on disk, before anything is sent. Null when there is nothing to wait for. */
  reserve(grant: Grant): Promise<void> | null {
    const charges = chargesOf(grant, grant.taken.amounts, true);
    if (charges.length === 0) return null;
    grant.isHeld = true;
    return this.#parts.journal.hold(grant.id, charges);
  }

  /**
   * Reserves more of the hard budgets for an exchange that costs more than was expected: as much of `nanoUsd` as all of
   * them have room for, in one atomic step. The journal hears of it too, without anyone waiting for the disk.
   */
  extend(grant: Grant, nanoUsd: number): Extension | Promise<Extension> {
    const { counters, book } = this.#parts;
    const { id, orgId, taken } = grant;
    const claims = grant.claims
      .filter(isHard)
      .map((claim) => ({ ...claim, floor: book.spentOf(orgId, claim.bucket) }));
    const held = grant.reserved ?? 0;
    const extended = counters.extend(orgId, { id, away: taken.away, claims, held, amount: nanoUsd });
    if (extended instanceof Promise) return extended.then((done) => this.#extended(grant, claims, done));
    return this.#extended(grant, claims, extended);
  }

  /** The end of a grant, once: what it was worth in tokens and money. Concurrency is given back. */
  settle(grant: Grant, tokens: number, nanoUsd: number): void {
    const { counters, journal } = this.#parts;
    if (!grant.isOpen) return;
    grant.isOpen = false;
    const { amounts, second, away, ownSecond } = grant.taken;
    const actual = grant.claims.map((claim, index) => {
      const amount = amounts[index] ?? 0;
      if (claim.kind === 'spend') return amount === 0 && claim.amount > 0 ? 0 : nanoUsd;
      if (claim.kind === 'lease') return 0;
      return claim.counts === 'tokens' && amount > 0 ? tokens : amount;
    });
    const { id, orgId, claims } = grant;
    void counters.settle(orgId, { id, second, away, ownSecond, claims, amounts, actual });
    const charges = chargesOf(grant, actual, false);
    if (grant.isHeld || charges.length > 0) journal.settle(id, charges);
  }

  /**
   * The end of what a grant took of limits. What it took of budgets stays reserved, in memory and on disk, until the
   * grant that this returns is settled; a process that dies before is charged for it in full, as for any reservation.
   */
  keepBudgets(grant: Grant): Grant {
    const kept: Grant = { ...grant, ...partOf(grant, true) };
    if (!grant.isOpen) return kept;
    grant.isOpen = false;
    const { id, orgId } = grant;
    const rates = partOf(grant, false);
    const { second, away, ownSecond, amounts } = rates.taken;
    // Tokens stay as they were reserved: their window is over before the answer is.
    void this.#parts.counters.settle(orgId, {
      id,
      second,
      away,
      ownSecond,
      claims: rates.claims,
      amounts,
      actual: amounts.map((amount, index) => (rates.claims[index]?.kind === 'lease' ? 0 : amount)),
    });
    return kept;
  }

  /** Counts charges whatever the budgets say: what of them a process that is gone had reserved is charged already. */
  async chargeBuckets(id: string, orgId: string, charges: readonly Charge[], nanoUsd: number): Promise<void> {
    const owed = charges.map((charge) => {
      const reserved = charge.mode === 'hard' ? charge.nanoUsd : 0;
      return { ...charge, nanoUsd: Math.max(0, nanoUsd - reserved) };
    });
    const claims = owed.map((charge) => spendClaimOf(charge));
    if (claims.length === 0) return;
    const taken = await this.#parts.counters.take(orgId, id, claims.map(unenforced));
    const { second, away, ownSecond, amounts } = taken;
    const actual = owed.map((charge) => charge.nanoUsd);
    void this.#parts.counters.settle(orgId, { id, second, away, ownSecond, claims, amounts, actual });
    this.#parts.journal.settle(id, owed);
  }

  /**
   * Counts money that was spent already, whatever the budgets say: nothing was reserved for it. `id` must be new or
   * that of an exchange that holds nothing of a budget.
   */
  async charge(id: string, rules: Rules, caller: Caller, nanoUsd: number): Promise<void> {
    const { counters, book, clock } = this.#parts;
    const { orgId } = caller.key;
    const spent = { tokens: 0, nanoUsd, unpriced: null };
    const claims = reachOf(rules, caller, clock.now())
      .claims(spent, book)
      .filter(({ kind }) => kind === 'spend');
    if (claims.length === 0) return;
    const taken = await counters.take(orgId, id, claims.map(unenforced));
    const open = { fault: null, isOpen: true, isHeld: false, reserved: null };
    this.settle({ id, orgId, claims, taken, ...open }, 0, nanoUsd);
  }

  /** Where a caller stands with each rule that reaches it, for `GET /gateway/v1/key` and the console. */
  reach(rules: Rules, caller: Caller): Reach {
    return reachOf(rules, caller, this.#parts.clock.now());
  }

  /** Levels of claims made by `reach`. */
  async levels(orgId: string, claims: readonly RuleClaim[]) {
    return this.#parts.counters.peek(orgId, claims);
  }

  get book(): SpendBook {
    return this.#parts.book;
  }

  #granted(grant: Grant): Grant {
    if (grant.taken.refused !== null) grant.isOpen = false;
    if (grant.isOpen) grant.reserved = grant.claims.find(isHard)?.amount ?? null;
    return grant;
  }

  #extended(grant: Grant, claims: readonly RuleClaim[], { granted, short, away }: Extended): Extension {
    const reserved = (grant.reserved ?? 0) + granted;
    grant.reserved = reserved;
    if (granted > 0 && grant.isHeld && grant.isOpen) {
      const charges = claims.map((claim) => chargeOf(grant.orgId, claim, granted));
      this.#parts.journal.extend(grant.id, charges);
    }
    const claim = short === null ? undefined : claims[short];
    if (claim === undefined) return { reserved, fault: null };
    return { reserved, fault: away && claim.away === 'closed' ? uncounted(claim) : usedUpFault(claim) };
  }
}

/** The fault of a grant that a rate refused, which is told before all others; null when none did. */
export function rateRefusalOf(grant: Grant): Fault | null {
  const { refused } = grant.taken;
  return refused === null || grant.claims[refused]?.kind === 'spend' ? null : refusalOf(grant);
}

/** The fault of a grant that a rule refused; null when none did. */
export function refusalOf(grant: Grant): Fault | null {
  const { refused, retryAfterMs, away } = grant.taken;
  const claim = refused === null ? undefined : grant.claims[refused];
  if (claim === undefined) return null;
  if (away && claim.away === 'closed') return uncounted(claim);
  if (claim.kind !== 'spend') return rateFault(claim, retryAfterMs);
  return retryAfterMs === null ? budgetFault(claim) : reservedFault(claim, retryAfterMs);
}

function uncounted({ kind, name }: RuleClaim): Fault {
  const what = kind === 'spend' ? 'budget' : 'limit';
  const message = `The ${what} "${name}" cannot be counted at the moment, and it is set to refuse then (on_store_error: closed).`;
  return new Fault('overloaded', message);
}

function isHard({ kind, enforced }: RuleClaim): boolean {
  return kind === 'spend' && enforced;
}

function chargesOf(grant: Grant, worth: readonly number[], hardOnly: boolean): Charge[] {
  const charges: Charge[] = [];
  // Claims on budgets come last.
  if (grant.claims.at(-1)?.kind !== 'spend') return charges;
  for (const [index, claim] of grant.claims.entries()) {
    const nanoUsd = worth[index] ?? 0;
    if (claim.kind !== 'spend' || nanoUsd === 0 || (hardOnly && !claim.enforced)) continue;
    charges.push(chargeOf(grant.orgId, claim, nanoUsd));
  }
  return charges;
}

function chargeOf(orgId: string, claim: RuleClaim, nanoUsd: number): Charge {
  const { bucket, endsAt, limit, name, period, enforced } = claim;
  const mode = enforced ? 'hard' : 'soft';
  return { orgId, bucket, endsAt, nanoUsd, limitNanoUsd: limit, name, period, mode };
}
