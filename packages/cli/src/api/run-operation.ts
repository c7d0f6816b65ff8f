import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  ApiRequestError,
  createConnectionError,
  readProperty,
  readTextProperty,
  toApiRequestError,
  tryParseJsonText,
} from '../api-request.ts';
import type { ApiConnection } from '../connection.ts';
import { sendApiRequest } from '../send-api-request.ts';
import type { ApiOperation } from './api-operations.ts';
import { formatResponse } from './format-response.ts';
import { formatTable } from './format-table.ts';
import type { OperationInvocation } from './operation-arguments.ts';
import { MAX_PAGE_SIZE, MAX_PAGES } from './page-limits.ts';
import { type NameLookupEndpoint, resolveNameInPath } from './resolve-name.ts';
import type { CliTableColumn } from './table-column.ts';
import { TABLE_COLUMNS_BY_COMMAND } from './table-columns-by-command.ts';

/** Operations that test a channel or a credential. Their response has the result in `ok`. */
const TEST_OPERATION = / test(?:-draft)?$/;

/** An operation with the words of its command, such as `keys create`. */
export interface NamedOperation {
  readonly name: string;
  readonly operation: ApiOperation;
  /** Finds the id if the user specified a name instead. Absent if the operation takes no id. */
  readonly idList?: NameLookupEndpoint;
}

/**
 * Runs an operation and writes the response to standard output. Depending on the operation and the options, the
 * output is a table, one line per field, JSON or a download. If no resource has the given id, looks for a
 * resource with this name and repeats the request with its id.
 * @returns the exit code: 1 if the response states a failure, or if the list is incomplete although all rows were
 * requested; otherwise 0
 * @throws ApiRequestError if the server cannot be reached or returns an error
 */
export async function runOperation(
  from: ApiConnection,
  named: NamedOperation,
  request: OperationInvocation,
): Promise<0 | 1> {
  try {
    return await printAnswer(from, named, request);
  } catch (error) {
    if (!(error instanceof ApiRequestError) || error.status !== 404 || !named.idList) throw error;
    const path = await resolveNameInPath(from, named.idList, request.path, error);
    return printAnswer(from, named, { ...request, path });
  }
}

async function printAnswer(
  from: ApiConnection,
  { name, operation }: NamedOperation,
  request: OperationInvocation,
): Promise<0 | 1> {
  const columns = TABLE_COLUMNS_BY_COMMAND[name];
  if (operation.page) {
    return printList(from, request, columns);
  }
  const response = await sendApiRequest(from, request);
  if (!isJsonResponse(response)) {
    await pipeToStdout(from, response);
    return 0;
  }
  const answer = await readJsonAnswer(from, response);
  await writeStdout(formatAnswer(answer, request, columns));
  return statesFailure(name, answer) ? 1 : 0;
}

/** Whether a response states that a test failed, that the audit log is not intact, or that some changes failed. */
function statesFailure(name: string, answer: unknown): boolean {
  if (TEST_OPERATION.test(name) && readProperty(answer, 'ok') === false) return true;
  const failed = readProperty(answer, 'failed');
  return readProperty(answer, 'valid') === false || (Array.isArray(failed) && failed.length > 0);
}

function formatAnswer(
  answer: unknown,
  { json }: OperationInvocation,
  columns: readonly CliTableColumn[] | undefined,
): string {
  if (answer === undefined) return json ? '' : 'Done.\n';
  return json ? `${JSON.stringify(answer, null, 2)}\n` : formatResponse(answer, columns);
}

async function printList(
  from: ApiConnection,
  request: OperationInvocation,
  columns: readonly CliTableColumn[] | undefined,
): Promise<0 | 1> {
  const maxRows = request.maxRows ?? Number.POSITIVE_INFINITY;
  const rows: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && rows.length < maxRows; page++) {
    const url = new URL(request.path, from.baseUrl);
    url.searchParams.set('limit', String(Math.min(MAX_PAGE_SIZE, maxRows - rows.length)));
    if (cursor !== undefined) url.searchParams.set('cursor', cursor);
    const answer = await readJsonAnswer(
      from,
      await sendApiRequest(from, { ...request, path: `${url.pathname}${url.search}` }),
    );
    const data = readProperty(answer, 'data');
    if (!Array.isArray(data))
      throw new ApiRequestError(`${from.baseUrl} did not return a list. Check FLOE_BASE_URL.`);
    rows.push(...data);
    cursor = readTextProperty(answer, 'next_cursor');
    if (cursor === undefined) break;
  }
  const table = rows.length === 0 ? 'None.\n' : formatTable(rows, columns);
  await writeStdout(request.json ? `${JSON.stringify(rows, null, 2)}\n` : table);
  if (cursor === undefined) return 0;
  const isLimited = request.maxRows !== null;
  process.stderr.write(
    isLimited
      ? 'More rows exist. Use --all or --limit N.\n'
      : `The list has more than ${MAX_PAGES} pages. The remaining rows were not loaded.\n`,
  );
  return isLimited ? 0 : 1;
}

const isJsonResponse = (response: Response) =>
  response.status === 204 || (response.headers.get('content-type') ?? '').startsWith('application/json');

/** Reads the JSON of a response. Undefined without a body. */
async function readJsonAnswer(from: ApiConnection, response: Response): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw createConnectionError(from.baseUrl, error);
  });
  if (text === '') return undefined;
  const value = tryParseJsonText(text);
  if (value === undefined) throw toApiRequestError(from, response.status, value);
  return value;
}

async function pipeToStdout(from: ApiConnection, response: Response): Promise<void> {
  if (response.body === null) return;
  const body = Readable.fromWeb(response.body);
  let failure: unknown;
  body.once('error', (error) => {
    failure = error;
  });
  await pipeline(body, process.stdout, { end: false }).catch((error: unknown) => {
    throw error === failure ? createConnectionError(from.baseUrl, error) : error;
  });
}

async function writeStdout(text: string): Promise<void> {
  process.stdout.write(text);
}
