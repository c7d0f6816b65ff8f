import type { ApiConnection } from './connection.ts';

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Thrown if the API is unreachable or rejected the request. The message states which, and what to
 * do.
 */
export class ApiRequestError extends Error {
  override readonly name = 'ApiRequestError';
  /** HTTP status of the rejection. 0 without a response. */
  readonly status: number;

  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}

/**
 * Sends a `GET` request for a path below the base URL and returns the JSON. Does not follow
 * redirects, because the key would be sent to their target.
 *
 * @throws ApiRequestError
 */
export async function getApiJson(
  { apiKey, baseUrl }: ApiConnection,
  path: string,
  timeoutMs = REQUEST_TIMEOUT_MS,
): Promise<unknown> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${baseUrl}${path}`, {
      headers: { accept: 'application/json', 'x-api-key': apiKey },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    text = await response.text();
  } catch (error) {
    throw new ApiRequestError(
      `${baseUrl} could not be reached: ${describeFetchError(error)}. Check FLOE_BASE_URL.`,
    );
  }
  const value = parseUntrustedJson(text);
  if (response.ok && value !== undefined) return value;
  throw toApiRequestError({ apiKey, baseUrl }, response.status, value);
}

/** Creates the error for an unexpected response. `value` is its parsed JSON body. */
export function toApiRequestError(
  { apiKey, baseUrl }: ApiConnection,
  status: number,
  value: unknown,
): ApiRequestError {
  if (status < 400)
    return new ApiRequestError(
      `${baseUrl} responded with status ${status}, but the response is not from Floe. Check FLOE_BASE_URL.`,
    );
  const message = readTextProperty(readProperty(value, 'error'), 'message') ?? `status ${status}`;
  return new ApiRequestError(
    `${baseUrl} rejected the request: ${message.replaceAll(apiKey, '[key]')}`,
    status,
  );
}

/** Returns a member of a JSON object. Undefined for any other value. */
export function readProperty(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Returns a member of a JSON object if the member is text. Undefined otherwise. */
export function readTextProperty(value: unknown, name: string): string | undefined {
  const found = readProperty(value, name);
  return typeof found === 'string' ? found : undefined;
}

/** Parses JSON. Returns undefined if it is invalid. */
export function parseUntrustedJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/**
 * Describes an error from `fetch` by its cause, because its own message contains no information.
 */
export function describeFetchError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
