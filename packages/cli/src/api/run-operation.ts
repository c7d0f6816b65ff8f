import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  ApiRequestError,
  describeFetchError,
  readProperty,
  readTextProperty,
  safeParseJson,
  toApiRequestError,
} from '../api-request.ts';
import type { ApiConnection } from '../connection.ts';
import type { ApiOperation } from './api-operations.ts';
import { isRecord } from './api-operations.ts';
import { formatFields, formatTable } from './format-rows.ts';
import type { OperationRequest } from './operation-arguments.ts';

/** Until the answer begins; what it holds may take as long as it takes. */
const ANSWER_TIMEOUT_MS = 60_000;
const MAX_PAGE_SIZE = 500;
/** A server that always names a next page must not hold the command for ever. */
const MAX_PAGES = 10_000;

/** Asks and writes the answer to stdout: a table, lines of fields, JSON, or a download as it comes. @throws ApiError */
export async function runOperation(
  from: ApiConnection,
  operation: ApiOperation,
  request: OperationRequest,
): Promise<void> {
  if (operation.page) return printList(from, request);
  const response = await sendOperationRequest(from, request, request.path);
  if (!isJsonResponse(response)) return pipeToStdout(response);
  const answer = await readJsonAnswer(from, response);
  if (answer === undefined) return writeStdout('Done.\n');
  if (request.json) return writeStdout(`${JSON.stringify(answer, null, 2)}\n`);
  const data = readProperty(answer, 'data');
  if (Array.isArray(data)) return writeStdout(data.length === 0 ? 'None.\n' : formatTable(data));
  return writeStdout(isRecord(answer) ? formatFields(answer) : `${JSON.stringify(answer)}\n`);
}

async function printList(from: ApiConnection, request: OperationRequest): Promise<void> {
  const maxRows = request.maxRows ?? Number.POSITIVE_INFINITY;
  const rows: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && rows.length < maxRows; page++) {
    const url = new URL(request.path, from.baseUrl);
    url.searchParams.set('limit', String(Math.min(MAX_PAGE_SIZE, maxRows - rows.length)));
    if (cursor !== undefined) url.searchParams.set('cursor', cursor);
    const answer = await readJsonAnswer(
      from,
      await sendOperationRequest(from, request, `${url.pathname}${url.search}`),
    );
    const data = readProperty(answer, 'data');
    if (!Array.isArray(data)) throw new ApiRequestError(`${from.baseUrl} did not answer with a list.`);
    rows.push(...data);
    cursor = readTextProperty(answer, 'next_cursor');
    if (cursor === undefined) break;
  }
  if (request.json) return writeStdout(`${JSON.stringify(rows, null, 2)}\n`);
  await writeStdout(rows.length === 0 ? 'None.\n' : formatTable(rows));
  if (cursor !== undefined) process.stderr.write('There are more; --all shows them, --limit so many.\n');
}

/** Redirects are not followed, for the key would travel along. */
async function sendOperationRequest(
  { apiKey, baseUrl }: ApiConnection,
  request: OperationRequest,
  path: string,
): Promise<Response> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(new Error('no answer within a minute')), ANSWER_TIMEOUT_MS);
  try {
    const response = await fetch(`${baseUrl}${path}`, {
      method: request.method,
      headers: {
        'x-api-key': apiKey,
        ...(request.body !== null && { 'content-type': 'application/json' }),
        ...request.headers,
      },
      body: request.body,
      redirect: 'manual',
      signal: abort.signal,
    });
    if (response.ok) return response;
    throw toApiRequestError({ apiKey, baseUrl }, response.status, safeParseJson(await response.text()));
  } catch (error) {
    if (error instanceof ApiRequestError) throw error;
    throw new ApiRequestError(
      `${baseUrl} could not be reached: ${describeFetchError(error)}. Is FLOE_BASE_URL right?`,
    );
  } finally {
    clearTimeout(timer);
  }
}

const isJsonResponse = (response: Response) =>
  response.status === 204 || (response.headers.get('content-type') ?? '').startsWith('application/json');

/** Undefined for an answer without a body. */
async function readJsonAnswer({ baseUrl }: ApiConnection, response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  const value = safeParseJson(text);
  if (value === undefined)
    throw new ApiRequestError(`${baseUrl} did not answer as Floe does. Is FLOE_BASE_URL right?`);
  return value;
}

async function pipeToStdout(response: Response): Promise<void> {
  if (response.body) await pipeline(Readable.fromWeb(response.body), process.stdout, { end: false });
}

async function writeStdout(text: string): Promise<void> {
  process.stdout.write(text);
}
