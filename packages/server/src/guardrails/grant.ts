import type { Fault } from '@floe/contract/faults';
import type { AcquireResult } from '../store/ports.ts';
import type { RuleClaim } from './rule-claim.ts';

/** What one exchange took, until it is settled. */
export interface Grant {
  readonly id: string;
  readonly orgId: string;
  readonly claims: readonly RuleClaim[];
  readonly taken: AcquireResult;
  /** Nobody can name what it would cost, and a hard budget would pay: told unless a rate refused first. */
  readonly fault: Fault | null;
  /** Something of it is still to be settled. */
  isOpen: boolean;
  /** A reservation of it is on disk. */
  isJournaled: boolean;
  /** Nano-USD that it reserved of each hard budget, what was added since included; null where none applies. */
  reservedNanoUsd: number | null;
}

/** What became of a wish for more. */
export interface GrantExtension {
  /** All that is reserved by now. */
  readonly reservedNanoUsd: number;
  /** Why there is no more; null when all was granted. */
  readonly fault: Fault | null;
}
