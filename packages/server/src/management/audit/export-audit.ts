import { type AuditEntry, auditExport } from '@floe/contract/api/audit';
import { type AuditFilters, auditPage } from '../../store/audit.ts';
import type { PageRequest } from '../../store/pages.ts';
import type { Reader } from '../../store/ports.ts';
import { csvLine, Download, download } from '../download.ts';
import { range } from '../time-range.ts';
import { readVerb } from '../verb.ts';
import { entryOf } from './audit-entry.ts';

const CSV = 'text/csv; charset=utf-8';
const NDJSON = 'application/x-ndjson';
const ROWS_PER_READ = 500;
const COLUMNS = [
  'id',
  'at',
  'actor',
  'actor_name',
  'actor_kind',
  'action',
  'subject',
  'address',
  'session_id',
  'reason',
  'seq',
  'hash',
] as const satisfies readonly (keyof AuditEntry)[];

export const exportAudit = readVerb({
  name: 'audit.export',
  method: 'GET',
  path: '/api/management/audit/export',
  scope: 'management',
  summary: 'Download changes as NDJSON or CSV, newest first',
  query: auditExport,
  answer: download(NDJSON, CSV),
  async run({ orgId, reader }, { query }) {
    const { format, ...filters } = query;
    const asked = { orgId, limit: ROWS_PER_READ, ...filters, ...range(query) };
    return format === 'csv'
      ? new Download(CSV, 'audit.csv', csvOf(reader, asked))
      : new Download(NDJSON, 'audit.ndjson', ndjsonOf(reader, asked));
  },
});

type Asked = PageRequest & AuditFilters;

async function* csvOf(reader: Reader, asked: Asked): AsyncGenerator<string> {
  yield csvLine([...COLUMNS, 'before', 'after']);
  for await (const entries of pagesOf(reader, asked))
    yield entries
      .map((entry) =>
        csvLine([...COLUMNS.map((name) => entry[name]), textOf(entry.before), textOf(entry.after)]),
      )
      .join('');
}

async function* ndjsonOf(reader: Reader, asked: Asked): AsyncGenerator<string> {
  for await (const entries of pagesOf(reader, asked))
    yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

async function* pagesOf(reader: Reader, asked: Asked): AsyncGenerator<AuditEntry[]> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof auditPage>> = await auditPage(
      reader,
      cursor === null ? asked : { ...asked, cursor },
    );
    if (page.rows.length > 0) yield page.rows.map(entryOf);
    cursor = page.nextCursor;
  } while (cursor !== null);
}

function textOf(view: AuditEntry['before']): string | null {
  return view === null ? null : JSON.stringify(view);
}
