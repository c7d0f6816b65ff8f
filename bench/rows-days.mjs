// Requests of many days with all their rollups, generated in SQL. One day is generated with skewed values, and its rollups
// are added up from its rows. All days are copies of it, so that each row of a rollup is the sum of rows that exist.

import { DayPartitions } from '../packages/server/src/store/postgres/day-partitions.ts';
import {
  PAIRED_DIMENSIONS,
  UNPAIRED_DIMENSIONS,
} from '../packages/server/src/store/rollups/rollup-accumulator.ts';
import {
  ROLLUP_FIGURE_COLUMNS,
  ROLLUP_SUM_COLUMNS,
} from '../packages/server/src/store/rollups/rollup-figures.ts';
import { EXCHANGE_COLUMNS } from '../packages/server/src/store/schema.ts';
import { skewed, spread, uniform } from './rows-sql.mjs';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Minutes that are older than this have been merged into quarter hours. */
const MINUTES_DAYS = 3;
const ORGS = 20;

/** Columns of a row of the day, as SQL on its number `n`; later ones may use earlier ones. */
const FIRST = {
  is_rare: '(n % 50000 = 7)',
  org_id: `case when n % 10 < 8 or n % 50000 = 7 then 'acme' else 'org-' || (1 + ${skewed(0, ORGS)}) end`,
  m: skewed(1, 20),
  k: skewed(2, 60),
  project: `case when n % 50000 = 7 then 'project-rare' else 'project-' || ${skewed(3, 40)} end`,
  r: uniform(4),
  b: `(4 + ${skewed(5, 10)})`,
  within: uniform(6),
  person: spread(7, 500),
  session_number: spread(8, 2000),
  tokens: uniform(9),
};
const SECOND = {
  key: `case when is_rare then 'rare' else cast(k as text) end`,
  status: `case when is_rare then 418 when r < 31000 then 200 when r < 31600 then 429 when r < 32100 then 500
    when r < 32300 then 503 when r < 32500 then 400 else 200 end`,
  state: `case when is_rare then 'aborted' when r < 30000 then 'complete' when r < 31000 then 'cached'
    when r < 31300 then 'blocked' when r < 32500 then 'failed' when r < 32600 then 'partial' else 'complete' end`,
};
const THIRD = {
  called: `(state not in ('cached', 'blocked'))`,
  provider: `case when is_rare then 'provider-rare' when state = 'blocked' then null else 'provider-' || (m % 6) end`,
  model: `case when is_rare then 'model-rare' when state = 'blocked' then null else 'model-' || m end`,
  model_requested: `case when is_rare then 'model-rare' when k % 4 = 0 then 'route-' || (m % 3)
    else 'provider-' || (m % 6) || '/model-' || m end`,
  latency_ms: `(5.0 * (1 << (case when state in ('cached', 'blocked') then 0 else cast(b as integer) end)) * (0.51 + within / 70000.0))`,
  stream: '(n % 2)',
};

/** Values of the columns of `exchanges`, as SQL on a row of the day. `{at}` is its time. */
const COLUMNS = {
  surface: `case n % 5 when 0 then 'messages' when 1 then 'responses' else 'chat' end`,
  route_mode: `case when is_rare then 'ide' when n % 5 = 0 then 'passthrough-b' else 'unified' end`,
  key_id: `'key_' || key`,
  key_name: `'name ' || key`,
  team: `'team-' || (k % 7)`,
  owner: `case when k % 2 = 0 then 'person-' || k || '@example.com' end`,
  end_user: `case when k % 3 > 0 then 'user-' || person || '@example.com' end`,
  error_code: `case when state = 'blocked' then 'rate_limit_exceeded' when status >= 400 then 'upstream_error' end`,
  error_source: `case when state = 'blocked' then 'floe' when status >= 400 then 'upstream' end`,
  finish_reason: `case when status < 400 then 'stop' end`,
  input_tokens: 'case when called then 500 + tokens / 8 end',
  cached_tokens: 'case when called then 200 end',
  output_tokens: 'case when called then tokens / 40 end',
  usage_source: `case when called then 'provider' else 'none' end`,
  cost_nano_usd: 'case when called then tokens * 1200 end',
  cost_source: `case when called then 'catalog' end`,
  saved_nano_usd: `case when state = 'cached' then tokens * 1200 end`,
  cache: `case when state = 'cached' then 'hit' end`,
  first_token_ms: `case when called and stream = 1 then latency_ms / 4 end`,
  overhead_ms: '0.31',
  request_bytes: '1600',
  response_bytes: '4000',
  client: `case k % 4 when 0 then 'claude-code' when 1 then 'codex' when 2 then 'cursor' end`,
  session: `case when k % 4 < 2 then 'ses-' || session_number end`,
  metadata_json: `'{"project":"' || project || '","build":"' || (n % 997) || '"}'`,
  attempts_json: `case when not called then '[]' else '[{"n":1,"provider":"' || provider || '","model":"' || model
    || '","credential":"default","started_at":"2026-11-21T12:00:00.001Z","status":' || status
    || ',"error":null,"first_token_ms":12,"duration_ms":' || cast(latency_ms as integer) || '}]' end`,
  decisions_json: `'[{"step":"route","outcome":"' || model_requested || '","reason":"The id names it."}]'`,
};

