import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { touchKeys } from '../store/platform-keys.ts';
import type { Database } from '../store/ports.ts';

const FLUSH_MS = 60_000;

/** Remembers when keys were last used and writes it at most once a minute: a hint, not a record. */
export interface LastUsed {
  note(keyId: string, nowMs: number): void;
  /** Writes what is pending. */
  close(): Promise<void>;
}

export function trackLastUsed(database: Database, clock: Clock, log: Log): LastUsed {
  const pending = new Map<string, number>();
  let timer: Timer | undefined;

  async function flush(): Promise<void> {
    timer = undefined;
    if (pending.size === 0) return;
    const uses = Array.from(pending, ([id, usedAt]) => ({ id, usedAt }));
    pending.clear();
    try {
      await database.transaction((writer) => touchKeys(writer, uses));
    } catch (error) {
      // The next use of each key brings a newer time; nothing is kept for a store that is away.
      log.warn({ err: error, keys: uses.length }, 'last use of keys not written');
    }
  }

  return {
    note(keyId, nowMs) {
      pending.set(keyId, nowMs);
      timer ??= clock.after(FLUSH_MS, flush);
    },
    close() {
      timer?.cancel();
      return flush();
    },
  };
}
