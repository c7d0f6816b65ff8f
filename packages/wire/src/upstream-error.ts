import { Fault } from '@floe/contract/faults';
import { isObject } from '@floe/contract/json';

const BODY_CHARACTERS = 2048;

/**
 * Returns the `Fault` for an error that a provider sent with status 200. Supported forms:
 * `{"error":{…}}`, `{"error":"…"}`, `{"message","type","code"}`, `{"detail":…}`, any of them in an
 * array, and plain text. A code from 400 to 599 becomes `upstreamStatus`.
 */
export function createUpstreamErrorFault(text: string): Fault {
  const body = parseFirst(text);
  const status = findErrorStatus(body);
  return new Fault('upstream_error', findErrorMessage(body) ?? 'The provider reported an error.', {
    upstreamBody: text.slice(0, BODY_CHARACTERS),
    ...(status !== undefined && { upstreamStatus: status }),
  });
}

function parseFirst(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value[0] : value;
  } catch {
    return text;
  }
}

function findErrorMessage(body: unknown): string | undefined {
  if (!isObject(body)) return nonEmptyText(body);
  const { error, detail, base_resp: base } = body;
  return (
    nonEmptyText(isObject(error) ? error.message : error) ??
    nonEmptyText(body.message) ??
    nonEmptyText(Array.isArray(detail) && isObject(detail[0]) ? detail[0].msg : detail) ??
    nonEmptyText(isObject(base) ? base.status_msg : undefined) ??
    nonEmptyText(body.title)
  );
}

function findErrorStatus(body: unknown): number | undefined {
  if (!isObject(body)) return undefined;
  const { error } = body;
  const candidates = isObject(error)
    ? [error.status_code, error.code, error.status, body.status_code, body.code]
    : [body.status_code, body.code, body.status];
  for (const candidate of candidates) {
    const status = typeof candidate === 'string' ? Number(candidate) : candidate;
    if (typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599)
      return status;
  }
  return undefined;
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, BODY_CHARACTERS) : undefined;
}
