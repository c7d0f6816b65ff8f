/** How the shared store has served this process since it started. */
export interface SharedStoreStats {
  /** Requests are counted by this process alone now. */
  readonly isUnavailable: boolean;
  /** Requests for which it returned an error or timed out. */
  readonly errors: number;
  /** Requests that this process decided alone: those, and all others while it was unavailable. */
  readonly localGrants: number;
  readonly localRejections: number;
}
