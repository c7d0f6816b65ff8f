import type { DatabaseEngine } from '../database-engine.ts';
import type { DatabaseWriter } from '../store-interfaces.ts';

/**
 * A single schema change for both engines. A migration never changes after its release. Because
 * `DatabaseSchema` may change later, a migration must not use it. It names tables in raw SQL.
 */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /**
   * The oldest release that works with the migrated database, as the number of its newest migration. 1 for a
   * migration that only adds (expand). The migration's own number if no earlier release works with the result
   * (contract). Stored with the applied migration, because older releases do not have this code.
   */
  readonly compatibleFrom: number;
  up(writer: DatabaseWriter, engine: DatabaseEngine): Promise<void>;
}
