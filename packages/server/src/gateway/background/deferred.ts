import type { JsonObject } from '@floe/contract/json';
import type { Grant } from '../../guardrails/grant.ts';
import type { ExchangeRow } from '../../store/ports.ts';
import type { Charge } from '../../store/spend/spend.ts';

/** An exchange whose response is not made yet. */
export interface Pending {
  /** Its row, without usage and cost. */
  readonly row: ExchangeRow;
  /** The service tier that was asked for. */
  readonly tier: string | null;
  /** What its input was taken for, and the most it may cost; null where nobody knows a price. */
  readonly inputTokens: number;
  readonly reservedNanoUsd: number | null;
  /** What it holds of budgets. */
  readonly charges: readonly Charge[];
}

/** What is known of a response that goes on when its exchange has ended. */
export interface Deferred extends Omit<Pending, 'charges'> {
  readonly responseId: string;
  /** Provider and credential that make it (`Provider.sealOrigin`). */
  readonly origin: string;
  /** What it holds of budgets; null where none applies. */
  readonly grant: Grant | null;
}

/** Settles responses whose provider makes them in the background, each once. */
export interface Background {
  /** Takes over the row and the reservation of an exchange. */
  defer(deferred: Deferred): void;
  /** A client has seen the end of a response: it is settled with it, or soon by the process that looks after it. */
  ended(orgId: string, responseId: string, response: JsonObject): Promise<void>;
  /** A client asked for a response and nobody read the answer: its provider is asked in the next round. */
  hurry(orgId: string, responseId: string): void;
  close(): Promise<void>;
}
