/** How reliably the shared store has responded to this process since the process started. */
export interface SharedStoreStats {
  /** Whether the store is unavailable, so that this process counts alone. */
  readonly isUnavailable: boolean;
  /** Requests that waited for the store and got an error or no response in time. */
  readonly errors: number;
  /** Requests that this process granted or rejected without the store. */
  readonly localGrants: number;
  readonly localRejections: number;
}
