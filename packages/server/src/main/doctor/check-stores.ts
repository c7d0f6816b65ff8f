import { existsSync, statSync } from 'node:fs';
import type { Clock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { inspectRedis } from '../../store/counters/inspect-redis.ts';
import type { DatabaseLocation } from '../../store/database-backup.ts';
import {
  type DatabaseWithBeatStore,
  isPostgresUrl,
  openDatabase,
  resolveSqlitePath,
} from '../../store/open-database.ts';
import { inspectPostgres } from '../../store/postgres/inspect-postgres.ts';
import { type InstallationSecretKey, requireMatchingSecretKey } from '../../store/secret-key.ts';
import { planDatabaseUpgrade } from '../../store/upgrade-database.ts';
import {
  createFailedFinding,
  createPassedFinding,
  createSkippedFinding,
  createWarningFinding,
  type DoctorFinding,
  formatThrownError,
} from './doctor-finding.ts';

/**
 * Round trip in milliseconds that causes a warning, because a slower database delays every beat and every
 * change of a setting.
 */
const SLOW_DATABASE_MS = 20;
/**
 * Round trip in milliseconds that causes a warning, because requests wait only `storage.shared_timeout_ms`
 * for the shared store.
 */
const SLOW_SHARED_STORE_MS = 5;

/** The findings about the database, and what later checks need from it. */
export interface DatabaseCheckResult {
  readonly findings: readonly DoctorFinding[];
  /** Set if the database exists, is up to date and belongs to the secret key. The caller must close it. */
  readonly database: DatabaseWithBeatStore | null;
  /** Size of the SQLite file; 0 for PostgreSQL. */
  readonly bytes: number;
  /** Clock offset of PostgreSQL in milliseconds; null for SQLite. */
  readonly clockOffsetMs: number | null;
}

/** Connects to the database, and checks its migrations and the secret key. Changes nothing. */
export async function checkDatabase(
  place: DatabaseLocation,
  secret: InstallationSecretKey | null,
  clock: Clock,
): Promise<DatabaseCheckResult> {
  const none = { database: null, bytes: 0, clockOffsetMs: null };
  try {
    const server = isPostgresUrl(place.url) ? await inspectPostgres(place.url, clock) : null;
    const file = server ? null : resolveSqlitePath(place.url, place.dataDir);
    if (file !== null && !existsSync(file))
      return {
        ...none,
        findings: [createSkippedFinding('database', `${file} will be created at the first start`)],
      };
    const bytes = file === null ? 0 : statSync(file).size;
    const { migrations } = await planDatabaseUpgrade(place);
    const findings: DoctorFinding[] = [];
    const subject = server ? server.version : `SQLite at ${file}`;
    const latency = server ? `, ${server.latencyMs.toFixed(1)} ms per query` : '';
    if (server && server.latencyMs > SLOW_DATABASE_MS)
      findings.push(
        createWarningFinding(
          'database',
          `${subject} is slow${latency}`,
          'Run Floe in the same region and on the same network as its database.',
        ),
      );
    else findings.push(createPassedFinding('database', `${subject} is usable${latency}`));
    if (migrations.length > 0) {
      const list = migrations.map(({ number, name }) => `${number} ${name}`).join(', ');
      const remedy = 'Back up the database. Then start the server, or run "floe migrate".';
      findings.push(createWarningFinding('database', `migrations are pending: ${list}`, remedy));
    }
    const isReadable = migrations.length === 0 && secret !== null;
    const opened = isReadable ? await openWithKey(place, secret, clock) : null;
    if (opened !== null) findings.push(opened.finding);
    return {
      findings,
      database: opened?.database ?? null,
      bytes,
      clockOffsetMs: server?.clockOffsetMs ?? null,
    };
  } catch (error) {
    const remedy = 'Check storage.database (or FLOE_DATABASE_URL), and check that the database is running.';
    return { ...none, findings: [createFailedFinding('database', formatThrownError(error), remedy)] };
  }
}

async function openWithKey(place: DatabaseLocation, secret: InstallationSecretKey, clock: Clock) {
  const database = await openDatabase(place.url, { dataDir: place.dataDir, log: silentLog, clock });
  try {
    await requireMatchingSecretKey(database.read, secret);
    return {
      database,
      finding: createPassedFinding('secret_key', 'the database was created with this secret key'),
    };
  } catch (error) {
    await database.close();
    const remedy = 'Set FLOE_SECRET_KEY to the key that the database was created with.';
    return { database: null, finding: createFailedFinding('secret_key', formatThrownError(error), remedy) };
  }
}

/** The findings about the shared store, and the offset of its clock in milliseconds. */
export interface SharedStoreCheckResult {
  readonly findings: readonly DoctorFinding[];
  readonly clockOffsetMs: number | null;
}

/**
 * Checks the shared store.
 * @param url `storage.shared`: `memory`, or the URL of a Redis or Valkey server
 */
export async function checkSharedStore(url: string, clock: Clock): Promise<SharedStoreCheckResult> {
  if (url === 'memory')
    return {
      findings: [
        createSkippedFinding(
          'shared_store',
          'storage.shared is memory, so several servers cannot share limit and budget counters',
        ),
      ],
      clockOffsetMs: null,
    };
  try {
    const { version, latencyMs, clockOffsetMs, evictionPolicy } = await inspectRedis(url, clock);
    const message = `${version} is ${latencyMs > SLOW_SHARED_STORE_MS ? 'slow' : 'usable'}, ${latencyMs.toFixed(1)} ms per command`;
    const findings = [
      latencyMs > SLOW_SHARED_STORE_MS
        ? createWarningFinding(
            'shared_store',
            message,
            'Run Redis or Valkey on the same network as Floe, or raise storage.shared_timeout_ms.',
          )
        : createPassedFinding('shared_store', message),
    ];
    if (evictionPolicy !== null && evictionPolicy !== 'noeviction')
      findings.push(
        createWarningFinding(
          'shared_store',
          `maxmemory-policy is ${evictionPolicy}: Redis or Valkey can delete limit and budget counters`,
          'Set maxmemory-policy to noeviction.',
        ),
      );
    return { findings, clockOffsetMs };
  } catch (error) {
    const remedy = 'Check storage.shared (or FLOE_REDIS_URL), and check that Redis or Valkey is running.';
    return {
      findings: [createFailedFinding('shared_store', formatThrownError(error), remedy)],
      clockOffsetMs: null,
    };
  }
}
