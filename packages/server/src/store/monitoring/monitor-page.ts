import { type SelectQueryBuilder, sql } from 'kysely';
import {
  containsText,
  escapeLikePattern,
  getKeysetPage,
  getListPage,
  type Keyset,
  type ListRequest,
  type RowPage,
} from '../pagination.ts';
import type { DatabaseReader } from '../ports.ts';
import type { Schema } from '../schema.ts';
import type { MonitorsTable } from './monitoring-tables.ts';

export interface MonitorQuery extends Omit<ListRequest, 'sort'> {
  /** Absent: newest first. */
  readonly sort?: ListRequest['sort'] | 'urgency';
  /** Only monitors that carry this tag. */
  readonly tag?: string | undefined;
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
export function getMonitorPage(
  reader: DatabaseReader,
  { sort, ...query }: MonitorQuery,
): Promise<RowPage<MonitorsTable>> {
  const rows = selectMonitors(reader, query);
  if (sort !== 'urgency') return getListPage(reader, rows, MONITOR_LIST_COLUMNS, { ...query, sort });
  const { search } = query;
  const found =
    search === undefined ? rows : rows.where(containsText(['monitors.id', 'monitors.name'], search));
  const ranked = found
    .innerJoin('monitor_clocks as clock', 'clock.uid', 'monitors.uid')
    .select(URGENCY.as('urgency'));
  return getKeysetPage(ranked, BY_URGENCY, query);
}

const MONITOR_LIST_COLUMNS = {
  columns: { id: 'monitors.id', name: 'monitors.name', at: 'monitors.created_at' },
  valuesOf: ({ id, name, created_at: at }: MonitorsTable) => ({ id, name, at }),
};

/** No instant in milliseconds has more digits: states stand above it in one number, which is what a cursor holds. */
const URGENCY_CLASS_STEP = 100_000_000_000_000;

/** Failing first, the longest at the top; then those that wait, then by the nearest deadline; paused last. */
const URGENCY = sql<number>`(case clock.status when 'failing' then 0 when 'waiting' then 1 when 'healthy' then 2 else 3 end)
  * ${sql.lit(URGENCY_CLASS_STEP)}
  + coalesce(case clock.status when 'failing' then clock.failing_since else clock.due_at end, ${sql.lit(URGENCY_CLASS_STEP - 1)})`;

const BY_URGENCY: Keyset<{ readonly urgency: number; readonly uid: string }> = {
  key: URGENCY,
  id: sql.ref('monitors.uid'),
  type: 'number',
  direction: 'asc',
  positionOf: ({ urgency, uid }) => [Number(urgency), uid],
};

type ListedMonitors = SelectQueryBuilder<Schema, 'monitors', MonitorsTable>;

function selectMonitors(reader: DatabaseReader, query: Omit<MonitorQuery, 'sort'>): ListedMonitors {
  let rows: ListedMonitors = reader
    .selectFrom('monitors')
    .selectAll('monitors')
    .where('monitors.org_id', '=', query.orgId)
    .where('monitors.disabled_at', 'is', null);
  const { tag, channel, status, source, ids } = query;
  if (tag !== undefined) rows = rows.where(containsJsonText('tags_json', tag));
  if (channel !== undefined) rows = rows.where(containsJsonText('channels_json', channel));
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
  return rows;
}

/** A text in a stored list of texts. */
function containsJsonText(column: 'tags_json' | 'channels_json', text: string) {
  const part = `%${escapeLikePattern(JSON.stringify(text))}%`;
  return sql<boolean>`${sql.ref(`monitors.${column}`)} like ${part} escape '!'`;
}
