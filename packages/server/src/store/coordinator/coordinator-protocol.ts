import type { BucketWithSlotIds, ClaimSettlement, SlotCountQuery } from '../counters/supervisor-counters.ts';
import type {
  AcquireResult,
  BucketClaim,
  BucketUsage,
  ReservationIncrease,
  ReservationIncreaseResult,
  StoredBucketSpend,
} from '../store-interfaces.ts';

/** The parameters and the result of each request that a process sends to the coordinator. */
export interface CoordinatorOperations {
  /** The result is null if the coordinator lacks slots of this process. The process must then send `recount` first. */
  readonly acquire: {
    readonly parameters: {
      readonly orgId: string;
      readonly id: string;
      readonly claims: readonly BucketClaim[];
      /** The number of slots that this process has in each bucket; 0 for claims of other kinds. */
      readonly ownSlots: readonly number[];
    };
    readonly result: AcquireResult | null;
  };
  readonly settle: { readonly parameters: ClaimSettlement; readonly result: NoReply };
  readonly extend: {
    readonly parameters: { readonly orgId: string; readonly extension: ReservationIncrease };
    readonly result: ReservationIncreaseResult;
  };
  readonly peek: {
    readonly parameters: { readonly orgId: string; readonly claims: readonly BucketClaim[] };
    readonly result: readonly BucketUsage[];
  };
  readonly record_stored_spend: {
    readonly parameters: readonly StoredBucketSpend[];
    readonly result: NoReply;
  };
  /** Returns the number of slots that the coordinator has counted for this process in each bucket. */
  readonly count_slots: { readonly parameters: SlotCountQuery; readonly result: readonly number[] };
  /** Replaces the slots of this process in one bucket. */
  readonly recount: { readonly parameters: BucketWithSlotIds; readonly result: null };
  readonly ping: { readonly parameters: null; readonly result: null };
  /**
   * Returns true when only this process may write to the database. Returns false, without the lock, if another
   * process has it for too long.
   */
  readonly lock_writes: { readonly parameters: null; readonly result: boolean };
  readonly unlock_writes: { readonly parameters: { readonly lock: number }; readonly result: NoReply };
  /** Reports a committed change of the snapshot to the other processes. */
  readonly announce_change: { readonly parameters: null; readonly result: NoReply };
}

/** The process does not wait for a reply. Messages are not lost while both processes are running. */
type NoReply = undefined;

export type CoordinatorOperation = keyof CoordinatorOperations;

/** The operations that have a reply. */
export type CoordinatorOperationWithReply = Exclude<CoordinatorOperation, CoordinatorOperationWithoutReply>;
export type CoordinatorOperationWithoutReply =
  | 'settle'
  | 'record_stored_spend'
  | 'unlock_writes'
  | 'announce_change';

/** A request from a process to the coordinator, with the number that identifies the reply. */
export type CoordinatorCall = {
  readonly [Operation in CoordinatorOperation]: {
    readonly call: number;
    readonly operation: Operation;
    readonly parameters: CoordinatorOperations[Operation]['parameters'];
  };
}[CoordinatorOperation];

/** The result of a `CoordinatorCall`, or the message of the error that it caused. */
export type CoordinatorReply = { readonly call: number } & (
  | { readonly result: CoordinatorResult }
  | { readonly error: string }
);

export type CoordinatorResult = CoordinatorOperations[CoordinatorOperationWithReply]['result'];
