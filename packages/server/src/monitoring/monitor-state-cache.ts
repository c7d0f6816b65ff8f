import type { MonitorStateRow } from '../store/monitoring/monitoring-rows.ts';
import { formatMonitorReferenceKey, listMonitorReferenceKeys } from './received-beat.ts';

/** Maximum number of cached states. A state needs about one kilobyte. */
const MAX_CACHED_STATES = 20_000;

/**
 * Caches the monitor states that this process last wrote. They may be outdated, so an update that
 * relies on a cached state must compare it with the database (`BeatStore.applyBeatsIfUnchanged`).
 */
export class MonitorStateCache {
  readonly #byUid = new Map<string, MonitorStateRow>();
  readonly #uids = new Map<string, string>();

  get(address: Parameters<typeof formatMonitorReferenceKey>[0]): MonitorStateRow | undefined {
    const uid = this.#uids.get(formatMonitorReferenceKey(address));
    return uid === undefined ? undefined : this.#byUid.get(uid);
  }

  set(row: MonitorStateRow): void {
    const before = this.#byUid.get(row.uid);
    if (before?.token_hash !== row.token_hash) {
      if (before) this.delete(row.uid);
      for (const name of listMonitorReferenceKeys(row)) this.#uids.set(name, row.uid);
    }
    this.#byUid.set(row.uid, row);
    const [oldest] = this.#byUid.keys();
    if (this.#byUid.size > MAX_CACHED_STATES && oldest !== undefined) this.delete(oldest);
  }

  delete(uid: string): void {
    const row = this.#byUid.get(uid);
    if (!row) return;
    this.#byUid.delete(uid);
    // If the monitor was deleted and created again, its references already belong to the new row.
    for (const name of listMonitorReferenceKeys(row))
      if (this.#uids.get(name) === uid) this.#uids.delete(name);
  }
}
