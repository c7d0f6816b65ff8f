import { sql } from 'kysely';
import type { Engine, Writer } from '../ports.ts';

/**
 * One step forward. Written with Kysely's schema builder so that both engines run it, told which one
 * where they differ, and never changed once released. It must not read `Schema`, which moves on: older tables are named in raw SQL.
 */
export interface Migration {
  readonly number: number;
  readonly name: string;
  up(writer: Writer, engine: Engine): Promise<void>;
}

/** Text that both engines order by its bytes, whatever the locale of a PostgreSQL database. */
export function orderedText(engine: Engine) {
  return engine === 'sqlite' ? ('text' as const) : sql<string>`text collate "C"`;
}
