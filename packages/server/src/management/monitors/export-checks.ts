import { type CheckResource, checkExportQuery } from '@floe/contract/api/monitor-history';
import { idParams } from '@floe/contract/api/page';
import { readMonitorCheckPage, requireMonitorView } from '../../monitoring/read-monitors.ts';
import type { MonitorCheckQuery } from '../../store/monitoring/monitor-history.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import {
  CSV_CONTENT_TYPE,
  createFileDownloadSchema,
  FileDownload,
  formatCsvLine,
  NDJSON_CONTENT_TYPE,
  readPages,
} from '../file-download.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { parseTimeRange } from '../time-range.ts';
import { toCheckResource } from './monitor-resource.ts';
import { MONITORING_SCOPES, type MonitoringDependencies } from './monitoring-dependencies.ts';

const ROWS_PER_READ = 500;
const CSV_COLUMNS = [
  'id',
  'status',
  'error',
  'expected_at',
  'detected_at',
  'received_at',
  'duration_ms',
  'missed_count',
] as const satisfies readonly (keyof CheckResource)[];

/**
 * Defines the operation that exports a monitor's checks as a file (`GET
 * /api/monitoring/monitors/{id}/checks/export`).
 */
export function defineExportChecksOperation(dependencies: MonitoringDependencies): Operation {
  return defineReadOperation({
    name: 'monitors.export',
    method: 'GET',
    path: '/api/monitoring/monitors/{id}/checks/export',
    scope: MONITORING_SCOPES,
    summary: 'Download the checks of a monitor as CSV or NDJSON, newest first',
    params: idParams,
    query: checkExportQuery,
    answer: createFileDownloadSchema(CSV_CONTENT_TYPE, NDJSON_CONTENT_TYPE),
    async run({ orgId, reader }, { params, query }) {
      const { row } = await requireMonitorView(
        reader,
        orgId,
        params.id,
        dependencies.engine.evaluationContext(),
      );
      const asked = { ...parseTimeRange(query), uid: row.uid, limit: ROWS_PER_READ, status: query.status };
      const name = `${row.id}-checks.${query.format}`;
      return query.format === 'csv'
        ? new FileDownload(CSV_CONTENT_TYPE, name, generateCsv(reader, asked))
        : new FileDownload(NDJSON_CONTENT_TYPE, name, generateNdjson(reader, asked));
    },
  });
}

async function* generateCsv(reader: DatabaseReader, query: MonitorCheckQuery): AsyncGenerator<string> {
  yield formatCsvLine([...CSV_COLUMNS, 'metadata']);
  for await (const checks of readChecks(reader, query))
    yield checks
      .map((check) => formatCsvLine([...CSV_COLUMNS.map((name) => check[name]), metadataJson(check)]))
      .join('');
}

async function* generateNdjson(reader: DatabaseReader, query: MonitorCheckQuery): AsyncGenerator<string> {
  for await (const checks of readChecks(reader, query))
    yield checks.map((check) => `${JSON.stringify(check)}\n`).join('');
}

async function* readChecks(
  reader: DatabaseReader,
  query: MonitorCheckQuery,
): AsyncGenerator<CheckResource[]> {
  const getPage = (cursor?: string) =>
    readMonitorCheckPage(reader, cursor === undefined ? query : { ...query, cursor });
  for await (const rows of readPages(getPage)) yield rows.map(toCheckResource);
}

function metadataJson({ metadata }: CheckResource): string | null {
  return metadata === null ? null : JSON.stringify(metadata);
}
