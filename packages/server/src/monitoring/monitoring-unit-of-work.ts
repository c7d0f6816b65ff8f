import { type Alert, enqueueAlerts } from '../alerts/alert.ts';
import { createId, deriveId } from '../core/ids.ts';
import { publishLiveEvent } from '../store/live-events.ts';
import {
  insertMonitorChecks,
  insertMonitorPeriods,
  listMonitorsByUid,
  updateMonitorStates,
} from '../store/monitoring/monitor-states.ts';
import type {
  MonitorCheckRow,
  MonitorPeriodRow,
  MonitorStateRow,
} from '../store/monitoring/monitoring-rows.ts';
import type { MonitorsTable } from '../store/monitoring/monitoring-tables.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import type { MonitorAlertTrigger, MonitorHistoryChanges } from './monitor-state.ts';

/**
 * Maximum number of first beats that one live event lists. If there are more, the event contains only their
 * number.
 */
const MAX_LISTED_FIRST_BEATS = 100;

/** The error text of a missed beat in the check history. The specification defines the text. */
export const MISSED_BEAT_ERROR =
  'no heartbeat received within expected_interval_minutes + grace_period_minutes';
const REPORTED_FAILURE_ERROR = 'the job reported that it failed';

interface PendingAlert {
  readonly uid: string;
  readonly orgId: string;
  readonly trigger: MonitorAlertTrigger;
}

/**
 * Collects everything that one transaction writes: monitor states, checks, periods and alerts. It
 * writes each with one statement. A period is therefore always stored together with its checks and
 * its alert.
 */
export class MonitoringUnitOfWork {
  readonly #writer: DatabaseWriter;
  readonly #nowMs: number;
  readonly #states = new Map<string, MonitorStateRow>();
  readonly #checks: MonitorCheckRow[] = [];
  readonly #periods: MonitorPeriodRow[] = [];
  readonly #pendingAlerts: PendingAlert[] = [];
  readonly #firstBeatStates: MonitorStateRow[] = [];

  /** @param nowMs time of the evaluation, in database time */
  constructor(writer: DatabaseWriter, nowMs: number) {
    this.#writer = writer;
    this.#nowMs = nowMs;
  }

  /** Returns the state row in this transaction: as it was read, or as a beat or an evaluation changed it. */
  current(row: MonitorStateRow): MonitorStateRow {
    return this.#states.get(row.uid) ?? row;
  }

  updateState(row: MonitorStateRow): void {
    this.#states.set(row.uid, row);
  }

  addCheck(row: MonitorCheckRow): void {
    this.#checks.push(row);
  }

  /** Publishes the first beat of a monitor to the console. It causes no alert. */
  addFirstBeat(row: MonitorStateRow): void {
    this.#firstBeatStates.push(row);
  }

  /** Adds the result of an event to the history of the monitor. */
  addHistory(
    { uid, org_id: orgId }: Pick<MonitorStateRow, 'uid' | 'org_id'>,
    out: MonitorHistoryChanges,
  ): void {
    for (const { status, expectedAt, at, missedCount } of out.inferredChecks)
      this.#checks.push({
        uid,
        at,
        id: deriveId('chk', `${uid}\n${expectedAt}`),
        status,
        error:
          status === 'missed' ? MISSED_BEAT_ERROR : 'Floe could not accept beats when this beat was expected',
        expected_at: expectedAt,
        detected_at: this.#nowMs,
        received_at: null,
        duration_ms: null,
        metadata_json: null,
        missed_count: missedCount,
      });
    for (const { status, startedAt, reason } of out.periods)
      this.#periods.push({ uid, started_at: startedAt, status, reason });
    for (const notice of out.alertTriggers) this.#pendingAlerts.push({ uid, orgId, trigger: notice });
  }

  async write(): Promise<void> {
    // Sent together, so that the connection does not wait for each response.
    await Promise.all([
      updateMonitorStates(this.#writer, [...this.#states.values()]),
      insertMonitorChecks(this.#writer, this.#checks),
      insertMonitorPeriods(this.#writer, this.#periods),
    ]);
    if (this.#pendingAlerts.length > 0) await this.#enqueuePendingAlerts();
    for (const [orgId, rows] of Map.groupBy(this.#firstBeatStates, ({ org_id }) => org_id)) {
      const firstBeats = rows.slice(0, MAX_LISTED_FIRST_BEATS).map(({ id }) => id);
      const data = { count: rows.length, first_beats: firstBeats };
      await publishLiveEvent(this.#writer, { orgId, topic: 'monitors', at: this.#nowMs, data });
    }
  }

  async #enqueuePendingAlerts(): Promise<void> {
    const uids = [...new Set(this.#pendingAlerts.map(({ uid }) => uid))];
    const found = await listMonitorsByUid(this.#writer, uids);
    const definitions = new Map(found.map((row) => [row.uid, row]));
    const alerts = this.#pendingAlerts.flatMap((told) => {
      const definition = definitions.get(told.uid);
      return definition ? [toMonitorAlert(told, definition)] : [];
    });
    await enqueueAlerts(this.#writer, alerts);
  }
}

function toMonitorAlert({ uid, orgId, trigger }: PendingAlert, definition: MonitorsTable): Alert {
  const tags = parseMonitorListColumn(definition.tags_json);
  const channels = parseMonitorListColumn(definition.channels_json);
  const description = definition.description === '' ? {} : { description: definition.description };
  const alert = {
    orgId,
    subject: { kind: 'monitor', id: definition.id, name: definition.name },
    // The transaction locks the state, so it reports each change once. A monitor can fail twice at the same time:
    // within a millisecond, or after the clock was set back.
    idempotencyKey: `${uid}:${trigger.event}:${trigger.since}:${createId('alr', trigger.at)}`,
    at: trigger.at,
    channels: channels.length === 0 ? null : channels,
  } as const;
  switch (trigger.event) {
    case 'failing':
      return {
        ...alert,
        event: 'monitor_failing',
        fields: {
          error: trigger.reason === 'failed' ? REPORTED_FAILURE_ERROR : MISSED_BEAT_ERROR,
          failingSinceMs: trigger.since,
          lastBeatMs: trigger.lastBeatAt,
          tags,
          ...description,
        },
      };
    case 'recovered':
      return {
        ...alert,
        event: 'monitor_recovered',
        fields: {
          failingSinceMs: trigger.since,
          downtimeMs: trigger.at - trigger.since,
          tags,
          ...(trigger.by === 'pause' ? { paused: true } : {}),
          ...(trigger.by === 'deleted' ? { deleted: true } : {}),
        },
      };
    case 'never_beaten':
      return {
        ...alert,
        event: 'monitor_never_beaten',
        fields: { waitingSinceMs: trigger.since, tags, ...description },
      };
  }
}

/** Parses a column that contains a JSON array of strings. */
export function parseStringListColumn(json: string): string[] {
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/**
 * Parses the tags or channels of a monitor. Returns an empty list if the JSON is invalid, so that one monitor does not
 * affect the alerts of others.
 */
export function parseMonitorListColumn(json: string): string[] {
  try {
    return parseStringListColumn(json);
  } catch {
    return [];
  }
}
