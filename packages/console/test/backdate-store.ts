import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Time that has gone by without anybody waiting: what is stored is moved into the past. */

const CLOCK = ['last_beat_at', 'anchor_at', 'expected_at', 'due_at', 'failing_since', 'period_at'] as const;
const SETTLED = ['settled_at', 'wake_at'] as const;

/** Changes the store of a server, running or not, in one transaction. */
export function updateStore(dataDir: string, change: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(join(dataDir, 'floe.db'));
  try {
    database.exec('pragma busy_timeout = 10000; begin immediate');
    change(database);
    database.exec('commit');
  } finally {
    database.close();
  }
}

/** Everything that happened to these monitors, or to all, happened `ms` earlier. */
export function backdateMonitors(database: DatabaseSync, ms: number, ids: readonly string[] = []): void {
  const these =
    ids.length === 0
      ? ''
      : ` where uid in (select uid from monitors where id in (${ids.map((id) => `'${id}'`).join()}))`;
  const earlier = (columns: readonly string[]) =>
    columns.map((column) => `${column} = ${column} - ${ms}`).join();
  database.exec(`
    update monitors set ${earlier(['created_at', 'updated_at'])}${these};
    update monitor_clocks set ${earlier([...CLOCK, ...SETTLED])}${these};
    update checks set ${earlier(['at', 'expected_at', 'detected_at', 'received_at'])}${these};
    update monitor_periods set ${earlier(['started_at'])}${these};`);
}

/** The server was last there `ms` ago: from then on until it starts, nobody could hear anything. */
export function backdateLastSeen(database: DatabaseSync, ms: number): void {
  database.exec(`
    update monitor_pulse set seen_at = seen_at - ${ms};
    delete from monitor_leases;
    update monitor_clocks set settled_at = settled_at - ${ms} where settled_at > (select seen_at from monitor_pulse);`);
}
