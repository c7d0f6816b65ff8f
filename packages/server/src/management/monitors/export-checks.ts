import { type Check, checkExport } from '@floe/contract/api/monitors';
import { idParams } from '@floe/contract/api/page';
import { readChecks, readMonitor } from '../../monitoring/read.ts';
import type { CheckQuery } from '../../store/monitoring/history.ts';
import type { Reader } from '../../store/ports.ts';
import { csvLine, Download, download } from '../download.ts';
import { range } from '../time-range.ts';
import { readVerb, type Verb } from '../verb.ts';
import { checkAnswer } from './monitor-answer.ts';
import { MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';

const CSV = 'text/csv; charset=utf-8';
const NDJSON = 'application/x-ndjson';
const ROWS_PER_READ = 500;
const COLUMNS = [
  'id',
  'status',
  'error',
  'expected_at',
  'detected_at',
  'received_at',
  'duration_ms',
  'stands_for',
] as const satisfies readonly (keyof Check)[];

export function exportChecks(host: MonitoringHost): Verb {
  return readVerb({
    name: 'monitors.export',
    method: 'GET',
    path: '/api/monitoring/monitors/{id}/checks/export',
    scope: MONITORING_SCOPES,
    summary: 'Download the checks of a monitor as CSV or NDJSON, newest first',
    params: idParams,
    query: checkExport,
    answer: download(CSV, NDJSON),
    async run({ orgId, reader }, { params, query }) {
      const { row } = await readMonitor(reader, orgId, params.id, host.engine.sight());
      const asked = { ...range(query), uid: row.uid, limit: ROWS_PER_READ, status: query.status };
      const name = `${row.id}-checks.${query.format}`;
      return query.format === 'csv'
        ? new Download(CSV, name, csvOf(reader, asked))
        : new Download(NDJSON, name, ndjsonOf(reader, asked));
    },
  });
}

async function* csvOf(reader: Reader, query: CheckQuery): AsyncGenerator<string> {
  yield csvLine([...COLUMNS, 'metadata']);
  for await (const checks of pagesOf(reader, query))
    yield checks.map((check) => csvLine([...COLUMNS.map((name) => check[name]), metadataOf(check)])).join('');
}

async function* ndjsonOf(reader: Reader, query: CheckQuery): AsyncGenerator<string> {
  for await (const checks of pagesOf(reader, query))
    yield checks.map((check) => `${JSON.stringify(check)}\n`).join('');
}

async function* pagesOf(reader: Reader, query: CheckQuery): AsyncGenerator<Check[]> {
  let cursor: string | null = null;
  do {
    const page = await readChecks(reader, cursor === null ? query : { ...query, cursor });
    if (page.rows.length > 0) yield page.rows.map(checkAnswer);
    cursor = page.nextCursor;
  } while (cursor !== null);
}

function metadataOf({ metadata }: Check): string | null {
  return metadata === null ? null : JSON.stringify(metadata);
}
