/** What a store reports about itself. */
export interface StoreInspection {
  /** Product and version, such as `PostgreSQL 15.18`. */
  readonly version: string;
  /** Duration of one round trip in milliseconds. */
  readonly latencyMs: number;
  /** How far the clock of the store is ahead of the clock of this machine, in milliseconds. */
  readonly clockOffsetMs: number;
  /** What a Redis server does when its memory is full, such as `noeviction`; null where it is unknown. */
  readonly evictionPolicy: string | null;
}
