/** How reliably the shared store has responded to this process since the process started. */
export interface SharedStoreStats {
  /** This process currently counts alone. */
  readonly isUnavailable: boolean;
  /** Requests that waited for the store and got an error or no response in time. */
  readonly errors: number;
  /** Requests that this process decided alone. */
  readonly localGrants: number;
  readonly localRejections: number;
}
