import { type SelectQueryBuilder, sql } from 'kysely';
import { type Keyset, keysetPage, type ListRequest, likeText, matches, type Page, pageOf } from '../pages.ts';
import type { Reader } from '../ports.ts';
import type { Schema } from '../schema.ts';
import type { MonitorsTable } from './tables.ts';

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
export function monitorPage(reader: Reader, { sort, ...query }: MonitorQuery): Promise<Page<MonitorsTable>> {
  const rows = filtered(reader, query);
  if (sort !== 'urgency') return pageOf(reader, rows, LISTING, { ...query, sort });
  const { search } = query;
  const found = search === undefined ? rows : rows.where(matches(['monitors.id', 'monitors.name'], search));
  const ranked = found
    .innerJoin('monitor_clocks as clock', 'clock.uid', 'monitors.uid')
    .select(URGENCY.as('urgency'));
  return keysetPage(ranked, MOST_URGENT, query);
}

const LISTING = {
  columns: { id: 'monitors.id', name: 'monitors.name', at: 'monitors.created_at' },
  place: ({ id, name, created_at: at }: MonitorsTable) => ({ id, name, at }),
};

/** No instant in milliseconds has more digits: states stand above it in one number, which is what a cursor holds. */
const STATE_STEP = 100_000_000_000_000;

/** Failing first, the longest at the top; then those that wait, then by the nearest deadline; paused last. */
const URGENCY = sql<number>`(case clock.status when 'failing' then 0 when 'waiting' then 1 when 'healthy' then 2 else 3 end)
  * ${sql.lit(STATE_STEP)}
  + coalesce(case clock.status when 'failing' then clock.failing_since else clock.due_at end, ${sql.lit(STATE_STEP - 1)})`;

const MOST_URGENT: Keyset<{ readonly urgency: number; readonly uid: string }> = {
  key: URGENCY,
  id: sql.ref('monitors.uid'),
  type: 'number',
  direction: 'asc',
  place: ({ urgency, uid }) => [Number(urgency), uid],
};

type Listed = SelectQueryBuilder<Schema, 'monitors', MonitorsTable>;

function filtered(reader: Reader, query: Omit<MonitorQuery, 'sort'>): Listed {
  let rows: Listed = reader
    .selectFrom('monitors')
    .selectAll('monitors')
    .where('monitors.org_id', '=', query.orgId)
    .where('monitors.disabled_at', 'is', null);
  const { tag, channel, status, source, ids } = query;
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
  return rows;
}

/** A text in a stored list of texts. */
function holds(column: 'tags_json' | 'channels_json', text: string) {
  const part = `%${likeText(JSON.stringify(text))}%`;
  return sql<boolean>`${sql.ref(`monitors.${column}`)} like ${part} escape '!'`;
}
