import type { JsonObject } from '@floe/contract/json';
import type { KeyRecord } from '../platform/keyring.ts';

/** The request attributes that limits and budgets use. */
export interface RequestAttributes {
  readonly key: KeyRecord;
  readonly endUser: string | null;
  /**
   * The requested model id and those of its targets. Empty if unknown; null if any model may be requested.
   */
  readonly models: readonly string[] | null;
  readonly metadata: JsonObject | null;
}

/** The maximum number of tokens and the maximum cost of a request. */
export interface MaxTokensAndCost {
  readonly tokens: number;
  /** Null if a price is unknown; 0 if nothing is charged. */
  readonly nanoUsd: number | null;
  /** The first target without a known price. */
  readonly unpriced: UnpricedTarget | null;
}

/**
 * A target that has no price, because its model, the requested service tier or the operation has
 * none.
 */
export interface UnpricedTarget {
  readonly provider: string;
  readonly model: string;
  readonly tier?: string;
  readonly isOperation?: boolean;
}
