import { type RequestRow, requestExportQuery } from '@floe/contract/api/analytics';
import { type ExchangeQuery, getExchangePage } from '../../store/exchanges.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import type { AnalyticsDataRange } from '../analytics/analytics-data-range.ts';
import { formatLocalTimestamp, parseLocalTimestamp } from '../analytics/local-timestamps.ts';
import {
  CSV_CONTENT_TYPE,
  createFileDownloadSchema,
  FileDownload,
  formatCsvLine,
  NDJSON_CONTENT_TYPE,
  readPages,
} from '../file-download.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { parseRequestFilters } from './request-filters.ts';
import { toRequestResource } from './request-resource.ts';

const ROWS_PER_READ = 500;

type CsvCell = (row: RequestRow, timezone: string) => string | number | null;

/** Columns of the CSV file, in order. Nested JSON fields become separate columns. */
const CSV_COLUMNS: Readonly<Record<string, CsvCell>> = {
  id: (row) => row.id,
  created_at: (row) => row.created_at,
  created_at_local: (row, timezone) => formatLocalTimestamp(timezone, Date.parse(row.created_at)),
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

/**
 * Defines the operation that exports the requests that match the filters as a file (`GET
 * /api/analytics/export`).
 */
export function defineExportRequestsOperation(coverage: AnalyticsDataRange): Operation {
  return defineReadOperation({
    name: 'requests.export',
    method: 'GET',
    path: '/api/analytics/export',
    scope: 'management',
    summary: 'Download all requests that match the filters as CSV or NDJSON, newest first',
    query: requestExportQuery,
    answer: createFileDownloadSchema(CSV_CONTENT_TYPE, NDJSON_CONTENT_TYPE),
    async run({ orgId, reader, clock }, { query }) {
      // Exclude requests that are recorded while the file is written.
      const timezone = query.timezone ?? coverage.timezoneOf(orgId);
      const from = query.from === undefined ? undefined : parseLocalTimestamp(timezone, query.from);
      const to = query.to === undefined ? clock.now() + 1 : parseLocalTimestamp(timezone, query.to);
      const asked = { orgId, limit: ROWS_PER_READ, from, to, ...parseRequestFilters(query) };
      const name = `requests-${new Date(clock.now()).toISOString().slice(0, 10)}.${query.format}`;
      return query.format === 'csv'
        ? new FileDownload(CSV_CONTENT_TYPE, name, generateCsv(reader, asked, timezone))
        : new FileDownload(NDJSON_CONTENT_TYPE, name, generateNdjson(reader, asked));
    },
  });
}

async function* generateCsv(
  reader: DatabaseReader,
  query: ExchangeQuery,
  timezone: string,
): AsyncGenerator<string> {
  yield formatCsvLine(Object.keys(CSV_COLUMNS));
  const cells = Object.values(CSV_COLUMNS);
  for await (const rows of readRequests(reader, query))
    yield rows.map((row) => formatCsvLine(cells.map((cell) => cell(row, timezone)))).join('');
}

async function* generateNdjson(reader: DatabaseReader, query: ExchangeQuery): AsyncGenerator<string> {
  for await (const rows of readRequests(reader, query))
    yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

async function* readRequests(reader: DatabaseReader, query: ExchangeQuery): AsyncGenerator<RequestRow[]> {
  const getPage = (cursor?: string) =>
    getExchangePage(reader, cursor === undefined ? query : { ...query, cursor });
  for await (const rows of readPages(getPage)) yield rows.map(toRequestResource);
}
