import type { Clock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { MemoryCounters } from '../../store/counters/memory-counters.ts';
import type { Database } from '../../store/ports.ts';
import { Guard } from '../guard.ts';
import { SpendCache } from '../spend-cache.ts';

/** A guard that counts in memory and keeps no journal: for tests of what reads it. */
export function createMemoryGuard(database: Pick<Database, 'read' | 'isShared'>, clock: Clock): Guard {
  const journal = {
    reserve: async () => undefined,
    extend: () => undefined,
    settle: () => undefined,
    flush: async () => undefined,
    close: async () => undefined,
  };
  const spendCache = new SpendCache(database, clock, silentLog);
  return new Guard({ counters: new MemoryCounters(clock), journal, spendCache, clock });
}
