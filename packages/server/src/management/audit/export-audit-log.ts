import { type AuditEntry, auditExportQuery } from '@floe/contract/api/audit';
import { type AuditEntryFilters, getAuditEntryPage } from '../../store/audit-entries.ts';
import type { PageRequest } from '../../store/pagination.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import {
  CSV_CONTENT_TYPE,
  createFileDownloadSchema,
  FileDownload,
  formatCsvLine,
  NDJSON_CONTENT_TYPE,
  readPages,
} from '../file-download.ts';
import { defineReadOperation } from '../operation.ts';
import { parseTimeRange } from '../time-range.ts';
import { toAuditEntryResource } from './audit-entry-resource.ts';

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
  for await (const entries of readAuditEntries(reader, pageQuery))
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
  for await (const entries of readAuditEntries(reader, pageQuery))
    yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

async function* readAuditEntries(
  reader: DatabaseReader,
  pageQuery: AuditPageQuery,
): AsyncGenerator<AuditEntry[]> {
  const getPage = (cursor?: string) =>
    getAuditEntryPage(reader, cursor === undefined ? pageQuery : { ...pageQuery, cursor });
  for await (const rows of readPages(getPage)) yield rows.map(toAuditEntryResource);
}

function jsonOrNull(view: AuditEntry['before']): string | null {
  return view === null ? null : JSON.stringify(view);
}
