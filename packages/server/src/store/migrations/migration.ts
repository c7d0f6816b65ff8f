import type { DatabaseEngine } from '../database-engine.ts';
import type { DatabaseWriter } from '../ports.ts';

/**
 * A single schema change for both engines. A migration never changes after its release. Because
 * `DatabaseSchema` may change later, a migration must not use it, and names tables in raw SQL.
 */
export interface Migration {
  readonly number: number;
  readonly name: string;
  up(writer: DatabaseWriter, engine: DatabaseEngine): Promise<void>;
}
