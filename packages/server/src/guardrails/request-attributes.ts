import type { JsonObject } from '@floe/contract/json';
import type { KeyRecord } from '../platform/keyring.ts';

/** Who asks for what, as rules judge it. */
export interface RequestAttributes {
  readonly key: KeyRecord;
  readonly endUser: string | null;
  /** The id asked for and those of its targets; empty when unknown; null for whatever may be asked. */
  readonly models: readonly string[] | null;
  readonly metadata: JsonObject | null;
}

/** What a request may cost at most. */
export interface CostEstimate {
  readonly tokens: number;
  /** Null when nobody knows a price; 0 when nothing is charged. */
  readonly nanoUsd: number | null;
  /** The first target whose price nobody knows. */
  readonly unpriced: UnpricedTarget | null;
}

/** A target that cannot be priced: its model, the service tier asked for, or the operation whatever the model. */
export interface UnpricedTarget {
  readonly provider: string;
  readonly model: string;
  readonly tier?: string;
  readonly isOperation?: boolean;
}
