import type { JsonObject } from '@floe/contract/json';
import type { Grant } from '../../guardrails/grant.ts';
import type { ExchangeRow } from '../../store/ports.ts';
import type { BudgetCharge } from '../../store/spend/budget-spend.ts';

/** An exchange whose response is not made yet. */
export interface PendingExchange {
  /** Its row, without usage and cost. */
  readonly row: ExchangeRow;
  /** The service tier that was asked for. */
  readonly tier: string | null;
  /** What its input was taken for, and the most it may cost; null where nobody knows a price. */
  readonly inputTokens: number;
  readonly reservedNanoUsd: number | null;
  /** What it holds of budgets. */
  readonly charges: readonly BudgetCharge[];
}

/** What is known of a response that goes on when its exchange has ended. */
export interface DeferredExchange extends Omit<PendingExchange, 'charges'> {
  readonly responseId: string;
  /** Provider and credential that make it (`Provider.sealOrigin`). */
  readonly origin: string;
  /** What it holds of budgets; null where none applies. */
  readonly grant: Grant | null;
}

/** Settles responses whose provider makes them in the background, each once. */
export interface BackgroundFinalizer {
  /** Takes over the row and the reservation of an exchange. */
  defer(deferred: DeferredExchange): void;
  /** A client has seen the end of a response: it is settled with it, or soon by the process that looks after it. */
  recordEnd(orgId: string, responseId: string, response: JsonObject): Promise<void>;
  /** A client asked for a response and nobody read the answer: its provider is asked in the next round. */
  pollSoon(orgId: string, responseId: string): void;
  close(): Promise<void>;
}
