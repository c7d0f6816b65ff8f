import { type SelectQueryBuilder, sql } from 'kysely';
import {
  buildContainsTextCondition,
  escapeLikePattern,
  getKeysetPage,
  getResourceListPage,
  type ListRequest,
  type PageSortKey,
  type RowPage,
} from '../pagination.ts';
import type { DatabaseSchema } from '../schema.ts';
import type { DatabaseReader } from '../store-interfaces.ts';
import type { MonitorsTable } from './monitoring-tables.ts';

/** Selects a page of an organization's monitors. */
export interface MonitorQuery extends Omit<ListRequest, 'sort'> {
  /** The order of the page. If it is absent, the newest monitors come first. */
  readonly sort?: ListRequest['sort'] | 'urgency';
  /** Only monitors with this tag. */
  readonly tag?: string | undefined;
  /** Only monitors with this status, as it was last written. It is at most a second old. */
  readonly status?: string | undefined;
  /** Only monitors that name this channel. */
  readonly channel?: string | undefined;
  /** `file` or `console`. */
  readonly source?: string | undefined;
  /** Only monitors with these ids. */
  readonly ids?: readonly string[] | undefined;
}

/**
 * Returns a page of an organization's monitors in the requested order. Removed monitors are
 * omitted.
 */
export function getMonitorPage(
  reader: DatabaseReader,
  { sort, ...query }: MonitorQuery,
): Promise<RowPage<MonitorsTable>> {
  const rows = selectMonitors(reader, query);
  if (sort !== 'urgency') return getResourceListPage(reader, rows, MONITOR_LIST_COLUMNS, { ...query, sort });
  const { search } = query;
  const found =
    search === undefined
      ? rows
      : rows.where(buildContainsTextCondition(['monitors.id', 'monitors.name'], search));
  const ranked = found
    .innerJoin('monitor_clocks as state', 'state.uid', 'monitors.uid')
    .select(URGENCY.as('urgency'));
  return getKeysetPage(ranked, BY_URGENCY, query);
}

const MONITOR_LIST_COLUMNS = {
  columns: { id: 'monitors.id', name: 'monitors.name', at: 'monitors.created_at' },
  valuesOf: ({ id, name, created_at: at }: MonitorsTable) => ({ id, name, at }),
};

/**
 * Distance between the sort keys of two statuses. It is larger than any time in milliseconds, so that one
 * number can contain both a status and a time, as a cursor requires.
 */
const URGENCY_CLASS_STEP = 100_000_000_000_000;

/**
 * The sort key of a monitor: failing monitors with the longest failure first, then waiting ones, then healthy
 * ones by the nearest deadline, then paused ones.
 */
const URGENCY = sql<number>`(case state.status when 'failing' then 0 when 'waiting' then 1 when 'healthy' then 2 else 3 end)
  * ${sql.lit(URGENCY_CLASS_STEP)}
  + coalesce(case state.status when 'failing' then state.failing_since else state.due_at end, ${sql.lit(URGENCY_CLASS_STEP - 1)})`;

const BY_URGENCY: PageSortKey<{ readonly urgency: number; readonly uid: string }> = {
  key: URGENCY,
  id: sql.ref('monitors.uid'),
  type: 'number',
  direction: 'asc',
  positionOf: ({ urgency, uid }) => [Number(urgency), uid],
};

type ListedMonitors = SelectQueryBuilder<DatabaseSchema, 'monitors', MonitorsTable>;

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

/** Returns the condition that a JSON array of texts contains a text. */
function containsJsonText(column: 'tags_json' | 'channels_json', text: string) {
  const part = `%${escapeLikePattern(JSON.stringify(text))}%`;
  return sql<boolean>`${sql.ref(`monitors.${column}`)} like ${part} escape '!'`;
}
