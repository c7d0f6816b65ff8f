import type { ClockRow } from '../store/monitoring/clock-row.ts';
import { nameOf, namesOf } from './beat-call.ts';

/** About a kilobyte each. */
const KEPT = 20_000;

/**
 * Where clocks stood when this process last wrote them. Only a guess that saves reading: whoever acts on it lets the
 * store compare it with what is there (`BeatStore.keepBeats`).
 */
export class KnownClocks {
  readonly #byUid = new Map<string, ClockRow>();
  readonly #uids = new Map<string, string>();

  get(address: Parameters<typeof nameOf>[0]): ClockRow | undefined {
    const uid = this.#uids.get(nameOf(address));
    return uid === undefined ? undefined : this.#byUid.get(uid);
  }

  learn(row: ClockRow): void {
    const before = this.#byUid.get(row.uid);
    if (before?.token_hash !== row.token_hash) {
      if (before) this.forget(row.uid);
      for (const name of namesOf(row)) this.#uids.set(name, row.uid);
    }
    this.#byUid.set(row.uid, row);
    const [oldest] = this.#byUid.keys();
    if (this.#byUid.size > KEPT && oldest !== undefined) this.forget(oldest);
  }

  forget(uid: string): void {
    const row = this.#byUid.get(uid);
    if (!row) return;
    this.#byUid.delete(uid);
    // A monitor that was deleted and made anew has its names by now.
    for (const name of namesOf(row)) if (this.#uids.get(name) === uid) this.#uids.delete(name);
  }
}
