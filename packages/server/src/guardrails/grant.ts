import type { Fault } from '@floe/contract/faults';
import type { AcquireResult } from '../store/store-interfaces.ts';
import type { LimitOrBudgetClaim } from './limit-or-budget-claim.ts';

/**
 * The result of checking the limits and budgets of one exchange, with its reservations. `taken.refusedIndex`
 * is set if one of them rejected the exchange. Must be settled when the exchange ends.
 */
export interface Grant {
  readonly id: string;
  readonly orgId: string;
  readonly claims: readonly LimitOrBudgetClaim[];
  readonly taken: AcquireResult;
  /**
   * The fault of a request that has no known price although a hard budget applies. A rate limit fault takes
   * precedence.
   */
  readonly fault: Fault | null;
  /** Whether the grant must still be settled. */
  isOpen: boolean;
  /** Whether the spend journal contains a reservation of the grant. */
  isJournaled: boolean;
  /** Nano-USD reserved in each hard budget, including extensions. Null if no hard budget applies. */
  reservedNanoUsd: number | null;
}

/** The result of extending a grant's reservations. */
export interface GrantExtension {
  /** Total nano-USD reserved. */
  readonly reservedNanoUsd: number;
  /** The reason why less than the requested amount was reserved. Null if the full amount was reserved. */
  readonly fault: Fault | null;
}
