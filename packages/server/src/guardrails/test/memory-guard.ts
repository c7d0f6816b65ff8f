import type { Clock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { InMemoryCounters } from '../../store/counters/in-memory-counters.ts';
import type { Database } from '../../store/ports.ts';
import { GuardrailEnforcer } from '../guardrail-enforcer.ts';
import { SpendCache } from '../spend-cache.ts';

/** A guard that counts in memory and keeps no journal: for tests of what reads it. */
export function createMemoryGuard(
  database: Pick<Database, 'read' | 'isShared'>,
  clock: Clock,
): GuardrailEnforcer {
  return withoutJournal(new SpendCache(database, clock, silentLog), clock);
}

/** The same with what the database would tell of other processes, which a test records itself. */
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
