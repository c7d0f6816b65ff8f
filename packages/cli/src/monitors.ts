import { parseArgs } from 'node:util';
import { ApiRequestError, getApiJson, readProperty, readTextProperty } from './api-request.ts';
import type { CliCommand } from './command.ts';
import { type ApiConnection, CONNECTION_HELP, readApiConnection, UsageError } from './connection.ts';

const PAGE_SIZE = 500;
/** A server that always names a next page must not hold the command for ever. */
const MAX_PAGES = 1000;

export const monitorsCommand: CliCommand = {
  words: ['monitors'],
  usage: 'monitors [--json]',
  summary: 'Lists the monitors and how they are.',
  help: `Options:
  --status <state>  only these: waiting, healthy, failing or paused
  --tag <tag>       only those with this tag
  --limit <number>  at most so many
  --json            every field, as a JSON array
${CONNECTION_HELP}`,
  run: printMonitors,
};

async function printMonitors(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean' },
      limit: { type: 'string' },
      status: { type: 'string' },
      tag: { type: 'string' },
    },
  });
  const limit = parseLimit(values.limit);
  const monitors = (await fetchAllMonitors(readApiConnection()))
    .filter(
      (monitor) =>
        (values.status === undefined || readTextProperty(monitor, 'status') === values.status) &&
        (values.tag === undefined || getTags(monitor).includes(values.tag)),
    )
    .slice(0, limit);
  if (values.json) process.stdout.write(`${JSON.stringify(monitors, null, 2)}\n`);
  else if (monitors.length === 0) process.stdout.write('No monitors.\n');
  else process.stdout.write(formatMonitorTable(monitors));
  return 0;
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new UsageError(`--limit: must be a positive integer, got "${text}". Example: --limit 20`);
}

async function fetchAllMonitors(from: ApiConnection): Promise<unknown[]> {
  const monitors: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const after = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await getApiJson(from, `/api/monitoring/monitors?limit=${PAGE_SIZE}${after}`);
    const data = readProperty(answer, 'data');
    if (!Array.isArray(data))
      throw new ApiRequestError(`${from.baseUrl} did not answer with a list of monitors.`);
    monitors.push(...data);
    cursor = readTextProperty(answer, 'next_cursor');
    if (cursor === undefined) return monitors;
  }
  throw new ApiRequestError(`${from.baseUrl} did not come to an end after ${MAX_PAGES} pages.`);
}

const COLUMNS = [
  ['ID', 'id'],
  ['STATUS', 'status'],
  ['LAST BEAT', 'last_beat_at'],
  ['NEXT DUE', 'next_due_at'],
  ['NAME', 'name'],
] as const;

/** Aligned columns without borders, so that `grep` and `awk` can read them. */
function formatMonitorTable(monitors: readonly unknown[]): string {
  const rows = [
    COLUMNS.map(([title]): string => title),
    ...monitors.map((monitor) =>
      COLUMNS.map(([, name]) => formatMonitorField(readTextProperty(monitor, name))),
    ),
  ];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** One line of text; control characters in a name must not steer the terminal. */
function formatMonitorField(text: string | undefined): string {
  if (text === undefined || text === '') return '-';
  return text.replace(/\p{Cc}/gu, ' ');
}

function getTags(monitor: unknown): unknown[] {
  const tags = readProperty(monitor, 'tags');
  return Array.isArray(tags) ? tags : [];
}
