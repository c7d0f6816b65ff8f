import type { DatabaseEngine } from '../database-engine.ts';
import type { DatabaseWriter } from '../ports.ts';

/**
 * One step forward for both engines. It never changes once released. It must not use `Schema`, which
 * changes later, so it names tables in raw SQL.
 */
export interface Migration {
  readonly number: number;
  readonly name: string;
  up(writer: DatabaseWriter, engine: DatabaseEngine): Promise<void>;
}
