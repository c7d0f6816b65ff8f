import { parseArgs } from 'node:util';
import { ApiError, apiGet, member, textMember } from './api-get.ts';
import type { Command } from './command.ts';
import { CONNECTION_HELP, type Connection, connection, UsageError } from './connection.ts';

const PAGE = 500;
/** A server that always names a next page must not hold the command for ever. */
const MOST_PAGES = 1000;

export const monitors: Command = {
  words: ['monitors'],
  usage: 'monitors [--json]',
  does: 'Lists the monitors and how they are.',
  help: `Options:
  --status <state>  only these: waiting, healthy, failing or paused
  --tag <tag>       only those with this tag
  --limit <number>  at most so many
  --json            every field, as a JSON array
${CONNECTION_HELP}`,
  run: list,
};

async function list(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean' },
      limit: { type: 'string' },
      status: { type: 'string' },
      tag: { type: 'string' },
    },
  });
  const limit = limitOf(values.limit);
  const found = (await allMonitors(connection()))
    .filter(
      (monitor) =>
        (values.status === undefined || textMember(monitor, 'status') === values.status) &&
        (values.tag === undefined || tagsOf(monitor).includes(values.tag)),
    )
    .slice(0, limit);
  if (values.json) process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  else if (found.length === 0) process.stdout.write('No monitors.\n');
  else process.stdout.write(table(found));
  return 0;
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new UsageError(`--limit: must be a positive integer, got "${text}". Example: --limit 20`);
}

async function allMonitors(from: Connection): Promise<unknown[]> {
  const found: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const after = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await apiGet(from, `/api/monitoring/monitors?limit=${PAGE}${after}`);
    const data = member(answer, 'data');
    if (!Array.isArray(data)) throw new ApiError(`${from.baseUrl} did not answer with a list of monitors.`);
    found.push(...data);
    cursor = textMember(answer, 'next_cursor');
    if (cursor === undefined) return found;
  }
  throw new ApiError(`${from.baseUrl} did not come to an end after ${MOST_PAGES} pages.`);
}

const COLUMNS = [
  ['ID', 'id'],
  ['STATUS', 'status'],
  ['LAST BEAT', 'last_beat_at'],
  ['NEXT DUE', 'next_due_at'],
  ['NAME', 'name'],
] as const;

/** Aligned columns without borders, so that `grep` and `awk` can read them. */
function table(found: readonly unknown[]): string {
  const rows = [
    COLUMNS.map(([title]): string => title),
    ...found.map((monitor) => COLUMNS.map(([, name]) => shown(textMember(monitor, name)))),
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
function shown(text: string | undefined): string {
  if (text === undefined || text === '') return '-';
  return text.replace(/\p{Cc}/gu, ' ');
}

function tagsOf(monitor: unknown): unknown[] {
  const tags = member(monitor, 'tags');
  return Array.isArray(tags) ? tags : [];
}
