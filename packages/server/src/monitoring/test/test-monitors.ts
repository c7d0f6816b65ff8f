import { createSecretKey } from 'node:crypto';
import type { MonitorConfig } from '@floe/contract/config';
import { insertOrg } from '../../store/orgs.ts';
import type { Database, DatabaseWriter } from '../../store/store-interfaces.ts';
import { type MonitorDefinition, toMonitorDefinition } from '../monitor-definition.ts';
import type { MonitorChangeContext } from '../monitors.ts';
import type { MonitorChangeTime } from '../read-monitors.ts';
import type { ReceivedBeat } from '../received-beat.ts';

export const MONITOR_TEST_ORG = 'acme';
export const MONITOR_TEST_START = Date.UTC(2026, 10, 21);
export const MINUTE = 60_000;
export const testBeatUrlSecret = createSecretKey(Buffer.alloc(32, 7));

/**
 * Returns a monitor definition in the format of floe.yaml. By default, it has an interval of one
 * minute and no grace period.
 */
export function createTestMonitorDefinition(
  id: string,
  changes: Partial<MonitorConfig> = {},
): MonitorDefinition {
  const every = changes.schedule === undefined ? { expected_interval_minutes: 1 } : {};
  return toMonitorDefinition(
    {
      id,
      name: id,
      kind: 'heartbeat',
      description: '',
      tags: [],
      channels: [],
      paused: false,
      alert_after_misses: 1,
      fail_counts_as_miss: false,
      grace_period_minutes: 0,
      ...every,
      ...changes,
    },
    'UTC',
  );
}

export async function addTestOrg(database: Database, id = MONITOR_TEST_ORG): Promise<void> {
  await database.transaction((writer) => insertOrg(writer, { id, name: id, created_at: MONITOR_TEST_START }));
}

/** Runs a change to monitors in a transaction, at `nowMs`. */
export function runMonitorChange<T>(
  database: Database,
  {
    nowMs,
    gaps = [],
    committedUntil = nowMs,
    rewindCount = 0,
  }: Pick<MonitorChangeTime, 'nowMs'> & Partial<MonitorChangeTime>,
  work: (context: MonitorChangeContext) => Promise<T>,
): Promise<T> {
  return database.transaction((writer: DatabaseWriter) =>
    work({
      writer,
      secret: testBeatUrlSecret,
      nowMs,
      committedUntil,
      gaps,
      rewindCount,
      actor: 'test',
      source: { kind: 'console', line: null },
    }),
  );
}

export function createTestBeatCall(
  id: string,
  receivedAt: number,
  changes: Partial<ReceivedBeat> = {},
): ReceivedBeat {
  return {
    address: { orgId: MONITOR_TEST_ORG, id },
    kind: 'ok',
    receivedAt,
    runId: null,
    idempotencyKey: null,
    metadataJson: null,
    error: null,
    ...changes,
  };
}

/** Returns a monitor's recorded history as lines for comparison. */
export async function loadRecordedHistory(database: Database, uid: string) {
  const checks = await database.read.selectFrom('checks').selectAll().where('uid', '=', uid).execute();
  const periods = await database.read
    .selectFrom('monitor_periods')
    .selectAll()
    .where('uid', '=', uid)
    .orderBy('started_at')
    .execute();
  const alerts = await database.read
    .selectFrom('alerts')
    .select('idempotency_key')
    .where('idempotency_key', 'like', `${uid}:%`)
    .execute();
  return {
    checks: checks
      .map(({ status, at, expected_at }) =>
        status === 'missed' || status === 'unknown' ? `${status} ${at} ${expected_at}` : `${status} ${at}`,
      )
      .toSorted(),
    periods: periods.map(({ started_at, status }) => `${started_at} ${status}`),
    alerts: alerts.map(({ idempotency_key }) => idempotency_key.split(':').slice(1, 3).join(' ')).toSorted(),
  };
}
