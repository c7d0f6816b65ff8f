import type { DatabaseEngine } from '../database-engine.ts';
import type { DatabaseWriter } from '../ports.ts';

/**
 * One step forward, told which engine it runs on, and never changed once released. It must not read `Schema`, which
 * moves on: older tables are named in raw SQL.
 */
export interface Migration {
  readonly number: number;
  readonly name: string;
  up(writer: DatabaseWriter, engine: DatabaseEngine): Promise<void>;
}
