import type { Connection } from './connection.ts';

const TIMEOUT_MS = 10_000;

/** The API could not be asked, or refused; the message says which and what to do. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
}

/**
 * `GET` of a path under the base address; JSON or an error. Redirects are not followed, for the key would travel along.
 *
 * @throws ApiError
 */
export async function apiGet(
  { apiKey, baseUrl }: Connection,
  path: string,
  timeoutMs = TIMEOUT_MS,
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
    throw new ApiError(`${baseUrl} could not be reached: ${reasonOf(error)}. Is FLOE_BASE_URL right?`);
  }
  const value = parsed(text);
  if (response.ok && value !== undefined) return value;
  throw refusalOf({ apiKey, baseUrl }, response.status, value);
}

/** Why an answer other than the one hoped for came; `value` is what its body holds as JSON. */
export function refusalOf({ apiKey, baseUrl }: Connection, status: number, value: unknown): ApiError {
  if (status < 400)
    return new ApiError(`${baseUrl} answered ${status}, but not as Floe does. Is FLOE_BASE_URL right?`);
  const said = textMember(member(value, 'error'), 'message') ?? `status ${status}`;
  return new ApiError(`${baseUrl} refused: ${said.replaceAll(apiKey, '[key]')}`);
}

/** A member of a JSON object; undefined for anything else. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** The same where it is text. */
export function textMember(value: unknown, name: string): string | undefined {
  const found = member(value, name);
  return typeof found === 'string' ? found : undefined;
}

/** JSON, or undefined for what is none. */
export function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
