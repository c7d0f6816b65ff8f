import { POSTGRES, type QuietBeats } from '../monitoring/quiet-beats.ts';
import { holdable } from '../monitoring/records.ts';
import type { PooledConnection } from './pool.ts';

/** See `BeatStore.keepBeats`. */
export async function keepBeats(
  connection: PooledConnection,
  beats: readonly QuietBeats[],
): Promise<boolean[]> {
  const { rows } = await connection.prepared<{ uid: string }>(POSTGRES.name, POSTGRES.text, [
    json(beats.map(({ before }) => before)),
    json(beats.map(({ after }) => after)),
    json(beats.flatMap(({ checks }) => checks)),
    json(beats.flatMap(({ keys }) => keys)),
  ]);
  const kept = new Set(rows.map(({ uid }) => uid));
  return beats.map(({ before }) => kept.has(before.uid));
}

function json(rows: readonly object[]): string {
  return holdable(JSON.stringify(rows));
}
