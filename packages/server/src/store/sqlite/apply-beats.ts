import { SQLITE_BEAT_STATEMENTS, type UneventfulBeatParameters } from '../monitoring/uneventful-beats.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Implements `BeatStore.applyBeatsIfUnchanged` for SQLite. Runs in the writer thread, so that a
 * batch requires only one message.
 */
export function applySqliteBeatsIfUnchanged(
  connection: SqliteConnection,
  beats: readonly UneventfulBeatParameters[],
): boolean[] {
  connection.begin();
  try {
    const kept = beats.map((one) => applyIfUnchanged(connection, one));
    connection.commit();
    return kept;
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

function applyIfUnchanged(
  connection: SqliteConnection,
  { move, checks, keys }: UneventfulBeatParameters,
): boolean {
  const known = connection.prepare(SQLITE_BEAT_STATEMENTS.known).statement;
  for (const [uid = null, key = null] of keys) if (known.get(uid, key) !== undefined) return false;
  if (connection.prepare(SQLITE_BEAT_STATEMENTS.move).statement.run(...move).changes === 0) return false;
  for (const row of checks) connection.prepare(SQLITE_BEAT_STATEMENTS.addCheck).statement.run(...row);
  for (const row of keys) connection.prepare(SQLITE_BEAT_STATEMENTS.addKey).statement.run(...row);
  return true;
}
