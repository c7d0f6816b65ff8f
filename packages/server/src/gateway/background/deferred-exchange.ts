import type { JsonObject } from '@floe/contract/json';
import type { Grant } from '../../guardrails/grant.ts';
import type { BudgetCharge } from '../../store/spend/budget-charge.ts';
import type { ExchangeRow } from '../../store/store-interfaces.ts';

/**
 * The data with which Floe finalizes an exchange after the provider has finished its background response. Stored as
 * JSON.
 */
export interface PendingExchange {
  /** Its request log row, without usage and cost. */
  readonly row: ExchangeRow;
  /** The requested service tier. */
  readonly tier: string | null;
  /** Estimated input tokens, and the maximum cost. The maximum cost is null if the price is unknown. */
  readonly inputTokens: number;
  readonly reservedNanoUsd: number | null;
  /** Its budget reservations. */
  readonly charges: readonly BudgetCharge[];
}

/** An exchange whose response the provider continues to generate after the exchange has ended. */
export interface DeferredExchange extends Omit<PendingExchange, 'charges'> {
  readonly responseId: string;
  /** The provider and credential that generate the response (`Provider.sealOrigin`). */
  readonly origin: string;
  /** Its grant with the budget reservations; null if no limits or budgets apply. */
  readonly grant: Grant | null;
}

/** Finalizes responses that a provider generates in the background, each exactly once. */
export interface BackgroundFinalizer {
  /** Takes over the row and the reservations of an exchange. */
  defer(deferred: DeferredExchange): void;
  /**
   * Records that a client has received the final response. If this process owns the exchange, finalizes it
   * now. Otherwise, the process that owns it finalizes it at its next poll.
   */
  recordEnd(orgId: string, responseId: string, response: JsonObject): Promise<void>;
  /**
   * Schedules the response to be polled soon. Used after a client read the response and Floe did not parse
   * it.
   */
  pollSoon(orgId: string, responseId: string): void;
  /**
   * Stops polling. Waits up to `limitMs` until the exchanges are in the database and other processes can poll them.
   * Then writes the rows of the remaining exchanges, with their full reservations as their costs.
   */
  close(limitMs: number): Promise<void>;
}
