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
  /**
   * Returns true to the first caller and false to all others, so that the usage of these batch results is
   * counted once.
   */
  claimResults(orgId: string, provider: string, id: string): Promise<boolean>;
}
