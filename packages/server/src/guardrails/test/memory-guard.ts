import type { Clock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { MemoryCounters } from '../../store/counters/memory.ts';
import type { Database } from '../../store/ports.ts';
import { Guard } from '../guard.ts';
import { SpendBook } from '../spend-book.ts';

/** A guard that counts in memory and keeps no journal: for tests of what reads it. */
export function memoryGuard(database: Pick<Database, 'read' | 'isShared'>, clock: Clock): Guard {
  const journal = {
    hold: async () => undefined,
    extend: () => undefined,
    settle: () => undefined,
    flush: async () => undefined,
    close: async () => undefined,
  };
  const book = new SpendBook(database, clock, silentLog);
  return new Guard({ counters: new MemoryCounters(clock), journal, book, clock });
}
