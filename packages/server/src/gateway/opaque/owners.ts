/** Who made a thing that a provider keeps. */
export interface ResourceOwner {
  readonly provider: string;
  /** Name of the provider's credential it was made with. */
  readonly credential: string;
  readonly keyId: string;
  /** Collection it is in, as `files`; `batch_input` for a file whose lines were judged. */
  readonly kind: string;
}

export interface OwnedResource extends ResourceOwner {
  readonly orgId: string;
  readonly id: string;
}

/** Whose the files, batches and stored answers at the providers are. May wait for the database. */
export interface ResourceOwners {
  /** Resolves after the commit. Things known already stay whose they are. */
  record(things: readonly OwnedResource[]): Promise<void>;
  /** Everybody in the org who made a thing of this id: one, but for providers that count alike. */
  find(orgId: string, ids: readonly string[]): Promise<ReadonlyMap<string, readonly ResourceOwner[]>>;
  /** True for the one caller that may count what the results under this id used. */
  claimResults(orgId: string, provider: string, id: string): Promise<boolean>;
}
