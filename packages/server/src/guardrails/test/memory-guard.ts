import type { Clock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { InMemoryCounters } from '../../store/counters/in-memory-counters.ts';
import type { Database } from '../../store/store-interfaces.ts';
import { GuardrailEnforcer } from '../guardrail-enforcer.ts';
import { SpendCache } from '../spend-cache.ts';

/** Creates an enforcer that counts in memory and has no journal, for tests of code that uses it. */
export function createMemoryGuard(
  database: Pick<Database, 'read' | 'isShared'>,
  clock: Clock,
): GuardrailEnforcer {
  return withoutJournal(new SpendCache(database, clock, silentLog), clock);
}

/**
 * Creates an in-memory enforcer and a spend record. Tests use the record to simulate the spending
 * that the database would report for other processes.
 */
export function createMemoryGuardWithSpend(clock: Clock): {
  guard: GuardrailEnforcer;
  spendCache: SpendCache;
} {
  const database = {
    isShared: false,
    get read(): never {
      throw new Error('nothing is read');
    },
  };
  const spendCache = new SpendCache(database, clock, silentLog);
  return { guard: withoutJournal(spendCache, clock), spendCache };
}

function withoutJournal(spendCache: SpendCache, clock: Clock): GuardrailEnforcer {
  const journal = {
    reserve: async () => undefined,
    extend: () => undefined,
    settle: () => undefined,
    flush: async () => undefined,
    close: async () => undefined,
  };
  return new GuardrailEnforcer({ counters: new InMemoryCounters(clock), journal, spendCache, clock });
}