/** What the rollups count by. */
const OUTCOME = `case when state = 'complete' then 'succeeded' when state in ('cached', 'blocked', 'partial', 'aborted') then state
  when status between 400 and 499 and status <> 429 then 'client_error' else 'upstream_error' end`;
const FACETS = {
  all: `''`,
  provider: `coalesce(provider, '')`,
  model: `case when provider is null then model_requested else provider || '/' || model end`,
  key: 'key_id',
  status_class: `(status / 100) || 'xx'`,
  surface: 'surface',
  outcome: OUTCOME,
  ...Object.fromEntries(UNPAIRED_DIMENSIONS.map((name) => [name, `coalesce(${name}, '')`])),
  'metadata.project': 'project',
};
const IN_MINUTES = ['all', ...PAIRED_DIMENSIONS, 'metadata.project'];

/** Loads `rows` requests of the last `days` days before `endMs`, with all rollups. Returns the number of rows. */
export async function loadDays(sql, { rows, days, endMs, report }) {
  const perDay = Math.floor(rows / days);
  await createDay(sql, perDay);
  const starts = Array.from({ length: days }, (_, day) => endMs - (days - day) * DAY_MS);
  if (sql.engine === 'postgres') {
    const ends = starts.flatMap((start) => [start, start + DAY_MS - 1]);
    await new DayPartitions().ensure(sql.client, ends);
  }
  for (const [day, start] of starts.entries()) {
    await copyDay(sql, day, start, perDay);
    if (day % 10 === 9) report(`${(day + 1) * perDay} requests`);
  }
  for (const unit of Object.values(UNITS(days))) await loadRollup(sql, unit, starts);
  report('rollups');
  for (const table of ['bench_day', 'bench_rollup']) await sql.query(`drop table ${table}`);
  return perDay * days;
}

async function createDay(sql, perDay) {
  const named = (columns) =>
    Object.entries(columns)
      .map(([name, value]) => `${value} as ${name}`)
      .join(', ');
  const temporary = sql.engine === 'postgres' ? 'unlogged' : '';
  await sql.query(`create ${temporary} table bench_day as
    select *, ${named(COLUMNS)} from (select *, ${named(THIRD)} from (select *, ${named(SECOND)} from (
    select n, n * ${DAY_MS} / ${perDay} as ms, ${named(FIRST)} from ${sql.series(perDay)}) as a) as b) as c`);
}

async function copyDay(sql, day, start, perDay) {
  const at = `(ms + ${start})`;
  const id = `'exc_' || ${sql.hex(at)} || ${sql.pad(`n + ${day * perDay}`)}`;
  const own = { id, created_at: at };
  const known = new Set([
    'org_id',
    'model',
    'provider',
    'model_requested',
    'status',
    'state',
    'stream',
    'latency_ms',
  ]);
  const value = (name) => own[name] ?? (known.has(name) || COLUMNS[name] ? name : 'null');
  await sql.query(`insert into exchanges (${EXCHANGE_COLUMNS.join(', ')})
    select ${EXCHANGE_COLUMNS.map(value).join(', ')} from bench_day order by n`);
  await sql.query(`insert into exchange_metadata (org_id, name, value, created_at, exchange_id)
    select org_id, 'project', project, ${at}, ${id} from bench_day where org_id = 'acme'`);
}

