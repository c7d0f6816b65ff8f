import { replaceUnstorableJsonEscapes } from '../monitoring/batch-statements.ts';
import { POSTGRES_BEAT_STATEMENT, type UneventfulBeats } from '../monitoring/uneventful-beats.ts';
import type { PostgresConnection } from './postgres-pool.ts';

/** Implements `BeatStore.applyBeatsIfUnchanged` for PostgreSQL. */
export async function applyPostgresBeatsIfUnchanged(
  connection: PostgresConnection,
  beats: readonly UneventfulBeats[],
  rewindCount: number,
): Promise<boolean[]> {
  const { rows } = await connection.queryPrepared<{ uid: string }>(
    POSTGRES_BEAT_STATEMENT.name,
    POSTGRES_BEAT_STATEMENT.text,
    [
      json(beats.map(({ before }) => before)),
      json(beats.map(({ after }) => after)),
      json(beats.flatMap(({ checks }) => checks)),
      json(beats.flatMap(({ keys }) => keys)),
      rewindCount,
    ],
  );
  const kept = new Set(rows.map(({ uid }) => uid));
  return beats.map(({ before }) => kept.has(before.uid));
}

function json(rows: readonly object[]): string {
  return replaceUnstorableJsonEscapes(JSON.stringify(rows));
}
