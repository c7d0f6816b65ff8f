import { ApiError, createUnreachableError, parseApiError } from './api-error.ts';
import { buildApiUrl, getPageOrgId, ORG_HEADER } from './base-url.ts';
import { REASON_PROMPT, STEP_UP_PROMPT } from './dialog-prompts.ts';
import { readNextNonEmptyPage } from './read-next-non-empty-page.ts';
import { updateServerTimeOffset } from './server-clock.ts';
import { isUserActive } from './user-activity.ts';

type QueryValue = string | number | boolean | null | undefined;
/** The query parameters of a request. A list of values repeats the parameter. */
export type QueryParameters = Readonly<Record<string, QueryValue | readonly string[]>> | URLSearchParams;

/** One page of a list, as the API returns it. */
export interface ApiPage<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

/** A resource and the ETag to send with its next change. */
export interface ResourceWithETag<Body> {
  readonly body: Body;
  readonly etag: string | null;
}

interface Asked {
  readonly method: string;
  readonly query?: QueryParameters | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /**
   * ETag of the version that was read. If the resource has changed since, the API returns 412 and the change
   * is not applied.
   */
  readonly etag?: string | null | undefined;
  /** The Idempotency-Keys of the form that sends the request. Only for requests that create something. */
  readonly keys?: IdempotencyKeys | undefined;
}

/**
 * The `Idempotency-Key` of each request body that a form has sent. A form that sends the same body again, because
 * it received no response, also sends the same key, so that the API does not create the resource twice.
 */
export type IdempotencyKeys = Map<string, string>;

function keyOf(keys: IdempotencyKeys, payload: string): string {
  // `crypto.randomUUID` does not exist over plain HTTP.
  const key = keys.get(payload) ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
  keys.set(payload, key);
  return key;
}

async function sendRequest(
  path: string,
  { method, query, body, signal, etag, keys }: Asked,
): Promise<Response> {
  const url = buildApiUrl(path);
  url.search = formatQueryParameters(query);
  const headers = new Headers({ accept: 'application/json' });
  const payload = body === undefined ? null : JSON.stringify(body);
  if (payload !== null) headers.set('content-type', 'application/json');
  if (keys) headers.set('idempotency-key', keyOf(keys, payload ?? ''));
  if (etag) headers.set('if-match', etag);
  // Such a request does not delay the expiry of a session that nobody uses.
  if (method === 'GET' && !isUserActive()) headers.set('x-floe-background', 'true');
  const org = getPageOrgId();
  if (org) headers.set(ORG_HEADER, org);
  let answer: Response;
  try {
    answer = await fetch(url, {
      method,
      headers,
      credentials: 'same-origin',
      body: payload,
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw createUnreachableError();
  }
  updateServerTimeOffset(answer.headers.get('date'));
  if (!answer.ok) throw parseApiError(answer.status, answer.headers, await answer.text());
  return answer;
}

/**
 * Sends a `GET` request and returns the parsed response body. The caller states the type of the body, which is
 * not checked at run time (see `trusted`).
 * @throws ApiError if the request fails or the response has an error status
 */
export async function getJson<Body>(
  path: string,
  query?: QueryParameters,
  signal?: AbortSignal,
): Promise<Body> {
  return bodyOf<Body>(await sendRequest(path, { method: 'GET', query, signal }), signal);
}

/**
 * Fetches the next page of a list. Skips pages without rows (see `readNextNonEmptyPage`).
 * @throws ApiError if a request fails or a response has an error status
 */
export function fetchNextNonEmptyPage<Row>(
  path: string,
  query: Readonly<Record<string, string | number>> & { readonly cursor: string },
  signal?: AbortSignal,
): Promise<ApiPage<Row>> {
  return readNextNonEmptyPage(
    (cursor) => getJson<ApiPage<Row>>(path, { ...query, cursor }, signal),
    query.cursor,
  );
}

/**
 * Fetches a resource and its ETag. Send the ETag in `If-Match` when you change the resource.
 * @throws ApiError if the request fails or the response has an error status
 */
export async function getJsonWithETag<Body>(
  path: string,
  signal?: AbortSignal,
): Promise<ResourceWithETag<Body>> {
  const answer = await sendRequest(path, { method: 'GET', signal });
  return { body: await bodyOf<Body>(answer, signal), etag: answer.headers.get('etag') };
}

/**
 * Sends `POST`, `PUT`, `PATCH` or `DELETE` and returns the response body, or null if the response has none. If
 * the API requires a step-up or a reason, asks the user and then repeats the request. To delete a resource, use
 * `deleteResource`.
 * @throws ApiError if the request fails or the response has an error status
 */
export async function sendJson<Body>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  options: Pick<Asked, 'etag' | 'keys'> = {},
): Promise<Body> {
  const answer = await askConfirmed(path, { method, body, ...options });
  return answer.status === 204 ? trusted<Body>(null) : await bodyOf<Body>(answer);
}

/**
 * Sends a request like `sendJson` to an operation that returns the changed resource. Returns the resource with
 * the ETag for its next change.
 * @throws ApiError if the request fails or the response has an error status
 */
export async function sendJsonWithETag<Body>(
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  body: unknown,
  etag?: string | null,
): Promise<ResourceWithETag<Body>> {
  const answer = await askConfirmed(path, { method, body, etag });
  return { body: await bodyOf<Body>(answer), etag: answer.headers.get('etag') };
}

/**
 * Sends a request. Repeats it after the user entered a required reason or confirmed their identity. Both can
 * be required in turn.
 */
async function askConfirmed(path: string, asked: Asked): Promise<Response> {
  return sendRequest(path, asked).catch(async (error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'step_up_required' && (await STEP_UP_PROMPT.prompt(error.message)))
      return askConfirmed(path, asked);
    if (error.code !== 'reason_required' || isReasoned(asked)) throw error;
    const reason = await REASON_PROMPT.prompt(error.message);
    if (reason === null) throw error;
    return askConfirmed(path, withReason(asked, reason));
  });
}

/** Adds the reason to the body, or to the query if the request has no body. */
function withReason(asked: Asked, reason: string): Asked {
  const { body } = asked;
  if (typeof body === 'object' && body !== null) return { ...asked, body: { ...body, reason } };
  return { ...asked, query: { reason } };
}

function isReasoned({ body, query }: Asked): boolean {
  return query !== undefined || (typeof body === 'object' && body !== null && 'reason' in body);
}

/** Formats query parameters for a URL. Omits parameters without a value. */
export function formatQueryParameters(query: QueryParameters | undefined): string {
  if (query === undefined) return '';
  if (query instanceof URLSearchParams) return query.toString();
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== null && one !== undefined && one !== '') text.append(name, String(one));
  return text.toString();
}

/**
 * Parses the response body. A response that is not JSON did not come from Floe, whatever its status: for
 * example, from a proxy that requires sign-in.
 */
async function bodyOf<Body>(answer: Response, signal?: AbortSignal): Promise<Body> {
  const text = await answer.text().catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw createUnreachableError();
  });
  try {
    return trusted<Body>(JSON.parse(text));
  } catch {
    throw parseApiError(answer.status, answer.headers, '');
  }
}

/**
 * The type comes from the contract. Server tests check each response against that schema, so browsers do not
 * check it again.
 */
function trusted<Body>(body: unknown): Body {
  return body as Body;
}
