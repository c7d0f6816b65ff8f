import { UnreadableSecretError } from '../secrets.ts';

/** A stored resource that this process does not use, and why. */
export interface UnusableResource {
  /** `org/kind/id`. */
  readonly id: string;
  readonly reason: string;
}

/**
 * Collects the stored resources that this process cannot use, for example because a newer release stored a
 * field that this release does not know. Such a resource must not prevent the process from starting or from
 * creating a snapshot.
 */
export class UnusableResourceCollector {
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
