import { type AuditEntry, auditExportQuery } from '@floe/contract/api/audit';
import { type AuditEntryFilters, getAuditEntryPage } from '../../store/audit-entries.ts';
import type { PageRequest } from '../../store/pagination.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import {
  createFileDownloadSchema,
  FileDownload,
  formatCsvLine,
  NDJSON_CONTENT_TYPE,
} from '../file-download.ts';
import { defineReadOperation } from '../operation.ts';
import { parseTimeRange } from '../time-range.ts';
import { toAuditEntryResource } from './audit-entry-resource.ts';

const CSV_CONTENT_TYPE = 'text/csv; charset=utf-8';
const ROWS_PER_READ = 500;
const CSV_COLUMNS = [
  'id',
  'at',
  'actor',
  'actor_name',
  'actor_kind',
  'action',
  'subject',
  'ip_address',
  'session_id',
  'reason',
  'seq',
  'hash',
] as const satisfies readonly (keyof AuditEntry)[];

/** The operation that exports audit log entries as a file (`GET /api/management/audit/export`). */
export const exportAuditLogOperation = defineReadOperation({
  name: 'audit.export',
  method: 'GET',
  path: '/api/management/audit/export',
  scope: 'management',
  summary: 'Download audit log entries as NDJSON or CSV, newest first',
  query: auditExportQuery,
  answer: createFileDownloadSchema(NDJSON_CONTENT_TYPE, CSV_CONTENT_TYPE),
  async run({ orgId, reader }, { query }) {
    const { format, ...filters } = query;
    const pageQuery = { orgId, limit: ROWS_PER_READ, ...filters, ...parseTimeRange(query) };
    return format === 'csv'
      ? new FileDownload(CSV_CONTENT_TYPE, 'audit.csv', generateCsv(reader, pageQuery))
      : new FileDownload(NDJSON_CONTENT_TYPE, 'audit.ndjson', generateNdjson(reader, pageQuery));
  },
});

type AuditPageQuery = PageRequest & AuditEntryFilters;

async function* generateCsv(reader: DatabaseReader, pageQuery: AuditPageQuery): AsyncGenerator<string> {
  yield formatCsvLine([...CSV_COLUMNS, 'before', 'after']);
  for await (const entries of readPages(reader, pageQuery))
    yield entries
      .map((entry) =>
        formatCsvLine([
          ...CSV_COLUMNS.map((name) => entry[name]),
          jsonOrNull(entry.before),
          jsonOrNull(entry.after),
        ]),
      )
      .join('');
}

async function* generateNdjson(reader: DatabaseReader, pageQuery: AuditPageQuery): AsyncGenerator<string> {
  for await (const entries of readPages(reader, pageQuery))
    yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

async function* readPages(reader: DatabaseReader, pageQuery: AuditPageQuery): AsyncGenerator<AuditEntry[]> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof getAuditEntryPage>> = await getAuditEntryPage(
      reader,
      cursor === null ? pageQuery : { ...pageQuery, cursor },
    );
    // Also an empty page: the stream of a client that has disconnected ends only here.
    yield page.rows.map(toAuditEntryResource);
    cursor = page.nextCursor;
  } while (cursor !== null);
}

function jsonOrNull(view: AuditEntry['before']): string | null {
  return view === null ? null : JSON.stringify(view);
}
