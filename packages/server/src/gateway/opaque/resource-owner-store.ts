/**
 * The key that created a resource at a provider, and the provider and credential with which the resource was
 * created.
 */
export interface ResourceOwner {
  readonly provider: string;
  /** Name of the provider credential with which the resource was created. */
  readonly credential: string;
  readonly keyId: string;
  /** Collection of the resource, such as `files`; `batch_input` for a file whose lines were validated. */
  readonly kind: string;
}

/** A resource at a provider and its owner. */
export interface OwnedResource extends ResourceOwner {
  readonly orgId: string;
  readonly id: string;
}

/** Identifies the results of a batch: the batch itself, or its output file. */
export interface BatchResultsKey {
  readonly orgId: string;
  readonly provider: string;
  readonly id: string;
}

/** Lines of batch results, from `from` up to `to` (exclusive). `to` is infinite for all lines until the end. */
export interface ResultLines {
  readonly from: number;
  readonly to: number;
}

/**
 * Stores who owns files, batches and stored responses at providers. Calls may wait for the
 * database.
 */
export interface ResourceOwnerStore {
  /** Records owners. Resolves after the commit. A resource that is already recorded keeps its owner. */
  record(things: readonly OwnedResource[]): Promise<void>;
  /**
   * Returns all owners in the organization for each id. There is usually one, but ids of different providers
   * may be equal. With `isFresh`, reads owners from the database that may be cached.
   */
  find(
    orgId: string,
    ids: readonly string[],
    isFresh?: boolean,
  ): Promise<ReadonlyMap<string, readonly ResourceOwner[]>>;
  /** Returns the number of lines of these batch results whose usage has been counted; infinite if all of it has. */
  findCountedLines(results: BatchResultsKey): Promise<number>;
  /**
   * Records that the usage of these lines of batch results is counted. Returns false if another caller has counted
   * it, so that it is counted once.
   */
  claimLines(results: BatchResultsKey, lines: ResultLines): Promise<boolean>;
}
