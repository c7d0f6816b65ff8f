import type { Clock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { InMemoryCounters } from '../../store/counters/in-memory-counters.ts';
import type { Database, LimitCounters } from '../../store/store-interfaces.ts';
import { LimitAndBudgetEnforcer } from '../limit-and-budget-enforcer.ts';
import { SpendCache } from '../spend-cache.ts';

/** Creates an enforcer that counts in memory and has no journal, for tests of code that uses it. */
export function createMemoryGuard(
  database: Pick<Database, 'read' | 'isShared'>,
  clock: Clock,
): LimitAndBudgetEnforcer {
  return withoutJournal(new SpendCache(database, clock, silentLog), clock, new InMemoryCounters(clock));
}

/**
 * Creates an in-memory enforcer and a spend record. Tests use the record to simulate the spending
 * that the database would report for other processes.
 */
export function createMemoryGuardWithSpend(
  clock: Clock,
  counters: LimitCounters = new InMemoryCounters(clock),
): {
  guard: LimitAndBudgetEnforcer;
  spendCache: SpendCache;
} {
  const database = {
    isShared: false,
    get read(): never {
      throw new Error('nothing is read');
    },
  };
  const spendCache = new SpendCache(database, clock, silentLog);
  return { guard: withoutJournal(spendCache, clock, counters), spendCache };
}

function withoutJournal(
  spendCache: SpendCache,
  clock: Clock,
  counters: LimitCounters,
): LimitAndBudgetEnforcer {
  const journal = {
    reserve: async () => undefined,
    extend: () => undefined,
    settle: () => undefined,
    flush: async () => undefined,
    close: async () => undefined,
  };
  return new LimitAndBudgetEnforcer({ counters, journal, spendCache, clock });
}
