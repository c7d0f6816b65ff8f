import { type RequestRow, requestExport } from '@floe/contract/api/analytics';
import { type ExchangeQuery, exchangePage } from '../../store/exchanges.ts';
import type { Reader } from '../../store/ports.ts';
import type { Coverage } from '../analytics/analytics-host.ts';
import { localMoment, momentIn } from '../analytics/zone-moments.ts';
import { csvLine, Download, download } from '../download.ts';
import { readVerb, type Verb } from '../verb.ts';
import { filtersOf } from './request-filters.ts';
import { requestOf } from './request-row.ts';

const CSV = 'text/csv; charset=utf-8';
const NDJSON = 'application/x-ndjson';
const ROWS_PER_READ = 500;

type Cell = (row: RequestRow, timezone: string) => string | number | null;

/** Columns of the CSV, in their order; what JSON nests stands beside each other here. */
const COLUMNS: Readonly<Record<string, Cell>> = {
  id: (row) => row.id,
  created_at: (row) => row.created_at,
  created_at_local: (row, timezone) => localMoment(timezone, Date.parse(row.created_at)),
  surface: (row) => row.surface,
  route_mode: (row) => row.route_mode,
  key_id: (row) => row.key_id,
  key_name: (row) => row.key_name,
  team: (row) => row.team,
  owner: (row) => row.owner,
  end_user: (row) => row.end_user,
  client: (row) => row.client,
  session: (row) => row.session,
  model_requested: (row) => row.model_requested,
  provider: (row) => row.provider,
  model: (row) => row.model,
  stream: (row) => String(row.stream),
  status: (row) => row.status,
  state: (row) => row.state,
  outcome: (row) => row.outcome,
  error_code: (row) => row.error_code,
  error_source: (row) => row.error_source,
  finish_reason: (row) => row.finish_reason,
  attempts: (row) => row.attempt_count,
  input_tokens: (row) => row.usage.input_tokens,
  cached_tokens: (row) => row.usage.cached_tokens,
  cache_write_tokens: (row) => row.usage.cache_write_tokens,
  output_tokens: (row) => row.usage.output_tokens,
  reasoning_tokens: (row) => row.usage.reasoning_tokens,
  billed_units: (row) => JSON.stringify(row.usage.billed_units),
  service_tier: (row) => row.usage.service_tier,
  usage_source: (row) => row.usage.source,
  cost_nano_usd: (row) => row.cost_nano_usd,
  cost_usd: (row) => row.cost_usd,
  cost_source: (row) => row.cost_source,
  saved_nano_usd: (row) => row.saved_nano_usd,
  prompt_saved_nano_usd: (row) => row.prompt_saved_nano_usd,
  cache: (row) => row.cache,
  latency_ms: (row) => row.latency_ms,
  first_token_ms: (row) => row.first_token_ms,
  overhead_ms: (row) => row.overhead_ms,
  request_bytes: (row) => row.request_bytes,
  response_bytes: (row) => row.response_bytes,
  metadata: (row) => JSON.stringify(row.metadata),
  dropped: (row) => row.dropped.join(' '),
};

export function exportRequests(coverage: Coverage): Verb {
  return readVerb({
    name: 'requests.export',
    method: 'GET',
    path: '/api/analytics/export',
    scope: 'management',
    summary: 'Download every request that passes the filters of the list as CSV or NDJSON, newest first',
    query: requestExport,
    answer: download(CSV, NDJSON),
    async run({ orgId, reader, clock }, { query }) {
      // What comes while the file is written is not part of it.
      const timezone = query.timezone ?? coverage.zoneOf(orgId);
      const from = query.from === undefined ? undefined : momentIn(timezone, query.from);
      const to = query.to === undefined ? clock.now() + 1 : momentIn(timezone, query.to);
      const asked = { orgId, limit: ROWS_PER_READ, from, to, ...filtersOf(query) };
      const name = `requests-${new Date(clock.now()).toISOString().slice(0, 10)}.${query.format}`;
      return query.format === 'csv'
        ? new Download(CSV, name, csvOf(reader, asked, timezone))
        : new Download(NDJSON, name, ndjsonOf(reader, asked));
    },
  });
}

async function* csvOf(reader: Reader, query: ExchangeQuery, timezone: string): AsyncGenerator<string> {
  yield csvLine(Object.keys(COLUMNS));
  const cells = Object.values(COLUMNS);
  for await (const rows of pagesOf(reader, query))
    yield rows.map((row) => csvLine(cells.map((cell) => cell(row, timezone)))).join('');
}

async function* ndjsonOf(reader: Reader, query: ExchangeQuery): AsyncGenerator<string> {
  for await (const rows of pagesOf(reader, query))
    yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

async function* pagesOf(reader: Reader, query: ExchangeQuery): AsyncGenerator<RequestRow[]> {
  let cursor: string | null = null;
  do {
    const page = await exchangePage(reader, cursor === null ? query : { ...query, cursor });
    if (page.rows.length > 0) yield page.rows.map(requestOf);
    cursor = page.nextCursor;
  } while (cursor !== null);
}
