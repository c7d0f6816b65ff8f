import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { updatePlatformKeysLastUsed } from '../store/platform-keys.ts';
import type { Database } from '../store/ports.ts';
import type { KeyRecord } from './keyring.ts';

const FLUSH_INTERVAL_MS = 60_000;
/** Whether a key is in use is soon known; when exactly it was used last may wait. */
const FIRST_FLUSH_DELAY_MS = 1_000;

/** Remembers when keys were last used. The first use in a minute is written within a second, others with the next. */
export interface LastUsedTracker {
  record(key: UsedKey, nowMs: number): void;
  /** Writes what is pending. */
  close(): Promise<void>;
}

/** What of a `KeyRecord` says which of its values was used. */
export type UsedKey = Pick<KeyRecord, 'id' | 'deprecationHeaders'>;

export function createLastUsedTracker(database: Database, clock: Clock, log: Log): LastUsedTracker {
  const pending = new Map<string, number>();
  const pendingPrevious = new Map<string, number>();
  const written = new Map<string, number>();
  let soon: Timer | undefined;
  let later: Timer | undefined;

  function stopTimers(): void {
    soon?.cancel();
    later?.cancel();
    soon = undefined;
    later = undefined;
  }

  async function flush(): Promise<void> {
    stopTimers();
    if (pending.size === 0) return;
    const now = clock.now();
    // After a minute it says what no entry says too: keys come and go, and this must not grow with them.
    for (const [id, usedAt] of written) if (now - usedAt >= FLUSH_INTERVAL_MS) written.delete(id);
    for (const [id, usedAt] of pending) written.set(id, usedAt);
    const uses = [
      ...Array.from(pending, ([id, usedAt]) => ({ id, usedAt })),
      ...Array.from(pendingPrevious, ([id, usedAt]) => ({ id, usedAt, previous: true })),
    ];
    pending.clear();
    pendingPrevious.clear();
    try {
      await database.transaction((writer) => updatePlatformKeysLastUsed(writer, uses));
    } catch (error) {
      // The next use of each key brings a newer time; nothing is kept for a store that is away.
      log.warn({ err: error, keys: uses.length }, 'last use of keys could not be stored');
    }
  }

  return {
    record(key, nowMs) {
      pending.set(key.id, nowMs);
      if (key.deprecationHeaders) pendingPrevious.set(key.id, nowMs);
      const last = written.get(key.id);
      if (last === undefined || nowMs - last >= FLUSH_INTERVAL_MS)
        soon ??= clock.after(FIRST_FLUSH_DELAY_MS, flush);
      else later ??= clock.after(FLUSH_INTERVAL_MS, flush);
    },
    close() {
      return flush();
    },
  };
}
