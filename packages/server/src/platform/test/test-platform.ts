import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import type { AuditTable } from '../../store/key-and-audit-tables.ts';
import { openDatabase } from '../../store/open-database.ts';
import type { Database } from '../../store/store-interfaces.ts';
import { derivePlatformKeyPepper } from '../keyring.ts';

export const PLATFORM_TEST_NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
export const platformTestPepper = derivePlatformKeyPepper(Buffer.alloc(32, 3));

export interface TestPlatform {
  readonly database: Database;
  auditOf(subject: string): Promise<AuditTable[]>;
  close(): Promise<void>;
}

/** Opens a SQLite database in a temporary directory. */
export async function openTestPlatform(clock: Clock): Promise<TestPlatform> {
  const dataDir = await mkdtemp(join(tmpdir(), 'floe-platform-'));
  const database = await openDatabase('sqlite:', { dataDir, log: silentLog, clock });
  return {
    database,
    auditOf: (subject) =>
      database.read
        .selectFrom('audit')
        .selectAll()
        .where('subject', '=', subject)
        .orderBy('at')
        .orderBy('id')
        .execute(),
    async close() {
      await database.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