const UNITS = (days) => ({
  minutes: {
    table: 'rollup_minutes',
    facets: IN_MINUTES,
    stepMs: MINUTE_MS,
    fromDay: days - MINUTES_DAYS,
    toDay: days,
  },
  quarters: {
    table: 'rollup_minutes',
    facets: IN_MINUTES,
    stepMs: 15 * MINUTE_MS,
    fromDay: 0,
    toDay: days - MINUTES_DAYS,
  },
  hours: { table: 'rollup_hours', facets: Object.keys(FACETS), stepMs: HOUR_MS, fromDay: 0, toDay: days },
  pairs: { table: 'rollup_pairs', facets: PAIRS, stepMs: HOUR_MS, fromDay: 0, toDay: days },
});
const PAIRS = PAIRED_DIMENSIONS.flatMap((one, at) =>
  PAIRED_DIMENSIONS.slice(at + 1).map((other) => `${one}+${other}`),
);

/** Adds up the day for each facet, and copies the sums to each day. */
async function loadRollup(sql, { table, facets, stepMs, fromDay, toDay }, starts) {
  const isPair = table === 'rollup_pairs';
  const figures = isPair ? ROLLUP_SUM_COLUMNS : ROLLUP_FIGURE_COLUMNS;
  await sql.query('drop table if exists bench_rollup');
  for (const [at, facet] of facets.entries()) {
    const [value, byValue = `''`] = isPair ? facet.split('+').map((name) => FACETS[name]) : [FACETS[facet]];
    const select = `select org_id, '${facet}' as facet, ms - ms % ${stepMs} as ms, ${value} as value, ${byValue} as by_value,
      ${figures.map((name) => `${sumOf(name)} as ${name}`).join(', ')}
      from bench_day ${facet === 'metadata.project' ? `where org_id = 'acme'` : ''} group by 1, 3, 4, 5`;
    await sql.query(
      at === 0 ? `create table bench_rollup as ${select}` : `insert into bench_rollup ${select}`,
    );
  }
  if (isPair) return copyPairs(sql, starts, figures);
  for (const start of starts.slice(fromDay, toDay))
    await sql.query(`insert into ${table} (org_id, facet, value, at, ${figures.join(', ')})
      select org_id, facet, value, ms + ${start}, ${figures.join(', ')} from bench_rollup order by 1, 2, 4, 3`);
}

const BY_SECOND = 'rollup_pairs_by_second on rollup_pairs (org_id, facet, by_value, value, at)';

/** Copies the pairs of all days in the order of the key, which ends with the time: in the order of time, each row is a random write. */
export async function copyPairs(sql, starts, figures) {
  await sql.query('drop index rollup_pairs_by_second');
  await sql.query(`insert into rollup_pairs (org_id, facet, value, by_value, at, ${figures.join(', ')})
    select org_id, facet, value, by_value, ms + ${starts[0]} + days.n * ${DAY_MS}, ${figures.join(', ')}
    from bench_rollup cross join (select n from ${sql.series(starts.length)}) as days order by 1, 2, 3, 4, 5`);
  await sql.query(`create index ${BY_SECOND}`);
}

function sumOf(name) {
  const [, kind, bucket] = /^(latency|first_token)_(\d+)$/.exec(name) ?? [];
  if (kind) {
    const value = kind === 'latency' ? 'latency_ms' : 'first_token_ms';
    const [low, high] = [
      bucket === '0' ? -1 : 5 * 2 ** (bucket - 1),
      bucket === '17' ? 1e15 : 5 * 2 ** bucket,
    ];
    return `cast(sum(case when called and ${value} > ${low} and ${value} <= ${high} then 1 else 0 end) as integer)`;
  }
  if (name === 'requests') return 'count(*)';
  if (name === 'errors')
    return `sum(case when called and ${OUTCOME} in ('client_error', 'upstream_error', 'partial') then 1 else 0 end)`;
  if (name === 'latency_ms') return 'sum(case when called then latency_ms else 0 end)';
  return COLUMNS[name] ? `coalesce(sum(${name}), 0)` : '0';
}
