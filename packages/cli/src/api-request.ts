import type { ApiConnection } from './connection.ts';

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Thrown if the API cannot be reached or rejects a request. The message states what happened and what to do.
 */
export class ApiRequestError extends Error {
  override readonly name = 'ApiRequestError';
  /** HTTP status of the error response. 0 if there was no usable response. */
  readonly status: number;

  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}

/**
 * Sends a `GET` request to a path below the base URL and returns the parsed JSON. Does not follow redirects,
 * because the key would be sent to their target.
 * @throws ApiRequestError if the server cannot be reached, returns an error, or does not return JSON within
 * `timeoutMs`
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
    throw createConnectionError(baseUrl, error);
  }
  const value = tryParseJsonText(text);
  if (response.ok && value !== undefined) return value;
  throw toApiRequestError({ apiKey, baseUrl }, response.status, value);
}

/** Creates the error for a request whose response did not arrive or is incomplete. */
export function createConnectionError(baseUrl: string, error: unknown): ApiRequestError {
  return new ApiRequestError(
    `The request to ${baseUrl} failed: ${getErrorCauseMessage(error)}. Check FLOE_BASE_URL.`,
  );
}

/**
 * Creates the error for an error response, or for a response that is not from Floe.
 * @param value The parsed JSON body. Undefined if the body is not valid JSON.
 */
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
  return new ApiRequestError(`${baseUrl} returned an error: ${message.replaceAll(apiKey, '[key]')}`, status);
}

/**
 * Returns a property of an object. Returns undefined if the property does not exist or the value is not an
 * object.
 */
export function readProperty(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Returns a property of an object if its value is a string, otherwise undefined. */
export function readTextProperty(value: unknown, name: string): string | undefined {
  const found = readProperty(value, name);
  return typeof found === 'string' ? found : undefined;
}

/** Parses JSON text. Returns undefined if the text is not valid JSON. */
export function tryParseJsonText(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/**
 * Returns the message of an error from `fetch`. Uses the cause of the error, because the message of the error
 * itself contains no details.
 */
export function getErrorCauseMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
