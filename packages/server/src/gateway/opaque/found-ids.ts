import { Fault } from '@floe/contract/faults';

/** Providers accept at most this number of requests in a batch file. */
const MAX_IDS = 50_000;
/** Longer ids are not ids of a provider. */
const MAX_ID_LENGTH = 512;
/** Number of ids that are looked up at once. */
const IDS_PER_LOOKUP = 500;

/** The different ids of resources in an upload. Uses a bounded amount of memory. */
export class FoundIds {
  readonly #ids = new Set<string>();

  /** @throws Fault `invalid_request` for an id that is too long, and for too many ids */
  add(id: string): void {
    if (id.length > MAX_ID_LENGTH)
      throw new Fault('invalid_request', `The id "${id.slice(0, 64)}…" is too long.`);
    if (this.#ids.size === MAX_IDS && !this.#ids.has(id))
      throw new Fault(
        'invalid_request',
        'The file may refer to at most 50,000 different objects. Split the file.',
      );
    this.#ids.add(id);
  }

  list(): readonly string[] {
    return [...this.#ids];
  }

  /** Calls `requireOwned` for all ids, a part at a time. */
  async check(requireOwned: (ids: readonly string[]) => Promise<void>): Promise<void> {
    const ids = this.list();
    for (let at = 0; at < ids.length; at += IDS_PER_LOOKUP)
      await requireOwned(ids.slice(at, at + IDS_PER_LOOKUP));
  }
}
