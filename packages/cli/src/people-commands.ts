import { type FileHandle, open, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isRecord } from './api/api-operations.ts';
import {
  ApiRequestError,
  getApiJson,
  getErrorCauseMessage,
  readProperty,
  readTextProperty,
  toApiRequestError,
  tryParseJsonText,
} from './api-request.ts';
import type { CliCommand } from './command.ts';
import { type ApiConnection, CONNECTION_ENVIRONMENT_HELP, readApiConnection } from './connection.ts';
import { parseCliOptions } from './parse-options.ts';
import { type ApiRequest, sendApiRequest } from './send-api-request.ts';
import { UsageError } from './usage-error.ts';

const POLL_INTERVAL_MS = 500;
/** Only the user who runs the command may read the file. */
const EXPORT_FILE_MODE = 0o600;

const SELECTOR_OPTIONS = {
  email: { type: 'string' },
  'member-id': { type: 'string' },
  'end-user': { type: 'string' },
} as const;

const SELECTOR_HELP = `Options (specify exactly one of --email, --member-id and --end-user):
  --email <email>      a member, a former member or the owner of a key
  --member-id <id>     a member or a former member
  --end-user <id>      an end user, identified by the id that clients send in requests`;

/** The command `floe people export`, which downloads the data of one person. */
export const exportPersonalDataCommand: CliCommand = {
  words: ['people', 'export'],
  usage: 'people export --email <email> [--output <file>]',
  summary: 'Downloads the data of one person as NDJSON.',
  help: `${SELECTOR_HELP}
  --output <file>      write to a new file that only you can read; default: standard output
${CONNECTION_ENVIRONMENT_HELP}`,
  run: exportPerson,
};

/** The command `floe people erase`, which erases the data of one person. */
export const erasePersonalDataCommand: CliCommand = {
  words: ['people', 'erase'],
  usage: 'people erase --email <email> --reason <text> [--yes] [--json]',
  summary: 'Erases the data of one person and waits until the erasure is complete; this cannot be undone.',
  help: `${SELECTOR_HELP}
  --reason <text>      recorded in the audit log; must not contain personal data
  --yes                do not ask for confirmation
  --json               print the finished background job as JSON
${CONNECTION_ENVIRONMENT_HELP}`,
  run: erasePerson,
};

async function exportPerson(args: readonly string[]): Promise<number> {
  const { values } = parseCliOptions({
    args: [...args],
    options: { ...SELECTOR_OPTIONS, output: { type: 'string' } },
  });
  const selector = readSelector(values);
  const connection = readApiConnection();
  const { output } = values;
  if (output === undefined) {
    await download(connection, selector, process.stdout);
    return 0;
  }
  const file = await createExportFile(output);
  try {
    await download(connection, selector, file.createWriteStream());
  } catch (error) {
    await file.close();
    await rm(output);
    throw error;
  }
  process.stdout.write(`Exported to ${output}.\n`);
  return 0;
}

/** An existing file is kept, because its permissions may let others read it. @throws UsageError */
async function createExportFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', EXPORT_FILE_MODE);
  } catch (error) {
    throw new UsageError(
      `${path} cannot be created: ${getErrorCauseMessage(error)}. Specify a file that does not exist, in a directory that you can write to.`,
    );
  }
}

/** @throws ApiRequestError also for an incomplete export */
async function download(connection: ApiConnection, selector: object, to: Writable): Promise<void> {
  const { body } = await sendApiRequest(connection, post('/api/management/people/export', selector));
  if (!body)
    throw new ApiRequestError(`${connection.baseUrl} returned an empty response. Run the command again.`);
  try {
    await pipeline(Readable.fromWeb(body), to, { end: to !== process.stdout });
  } catch (error) {
    throw new ApiRequestError(
      `The export is incomplete: ${getErrorCauseMessage(error)}. Run the command again.`,
    );
  }
}

async function erasePerson(args: readonly string[]): Promise<number> {
  const { values } = parseCliOptions({
    args: [...args],
    options: {
      ...SELECTOR_OPTIONS,
      reason: { type: 'string' },
      yes: { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  const selector = readSelector(values);
  if (!values.reason?.trim()) throw new UsageError('--reason is required. Example: --reason "Request 4711"');
  const connection = readApiConnection();
  if (!values.yes && !(await confirm(Object.values(selector)[0] ?? ''))) {
    process.stdout.write('Nothing was erased.\n');
    return 1;
  }
  const body = { ...selector, reason: values.reason };
  const response = await sendApiRequest(connection, post('/api/management/people/erase', body));
  const id = readTextProperty(tryParseJsonText(await response.text()), 'id');
  if (id === undefined) throw toApiRequestError(connection, response.status, undefined);
  const job = await waitForJob(connection, id);
  process.stdout.write(values.json ? `${JSON.stringify(job, null, 2)}\n` : formatErasure(job));
  return readProperty(job, 'state') === 'done' ? 0 : 1;
}

type SelectorValues = { readonly [Name in keyof typeof SELECTOR_OPTIONS]?: string | undefined };

/** @throws UsageError unless exactly one person is named */
function readSelector(values: SelectorValues): Readonly<Record<string, string>> {
  const given = Object.entries({
    email: values.email,
    member_id: values['member-id'],
    end_user: values['end-user'],
  }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  if (given.length !== 1)
    throw new UsageError('Specify the person with exactly one of --email, --member-id and --end-user.');
  return Object.fromEntries(given);
}

async function confirm(person: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError(
      'Cannot ask for confirmation without a terminal. To erase without confirmation, add --yes.',
    );
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const question = `Erase all data about ${person} in this organization? This cannot be undone. [y/N] `;
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}

async function waitForJob(connection: ApiConnection, id: string): Promise<unknown> {
  for (;;) {
    const job = await getApiJson(connection, `/api/jobs/${encodeURIComponent(id)}`);
    if (readProperty(job, 'state') !== 'running') return job;
    await delay(POLL_INTERVAL_MS);
  }
}

function formatErasure(job: unknown): string {
  const state = readTextProperty(job, 'state') ?? 'unknown';
  if (state !== 'done') {
    const error = readTextProperty(job, 'error') ?? `The background job has the state "${state}".`;
    return `The erasure is incomplete: ${error} Run the command again to complete the erasure.\n`;
  }
  const erased = readProperty(readProperty(job, 'result'), 'erased');
  const counts = isRecord(erased) ? Object.entries(erased) : [];
  const lines = counts.map(([kind, count]) => `  ${kind.padEnd(16)}  ${String(count)}\n`);
  return lines.length === 0
    ? 'Nothing to erase: Floe stores no data about this person.\n'
    : `Erased:\n${lines.join('')}`;
}

function post(path: string, body: object): ApiRequest {
  return { method: 'POST', path, body: JSON.stringify(body) };
}
