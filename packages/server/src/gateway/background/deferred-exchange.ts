import type { JsonObject } from '@floe/contract/json';
import type { Grant } from '../../guardrails/grant.ts';
import type { ExchangeRow } from '../../store/ports.ts';
import type { BudgetCharge } from '../../store/spend/budget-spend.ts';

/** A stored exchange whose response the provider has not finished yet. */
export interface PendingExchange {
  /** Its row without usage and cost. */
  readonly row: ExchangeRow;
  /** The requested service tier. */
  readonly tier: string | null;
  /** Estimated input tokens, and the maximum cost, which is null if the price is unknown. */
  readonly inputTokens: number;
  readonly reservedNanoUsd: number | null;
  /** Its reservations in budgets. */
  readonly charges: readonly BudgetCharge[];
}

/** An exchange whose response the provider continues to generate after the exchange has ended. */
export interface DeferredExchange extends Omit<PendingExchange, 'charges'> {
  readonly responseId: string;
  /** Provider and credential of the response (`Provider.sealOrigin`). */
  readonly origin: string;
  /** Its reservations in budgets; null if none apply. */
  readonly grant: Grant | null;
}

/** Finalizes responses that a provider generates in the background, each exactly once. */
export interface BackgroundFinalizer {
  /** Takes over the row and the reservations of an exchange. */
  defer(deferred: DeferredExchange): void;
  /**
   * Called when a client has received the final response. It is finalized here, or soon by the process that
   * polls it.
   */
  recordEnd(orgId: string, responseId: string, response: JsonObject): Promise<void>;
  /**
   * Called when a client requested a response that Floe did not parse. The response is polled in the next
   * round.
   */
  pollSoon(orgId: string, responseId: string): void;
  close(): Promise<void>;
}
