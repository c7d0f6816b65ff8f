/** How the shared store has served this process since it started. */
export interface SharedStoreStats {
  /** Requests are counted by this process alone now. */
  readonly isUnavailable: boolean;
  /** Requests that waited for it and heard nothing in time, or an error. */
  readonly timeouts: number;
  /** Requests judged by this process alone, those and all others while it was away. */
  readonly localGrants: number;
  readonly localRejections: number;
}
