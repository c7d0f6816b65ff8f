import type { ApiConnection } from './connection.ts';

const REQUEST_TIMEOUT_MS = 10_000;

/** The API could not be asked, or refused; the message says which and what to do. */
export class ApiRequestError extends Error {
  override readonly name = 'ApiRequestError';
}

/**
 * `GET` of a path under the base address; JSON or an error. Redirects are not followed, for the key would travel along.
 *
 * @throws ApiError
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
      `${baseUrl} could not be reached: ${describeFetchError(error)}. Is FLOE_BASE_URL right?`,
    );
  }
  const value = safeParseJson(text);
  if (response.ok && value !== undefined) return value;
  throw toApiRequestError({ apiKey, baseUrl }, response.status, value);
}

/** Why an answer other than the one hoped for came; `value` is what its body holds as JSON. */
export function toApiRequestError(
  { apiKey, baseUrl }: ApiConnection,
  status: number,
  value: unknown,
): ApiRequestError {
  if (status < 400)
    return new ApiRequestError(
      `${baseUrl} answered ${status}, but not as Floe does. Is FLOE_BASE_URL right?`,
    );
  const message = readTextProperty(readProperty(value, 'error'), 'message') ?? `status ${status}`;
  return new ApiRequestError(`${baseUrl} refused: ${message.replaceAll(apiKey, '[key]')}`);
}

/** A member of a JSON object; undefined for anything else. */
export function readProperty(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** The same where it is text. */
export function readTextProperty(value: unknown, name: string): string | undefined {
  const found = readProperty(value, name);
  return typeof found === 'string' ? found : undefined;
}

/** JSON, or undefined for what is none. */
export function safeParseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

export function describeFetchError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
