import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { updatePlatformKeysLastUsed } from '../store/platform-keys.ts';
import type { Database } from '../store/store-interfaces.ts';
import type { KeyRecord } from './keyring.ts';

const FLUSH_INTERVAL_MS = 60_000;
/** The first use of a key is stored soon. Later uses may wait. */
const FIRST_FLUSH_DELAY_MS = 1_000;

/**
 * Records when keys were last used. The first use in a minute is stored within a second. Other uses
 * are stored with the next write.
 */
export interface KeyLastUsedTracker {
  record(key: UsedPlatformKey, nowMs: number): void;
  /** Writes pending uses. */
  close(): Promise<void>;
}

/** The fields of a `KeyRecord` that identify the key and tell whether its value was replaced. */
export type UsedPlatformKey = Pick<KeyRecord, 'id' | 'deprecationHeaders'>;

/** Creates the tracker. Failed writes are logged and not retried. */
export function createKeyLastUsedTracker(database: Database, clock: Clock, log: Log): KeyLastUsedTracker {
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
    // Removes old entries, so that the map does not grow with deleted keys.
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
      // Not repeated: the next use of each key has a newer time.
      log.warn({ err: error, keys: uses.length }, 'could not save the last-used times of platform keys');
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
