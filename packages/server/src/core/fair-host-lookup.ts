import { AsyncLocalStorage } from 'node:async_hooks';
import type { LookupAddress, LookupAllOptions } from 'node:dns';

/** Resolves a host name, as `dns.lookup` with `all: true` does. */
export type HostLookup = (
  host: string,
  options: LookupAllOptions,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** How many host names are resolved at the same time. */
export interface HostLookupLimits {
  readonly total: number;
  /** Maximum for one organization while half of all lookups are in use, so that others can resolve names. */
  readonly perOrg: number;
  /** Maximum number of host names of one organization that wait. */
  readonly waitingPerOrg: number;
}

/**
 * The default limits. `dns.lookup` blocks a libuv thread until the name servers respond, up to 30 s. libuv uses at
 * most half of its threads for lookups (`UV_THREADPOOL_SIZE` in bin/server.mjs). The other half remains available for
 * file access and password hashing.
 */
export const HOST_LOOKUP_LIMITS: HostLookupLimits = { total: 8, perOrg: 2, waitingPerOrg: 500 };

/** One host name that is being resolved, or that waits. */
interface HostQuery {
  readonly host: string;
  readonly options: LookupAllOptions;
  readonly callers: Parameters<HostLookup>[2][];
}

/** The queries of one organization, or of the server, by host name and options. */
interface HostQueries {
  readonly running: Map<string, HostQuery>;
  readonly waiting: Map<string, HostQuery>;
}

/**
 * Resolves host names for organizations, which take turns. Concurrent calls of one organization for the same name share
 * one lookup. A name that never resolves therefore delays only the organization that uses it.
 */
export class FairHostLookup {
  readonly #lookup: HostLookup;
  readonly #limits: HostLookupLimits;
  /** In the order in which they take turns. Null is the server. */
  readonly #queries = new Map<string | null, HostQueries>();
  #running = 0;

  constructor(lookup: HostLookup, limits = HOST_LOOKUP_LIMITS) {
    this.#lookup = lookup;
    this.#limits = limits;
  }

  /** Resolves a host name for an organization; null for the server. */
  resolve(orgId: string | null, ...[host, options, done]: Parameters<HostLookup>): void {
    const own = this.#queries.get(orgId) ?? { running: new Map(), waiting: new Map() };
    this.#queries.set(orgId, own);
    const key = JSON.stringify([host, options]);
    const same = own.running.get(key) ?? own.waiting.get(key);
    // The lookup can start in the context of another organization. `done` must not run in that context.
    const caller = AsyncLocalStorage.bind(done);
    if (same) {
      same.callers.push(caller);
      return;
    }
    if (own.waiting.size >= this.#limits.waitingPerOrg) {
      const error = new Error(
        `the host name was not resolved because ${own.waiting.size} other host names are already waiting; try again later`,
      );
      process.nextTick(done, error, []);
      return;
    }
    own.waiting.set(key, { host, options, callers: [caller] });
    this.#startWaiting();
  }

  #startWaiting(): void {
    for (const [orgId, own] of this.#queries) {
      if (this.#running >= this.#limits.total) return;
      const [next] = own.waiting;
      // While half of the lookups are free, an organization may use more of them.
      const isBusy = this.#running >= this.#limits.total / 2;
      if (!next || (isBusy && own.running.size >= this.#limits.perOrg)) continue;
      // The organization moves to the end of the order. The loop visits it there again.
      this.#queries.delete(orgId);
      this.#queries.set(orgId, own);
      this.#start(orgId, own, next);
    }
  }

  #start(orgId: string | null, own: HostQueries, [key, query]: [string, HostQuery]): void {
    own.waiting.delete(key);
    own.running.set(key, query);
    this.#running += 1;
    this.#lookup(query.host, query.options, (error, addresses) => {
      own.running.delete(key);
      this.#running -= 1;
      if (own.running.size + own.waiting.size === 0) this.#queries.delete(orgId);
      this.#startWaiting();
      for (const done of query.callers) done(error, addresses);
    });
  }
}
