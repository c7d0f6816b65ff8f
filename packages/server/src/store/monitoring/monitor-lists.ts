import { type SelectQueryBuilder, sql } from 'kysely';
import { decodeCursor, type Page, type PageRequest, toPage } from '../pages.ts';
import type { Reader } from '../ports.ts';
import type { Schema } from '../schema.ts';
import type { MonitorsTable } from './tables.ts';

export interface MonitorQuery extends PageRequest {
  /** Absent: newest first. */
  readonly sort?: 'newest' | 'urgency' | undefined;
  /** Only monitors that carry this tag. */
  readonly tag?: string | undefined;
  /** Part of the id or the name, in any case. */
  readonly search?: string | undefined;
  /** As its clock was last written: at most a second behind. */
  readonly status?: string | undefined;
  /** Only monitors that name this channel. */
  readonly channel?: string | undefined;
  /** `file` or `console`. */
  readonly source?: string | undefined;
  /** Only these. */
  readonly ids?: readonly string[] | undefined;
}

/** Monitors of an org that were not disabled, in the order asked for. */
export function monitorPage(reader: Reader, query: MonitorQuery): Promise<Page<MonitorsTable>> {
  return query.sort === 'urgency' ? mostUrgent(reader, query) : newest(reader, query);
}

async function newest(reader: Reader, query: MonitorQuery): Promise<Page<MonitorsTable>> {
  let rows = filtered(reader, query);
  if (query.cursor !== undefined) {
    const { at, id } = decodeCursor(query.cursor);
    rows = rows.where(sql<boolean>`(monitors.created_at, monitors.uid) < (${at}, ${id})`);
  }
  const found = await rows
    .orderBy('monitors.created_at', 'desc')
    .orderBy('monitors.uid', 'desc')
    .limit(query.limit + 1)
    .execute();
  return toPage(found, query.limit, (row) => ({ at: row.created_at, id: row.uid }));
}

/** No instant in milliseconds has more digits: states stand above it in one number, which is what a cursor holds. */
const STATE_STEP = 100_000_000_000_000;

/** Failing first, the longest at the top; then those that wait, then by the nearest deadline; paused last. */
const URGENCY = sql<number>`(case clock.status when 'failing' then 0 when 'waiting' then 1 when 'healthy' then 2 else 3 end)
  * ${sql.lit(STATE_STEP)}
  + coalesce(case clock.status when 'failing' then clock.failing_since else clock.due_at end, ${sql.lit(STATE_STEP - 1)})`;

async function mostUrgent(reader: Reader, query: MonitorQuery): Promise<Page<MonitorsTable>> {
  let rows = filtered(reader, query)
    .innerJoin('monitor_clocks as clock', 'clock.uid', 'monitors.uid')
    .select(URGENCY.as('urgency'));
  if (query.cursor !== undefined) {
    const { at, id } = decodeCursor(query.cursor);
    rows = rows.where(sql<boolean>`(${URGENCY}, monitors.uid) > (${at}, ${id})`);
  }
  const found = await rows
    .orderBy('urgency')
    .orderBy('monitors.uid')
    .limit(query.limit + 1)
    .execute();
  return toPage(found, query.limit, ({ urgency, uid }) => ({ at: Number(urgency), id: uid }));
}

type Listed = SelectQueryBuilder<Schema, 'monitors', MonitorsTable>;

function filtered(reader: Reader, query: MonitorQuery): Listed {
  let rows: Listed = reader
    .selectFrom('monitors')
    .selectAll('monitors')
    .where('monitors.org_id', '=', query.orgId)
    .where('monitors.disabled_at', 'is', null);
  const { tag, channel, status, source, ids, search } = query;
  if (tag !== undefined) rows = rows.where(holds('tags_json', tag));
  if (channel !== undefined) rows = rows.where(holds('channels_json', channel));
  if (source !== undefined) rows = rows.where('monitors.source', '=', source);
  if (ids !== undefined) rows = rows.where('monitors.id', 'in', [...ids]);
  if (status !== undefined)
    rows = rows.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('monitor_clocks')
          .select('monitor_clocks.uid')
          .whereRef('monitor_clocks.uid', '=', 'monitors.uid')
          .where('monitor_clocks.status', '=', status),
      ),
    );
  if (search === undefined) return rows;
  const part = `%${escaped(search.toLowerCase())}%`;
  return rows.where(
    sql<boolean>`(lower(monitors.id) like ${part} escape '!' or lower(monitors.name) like ${part} escape '!')`,
  );
}

/** A text in a stored list of texts. */
function holds(column: 'tags_json' | 'channels_json', text: string) {
  const part = `%${escaped(JSON.stringify(text))}%`;
  return sql<boolean>`${sql.ref(`monitors.${column}`)} like ${part} escape '!'`;
}

function escaped(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}
