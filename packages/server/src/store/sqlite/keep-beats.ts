import { type QuietValues, SQLITE } from '../monitoring/quiet-beats.ts';
import type { Connection } from './connection.ts';

/** See `BeatStore.keepBeats`. Runs in the writer's own thread, so that a batch is one message. */
export function keepBeats(connection: Connection, beats: readonly QuietValues[]): boolean[] {
  connection.begin();
  try {
    const kept = beats.map((one) => keep(connection, one));
    connection.commit();
    return kept;
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

function keep(connection: Connection, { move, checks, keys }: QuietValues): boolean {
  const known = connection.prepare(SQLITE.known).statement;
  for (const [uid = null, key = null] of keys) if (known.get(uid, key) !== undefined) return false;
  if (connection.prepare(SQLITE.move).statement.run(...move).changes === 0) return false;
  for (const row of checks) connection.prepare(SQLITE.addCheck).statement.run(...row);
  for (const row of keys) connection.prepare(SQLITE.addKey).statement.run(...row);
  return true;
}
