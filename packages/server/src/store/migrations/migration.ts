import type { Writer } from '../ports.ts';

/**
 * One step forward. Written with Kysely's schema builder so that both engines run it, and never
 * changed once released. It must not read `Schema`, which moves on: older tables are named in raw SQL.
 */
export interface Migration {
  readonly number: number;
  readonly name: string;
  up(writer: Writer): Promise<void>;
}
