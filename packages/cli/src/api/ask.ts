import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError, member, parsed, reasonOf, refusalOf, textMember } from '../api-get.ts';
import type { Connection } from '../connection.ts';
import type { Asked } from './arguments.ts';
import type { Operation } from './operations.ts';
import { isRecord } from './operations.ts';
import { fields, table } from './show.ts';

/** Until the answer begins; what it holds may take as long as it takes. */
const PATIENCE_MS = 60_000;
const LARGEST_PAGE = 500;
/** A server that always names a next page must not hold the command for ever. */
const MOST_PAGES = 10_000;

/** Asks and writes the answer to stdout: a table, lines of fields, JSON, or a download as it comes. @throws ApiError */
export async function ask(from: Connection, operation: Operation, asked: Asked): Promise<void> {
  if (operation.page) return list(from, asked);
  const response = await send(from, asked, asked.path);
  if (!isJson(response)) return download(response);
  const answer = await jsonOf(from, response);
  if (answer === undefined) return say('Done.\n');
  if (asked.json) return say(`${JSON.stringify(answer, null, 2)}\n`);
  const data = member(answer, 'data');
  if (Array.isArray(data)) return say(data.length === 0 ? 'None.\n' : table(data));
  return say(isRecord(answer) ? fields(answer) : `${JSON.stringify(answer)}\n`);
}

async function list(from: Connection, asked: Asked): Promise<void> {
  const most = asked.most ?? Number.POSITIVE_INFINITY;
  const found: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && found.length < most; page++) {
    const url = new URL(asked.path, from.baseUrl);
    url.searchParams.set('limit', String(Math.min(LARGEST_PAGE, most - found.length)));
    if (cursor !== undefined) url.searchParams.set('cursor', cursor);
    const answer = await jsonOf(from, await send(from, asked, `${url.pathname}${url.search}`));
    const data = member(answer, 'data');
    if (!Array.isArray(data)) throw new ApiError(`${from.baseUrl} did not answer with a list.`);
    found.push(...data);
    cursor = textMember(answer, 'next_cursor');
    if (cursor === undefined) break;
  }
  if (asked.json) return say(`${JSON.stringify(found, null, 2)}\n`);
  await say(found.length === 0 ? 'None.\n' : table(found));
  if (cursor !== undefined) process.stderr.write('There are more; --all shows them, --limit so many.\n');
}

/** Redirects are not followed, for the key would travel along. */
async function send({ apiKey, baseUrl }: Connection, asked: Asked, path: string): Promise<Response> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(new Error('no answer within a minute')), PATIENCE_MS);
  try {
    const response = await fetch(`${baseUrl}${path}`, {
      method: asked.method,
      headers: {
        'x-api-key': apiKey,
        ...(asked.body !== null && { 'content-type': 'application/json' }),
        ...asked.headers,
      },
      body: asked.body,
      redirect: 'manual',
      signal: patience.signal,
    });
    if (response.ok) return response;
    throw refusalOf({ apiKey, baseUrl }, response.status, parsed(await response.text()));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(`${baseUrl} could not be reached: ${reasonOf(error)}. Is FLOE_BASE_URL right?`);
  } finally {
    clearTimeout(timer);
  }
}

const isJson = (response: Response) =>
  response.status === 204 || (response.headers.get('content-type') ?? '').startsWith('application/json');

/** Undefined for an answer without a body. */
async function jsonOf({ baseUrl }: Connection, response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  const value = parsed(text);
  if (value === undefined)
    throw new ApiError(`${baseUrl} did not answer as Floe does. Is FLOE_BASE_URL right?`);
  return value;
}

async function download(response: Response): Promise<void> {
  if (response.body) await pipeline(Readable.fromWeb(response.body), process.stdout, { end: false });
}

async function say(text: string): Promise<void> {
  process.stdout.write(text);
}
