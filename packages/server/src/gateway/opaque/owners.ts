/** Who made a thing that a provider keeps. */
export interface Owner {
  readonly provider: string;
  /** Name of the provider's credential it was made with. */
  readonly credential: string;
  readonly keyId: string;
  /** Collection it is in, as `files`; `batch_input` for a file whose lines were judged. */
  readonly kind: string;
}

export interface OwnedThing extends Owner {
  readonly orgId: string;
  readonly id: string;
}

/** Whose the files, batches and stored answers at the providers are. May wait for the database. */
export interface Owners {
  /** Resolves after the commit. Things known already stay whose they are. */
  record(things: readonly OwnedThing[]): Promise<void>;
  /** Everybody in the org who made a thing of this id: one, but for providers that count alike. */
  of(orgId: string, ids: readonly string[]): Promise<ReadonlyMap<string, readonly Owner[]>>;
  /** True for the one caller that may count what the results under this id used. */
  claimResults(orgId: string, provider: string, id: string): Promise<boolean>;
}
