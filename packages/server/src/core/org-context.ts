import { AsyncLocalStorage } from 'node:async_hooks';

const context = new AsyncLocalStorage<string>();

/**
 * Runs `work`, and everything that it starts, for an organization. `FairTurnScheduler` reads this organization and lets
 * organizations take turns, so that one organization cannot delay another.
 */
export function runForOrg<T>(orgId: string, work: () => T): T {
  return context.run(orgId, work);
}

/** Runs `work` for the server itself. Needed for shared work that a request of one organization starts. */
export function runForServer<T>(work: () => T): T {
  return getCurrentOrgId() === undefined ? work() : context.exit(work);
}

/** Returns the id of the organization for which the current code runs. Undefined if it runs for the server. */
export function getCurrentOrgId(): string | undefined {
  return context.getStore();
}

/** Iterates over `items` for an organization, even if the consumer runs for the server or another organization. */
export async function* iterateForOrg<T>(orgId: string, items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await runForOrg(orgId, () => iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
