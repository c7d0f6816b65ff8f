import type { LimitConfig } from '@floe/contract/config';
import type { Matcher } from '../core/pattern.ts';
import type { KeyRecord } from '../platform/keyring.ts';

/** Where a rule stands: in floe.yaml, where alone it can be changed, or in the database. */
export type RuleSource = 'file' | 'console';

/** What limits and budgets have in common: whom they count. */
export interface GuardrailRule {
  readonly id: string;
  readonly source: RuleSource;
  /** Told when it refuses. */
  readonly name: string;
  /** Whose bucket a request of this key falls in; null when the rule is not about the key. */
  bucketFor(key: KeyRecord, endUser: string | null): string | null;
  /** Null for every model. */
  readonly models: Matcher | null;
  readonly onStoreError: 'local' | 'open' | 'closed';
}

/** A limit, but for what requests took of it. */
export interface LimitSettings extends GuardrailRule {
  readonly config: LimitConfig;
}
