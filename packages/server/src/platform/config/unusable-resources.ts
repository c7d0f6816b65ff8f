import { UnreadableSecretError } from '../secrets.ts';

/** A stored resource that this process does not use, and why. */
export interface UnusableResource {
  /** `org/kind/id`. */
  readonly id: string;
  readonly reason: string;
}

/**
 * Collects stored resources that cannot be used. A newer release may have stored a field that this
 * release does not know. One such resource must not prevent a start or a new snapshot.
 */
export class UnusableResources {
  readonly #found: UnusableResource[] = [];

  get found(): readonly UnusableResource[] {
    return this.#found;
  }

  /** Returns the result of `parse` in a list, or an empty list if it throws. */
  read<Config>(id: string, parse: () => Config): Config[] {
    try {
      return [parse()];
    } catch (error) {
      const reason =
        error instanceof UnreadableSecretError
          ? error.message
          : 'The stored configuration of this resource is not valid in this version of Floe. Save the resource again.';
      this.#found.push({ id, reason });
      return [];
    }
  }
}
