import { ApiError, readApiError, unreachableError } from './api-error.ts';
import { apiUrl } from './base-url.ts';
import { REASON_PROMPT, STEP_UP_PROMPT } from './prompts.ts';

type QueryValue = string | number | boolean | null | undefined;
/** Several values of a parameter are sent one after another. */
export type QueryParameters = Readonly<Record<string, QueryValue | readonly string[]>> | URLSearchParams;

/** Answer of every list of the API. */
export interface ApiPage<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

/** A resource with the tag that a change of it must bring back. */
export interface WithETag<Body> {
  readonly body: Body;
  readonly etag: string | null;
}

interface Asked {
  readonly method: string;
  readonly query?: QueryParameters | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Of the version that was read: a change made meanwhile answers 412 instead of being lost. */
  readonly etag?: string | null | undefined;
}

async function ask(path: string, { method, query, body, signal, etag }: Asked): Promise<Response> {
  const url = apiUrl(path);
  url.search = formatQueryParameters(query);
  const headers = new Headers({ accept: 'application/json' });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (etag) headers.set('if-match', etag);
  let answer: Response;
  try {
    answer = await fetch(url, {
      method,
      headers,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreachableError();
  }
  if (!answer.ok) throw readApiError(answer.status, answer.headers, await answer.text());
  return answer;
}

/** `GET`; the type is that of the contract, see `trusted`. Throws `ApiRequestError`. */
export async function getJson<Body>(
  path: string,
  query?: QueryParameters,
  signal?: AbortSignal,
): Promise<Body> {
  return bodyOf<Body>(await ask(path, { method: 'GET', query, signal }), signal);
}

const PAGE_ROWS = 500;

/** Every row of a list, page after page: for lists that are read and sorted whole. Throws `ApiRequestError`. */
export async function allPages<Row>(
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  signal?: AbortSignal,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: ApiPage<Row> = await getJson<ApiPage<Row>>(
      path,
      { ...query, limit: PAGE_ROWS, cursor },
      signal,
    );
    rows.push(...page.data);
    cursor = page.next_cursor;
  }
  return rows;
}

/** `GET` of one resource, with the tag for its next change. */
export async function getWithETag<Body>(path: string, signal?: AbortSignal): Promise<WithETag<Body>> {
  const answer = await ask(path, { method: 'GET', signal });
  return { body: await bodyOf<Body>(answer, signal), etag: answer.headers.get('etag') };
}

/**
 * `POST`, `PUT`, `PATCH` or `DELETE`; answers without a body give null. What asks for a fresh sign-in is sent again
 * once the person has confirmed who they are. Throws `ApiRequestError`.
 */
export async function sendJson<Body>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  etag?: string | null,
): Promise<Body> {
  const answer = await askConfirmed(path, { method, body, etag });
  return answer.status === 204 ? trusted<Body>(null) : bodyOf<Body>(answer);
}

/** The same for a change whose answer is the resource, with the tag for the next one. Throws `ApiRequestError`. */
export async function sendWithETag<Body>(
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  body: unknown,
  etag?: string | null,
): Promise<WithETag<Body>> {
  const answer = await askConfirmed(path, { method, body, etag });
  return { body: await bodyOf<Body>(answer), etag: answer.headers.get('etag') };
}

/** Asks, and again when the person had to say why, or to confirm who they are, and did: one may follow the other. */
async function askConfirmed(path: string, asked: Asked): Promise<Response> {
  return ask(path, asked).catch(async (error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'step_up_required' && (await STEP_UP_PROMPT.prompt(error.message)))
      return askConfirmed(path, asked);
    if (error.code !== 'reason_required' || isReasoned(asked)) throw error;
    const reason = await REASON_PROMPT.prompt(error.message);
    if (reason === null) throw error;
    return askConfirmed(path, withReason(asked, reason));
  });
}

/** A reason belongs in the body; what has none takes it in the query. */
function withReason(asked: Asked, reason: string): Asked {
  const { body } = asked;
  if (typeof body === 'object' && body !== null) return { ...asked, body: { ...body, reason } };
  return { ...asked, query: { reason } };
}

function isReasoned({ body, query }: Asked): boolean {
  return query !== undefined || (typeof body === 'object' && body !== null && 'reason' in body);
}

/** The same question as a line for a shell. */
export function formatCurl(path: string, query: QueryParameters | undefined): string {
  const url = apiUrl(path);
  url.search = formatQueryParameters(query);
  return `curl -fsS '${url.href.replaceAll("'", '%27')}' -H "Authorization: Bearer $FLOE_API_KEY"`;
}

/** A query as it stands in an address; what has no value is left out. */
export function formatQueryParameters(query: QueryParameters | undefined): string {
  if (query === undefined) return '';
  if (query instanceof URLSearchParams) return query.toString();
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== null && one !== undefined && one !== '') text.append(name, String(one));
  return text.toString();
}

/** An answer that is no JSON is not ours, whatever its status: as of a proxy that asks to sign in. */
async function bodyOf<Body>(answer: Response, signal?: AbortSignal): Promise<Body> {
  const text = await answer.text().catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw unreachableError();
  });
  try {
    return trusted<Body>(JSON.parse(text));
  } catch {
    throw readApiError(answer.status, answer.headers, '');
  }
}

/** The server's tests hold every answer against the schema this type comes from: not checked twice, in every browser. */
function trusted<Body>(body: unknown): Body {
  return body as Body;
}
