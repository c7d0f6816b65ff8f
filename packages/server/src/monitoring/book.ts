import { type Alert, enqueueAll } from '../alerts/alert.ts';
import { idFor } from '../core/ids.ts';
import { tellLive } from '../store/live-events.ts';
import type { CheckRow, ClockRow, PeriodRow } from '../store/monitoring/clock-row.ts';
import { definitionsOf, insertChecks, insertPeriods, moveClocks } from '../store/monitoring/clocks.ts';
import type { MonitorsTable } from '../store/monitoring/tables.ts';
import type { Writer } from '../store/ports.ts';
import type { Notice, Outcome } from './clock.ts';

/** Of so many first beats at once those who watch hear whose they were; of more only how many. */
const FIRST_BEATS_TOLD = 100;

/** The specification's words, as they stand in the check history. */
export const MISSED = 'no heartbeat received within expected_interval_minutes + grace_period_minutes';
const REPORTED = 'the job reported that it failed';

interface Told {
  readonly uid: string;
  readonly orgId: string;
  readonly notice: Notice;
  readonly lastBeatAt: number | null;
}

/**
 * What one transaction writes: clocks, checks, periods and alerts, each kind in one statement. All or nothing, so
 * that a period has its checks, and a failing that somebody must hear of has its alert.
 */
export class Book {
  readonly #writer: Writer;
  readonly #nowMs: number;
  readonly #clocks = new Map<string, ClockRow>();
  readonly #checks: CheckRow[] = [];
  readonly #periods: PeriodRow[] = [];
  readonly #told: Told[] = [];
  readonly #heard: ClockRow[] = [];

  /** @param nowMs when this is found out, in database time. */
  constructor(writer: Writer, nowMs: number) {
    this.#writer = writer;
    this.#nowMs = nowMs;
  }

  /** Where a clock of this transaction stands; the row as it was read unless an event moved it. */
  current(row: ClockRow): ClockRow {
    return this.#clocks.get(row.uid) ?? row;
  }

  move(row: ClockRow): void {
    this.#clocks.set(row.uid, row);
  }

  check(row: CheckRow): void {
    this.#checks.push(row);
  }

  /** A monitor that was waited for has beaten: no alert says so, and somebody may look at it who has just set it up. */
  heard(row: ClockRow): void {
    this.#heard.push(row);
  }

  /** Takes what an event gave into the history of the monitor. */
  record(
    { uid, org_id: orgId }: Pick<ClockRow, 'uid' | 'org_id'>,
    lastBeatAt: number | null,
    out: Outcome,
  ): void {
    for (const { status, expectedAt, at, standsFor } of out.verdicts)
      this.#checks.push({
        uid,
        at,
        id: idFor('chk', `${uid}\n${expectedAt}`),
        status,
        error: status === 'missed' ? MISSED : 'Floe was not running when this beat was expected',
        expected_at: expectedAt,
        detected_at: this.#nowMs,
        received_at: null,
        duration_ms: null,
        metadata_json: null,
        stands_for: standsFor,
      });
    for (const { status, startedAt, reason } of out.periods)
      this.#periods.push({ uid, started_at: startedAt, status, reason });
    for (const notice of out.notices) this.#told.push({ uid, orgId, notice, lastBeatAt });
  }

  async write(): Promise<void> {
    // Sent together: the connection takes them one after the other without a way back in between.
    await Promise.all([
      moveClocks(this.#writer, [...this.#clocks.values()]),
      insertChecks(this.#writer, this.#checks),
      insertPeriods(this.#writer, this.#periods),
    ]);
    if (this.#told.length > 0) await this.#tell();
    for (const [orgId, rows] of Map.groupBy(this.#heard, ({ org_id }) => org_id)) {
      const firstBeats = rows.slice(0, FIRST_BEATS_TOLD).map(({ id }) => id);
      const data = { count: rows.length, first_beats: firstBeats };
      await tellLive(this.#writer, { orgId, topic: 'monitors', at: this.#nowMs, data });
    }
  }

  async #tell(): Promise<void> {
    const uids = [...new Set(this.#told.map(({ uid }) => uid))];
    const found = await definitionsOf(this.#writer, uids);
    const definitions = new Map(found.map((row) => [row.uid, row]));
    const alerts = this.#told.flatMap((told) => {
      const definition = definitions.get(told.uid);
      return definition ? [alertOf(told, definition)] : [];
    });
    await enqueueAll(this.#writer, alerts);
  }
}

function alertOf({ uid, orgId, notice, lastBeatAt }: Told, definition: MonitorsTable): Alert {
  const tags = textsIn(definition.tags_json);
  const channels = textsIn(definition.channels_json);
  const description = definition.description === '' ? {} : { description: definition.description };
  const alert = {
    orgId,
    subject: { kind: 'monitor', id: definition.id, name: definition.name },
    idempotencyKey: `${uid}:${notice.event}:${notice.since}`,
    at: notice.at,
    channels: channels.length === 0 ? null : channels,
  } as const;
  switch (notice.event) {
    case 'failing':
      return {
        ...alert,
        event: 'monitor_failing',
        fields: {
          error: notice.reason === 'failed' ? REPORTED : MISSED,
          failingSinceMs: notice.since,
          lastBeatMs: lastBeatAt,
          tags,
          ...description,
        },
      };
    case 'recovered':
      return {
        ...alert,
        event: 'monitor_recovered',
        fields: {
          failingSinceMs: notice.since,
          downtimeMs: notice.at - notice.since,
          tags,
          ...(notice.by === 'pause' ? { paused: true } : {}),
          ...(notice.by === 'deleted' ? { deleted: true } : {}),
        },
      };
    case 'never_beaten':
      return {
        ...alert,
        event: 'monitor_never_beaten',
        fields: { waitingSinceMs: notice.since, tags, ...description },
      };
  }
}

/** A JSON list of texts, as columns hold them. */
export function textsIn(json: string): string[] {
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
