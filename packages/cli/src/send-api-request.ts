import {
  ApiRequestError,
  createConnectionError,
  toApiRequestError,
  tryParseJsonText,
} from './api-request.ts';
import type { ApiConnection } from './connection.ts';

/** Time limit until the response starts. The body has no limit. */
const RESPONSE_TIMEOUT_MS = 60_000;

/** A request to the API. */
export interface ApiRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  /** JSON text; null for a request without a body. */
  readonly body: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends a request and returns the successful response. Waits at most one minute until the response starts. Does
 * not follow redirects, because the key would be sent to their target.
 * @throws ApiRequestError if the server cannot be reached or returns an error
 */
export async function sendApiRequest(
  { apiKey, baseUrl }: ApiConnection,
  { method, path, body, headers }: ApiRequest,
): Promise<Response> {
  const abort = new AbortController();
  const timer = setTimeout(
    () => abort.abort(new Error('the server did not respond within one minute')),
    RESPONSE_TIMEOUT_MS,
  );
  try {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        'x-api-key': apiKey,
        ...(body !== null && { 'content-type': 'application/json' }),
        ...headers,
      },
      body,
      redirect: 'manual',
      signal: abort.signal,
    });
    if (response.ok) return response;
    throw toApiRequestError({ apiKey, baseUrl }, response.status, tryParseJsonText(await response.text()));
  } catch (error) {
    if (error instanceof ApiRequestError) throw error;
    throw createConnectionError(baseUrl, error);
  } finally {
    clearTimeout(timer);
  }
}
