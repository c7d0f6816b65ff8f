import type { BeatRequest } from './beat-request.ts';
import { createApiError, type FloeError, FloeUnexpectedResponseError } from './errors.ts';

/** A beat that the server has recorded. */
export interface Beat {
  readonly id: string;
  readonly monitorId: string;
  /** ISO 8601, UTC. */
  readonly receivedAt: string | null;
  /** Status of the monitor after this beat, such as `healthy` or `paused`. */
  readonly status: string | null;
  /** When the next beat is expected. Null while paused. */
  readonly nextDueAt: string | null;
}

/** A response, up to the maximum size that is read. */
export interface ReceivedBeatResponse {
  readonly status: number;
  header(name: string): string | null;
  readonly text: string;
  /** True if the body is longer than any response to a beat. The rest was not read. */
  readonly tooLong: boolean;
}

/** The content of a successful response to a beat. */
export interface AcceptedBeat {
  readonly beat: Beat | null;
  readonly metadataDropped: string | null;
}

/**
 * Parses a response to a beat. The golden file `answers.json` defines the expected results. `nowMs` is the
 * current time in Unix milliseconds, which is needed if Retry-After is a date.
 */
export function parseBeatResponse(
  call: BeatRequest,
  received: ReceivedBeatResponse,
  nowMs: number,
): AcceptedBeat | FloeError {
  const { status } = received;
  if (status >= 400) return refusalError(call, received, nowMs);
  // Browsers report 0 for a redirect that they did not follow.
  if (status < 200 || status >= 300) return redirectError(call, received);
  return call.expectedAnswer === 'beat' ? parseBeat(call, received) : parseSignalAnswer(received);
}

function parseBeat(call: BeatRequest, received: ReceivedBeatResponse): AcceptedBeat | FloeError {
  const isJson = /\bjson\b/i.test(received.header('content-type') ?? '');
  const value = received.tooLong ? undefined : safeParseJson(received.text);
  // A JSON response that does not parse was truncated. Any other response is from another program.
  if (value === undefined) return unexpectedAnswer(received, isJson && !received.tooLong);
  const id = readMember(value, 'beat_id');
  if (readMember(value, 'ok') !== true || typeof id !== 'string') return unexpectedAnswer(received, false);
  return {
    beat: {
      id,
      monitorId: getText(value, 'monitor_id') ?? call.monitorId,
      receivedAt: getText(value, 'received_at'),
      status: getText(value, 'status'),
      nextDueAt: getText(value, 'next_due_at'),
    },
    metadataDropped: getText(value, 'metadata_dropped'),
  };
}

function parseSignalAnswer(received: ReceivedBeatResponse): AcceptedBeat | FloeError {
  const isPage = /\bhtml\b/i.test(received.header('content-type') ?? '');
  return isPage || received.tooLong
    ? unexpectedAnswer(received, false)
    : { beat: null, metadataDropped: null };
}

function unexpectedAnswer(received: ReceivedBeatResponse, retryable: boolean): FloeError {
  const what = received.tooLong
    ? 'more than 64 KB'
    : received.text.trim() === ''
      ? 'nothing'
      : 'a different response';
  return new FloeUnexpectedResponseError(
    `expected a beat response from Floe, got ${what} (status ${received.status}, ${received.header('content-type') ?? 'no content type'}). Check that baseUrl or the beat URL points to Floe, and not to a sign-in page or another server.`,
    { code: 'unexpected_response', status: received.status, retryable },
  );
}

function redirectError(call: BeatRequest, received: ReceivedBeatResponse): FloeError {
  const to = received.header('location');
  return new FloeUnexpectedResponseError(
    `${describeUrlOrigin(call.url)} redirects${to === null ? '' : ` to ${describeUrlOrigin(to)}`}. Redirects are not followed, because they would expose the key or the secret beat URL. Use the final URL as baseUrl or beat URL.`,
    { code: 'redirected', status: received.status },
  );
}

function refusalError(call: BeatRequest, received: ReceivedBeatResponse, nowMs: number): FloeError {
  const { status } = received;
  const body = received.tooLong ? undefined : safeParseJson(received.text);
  const error = readMember(body, 'error');
  const code = getText(error, 'code') ?? `http_${status}`;
  const serverMessage = getText(error, 'message');
  const requestId = getText(body, 'request_id') ?? received.header('x-request-id');
  // The server's message is more specific than advice by status.
  const advice = serverMessage === null ? (ADVICE_BY_STATUS[status] ?? '') : `: ${serverMessage}`;
  const message = `${describeUrlOrigin(call.url)} responded with ${status} ${code}${advice}`;
  const detail = { code, status, requestId, retryAfterSeconds: parseRetryAfter(received, nowMs) };
  return createApiError(redactKey(call, message), detail);
}

/** Removes the key from a message, in case the server repeats it. */
function redactKey(call: BeatRequest, message: string): string {
  const key = call.headers['x-api-key'];
  return key === undefined ? message : message.replaceAll(key, '[key]');
}

const ADVICE_BY_STATUS: Readonly<Record<number, string>> = {
  401: '. Check the API key.',
  403: '. The key needs the scope beat or monitoring.',
  404: '. Check the monitor id, that the key belongs to its organization, and baseUrl.',
};

/** RFC 9110 10.2.3: seconds or a date. `retry-after-ms` is more precise. */
function parseRetryAfter(received: ReceivedBeatResponse, nowMs: number): number | null {
  const exact = parseDecimal(received.header('retry-after-ms'));
  if (exact !== null) return exact / 1000;
  const header = received.header('retry-after');
  const seconds = parseDecimal(header);
  if (seconds !== null || header === null || !/GMT\s*$/i.test(header)) return seconds;
  const untilMs = Date.parse(header);
  return Number.isNaN(untilMs) ? null : Math.max(0, (untilMs - nowMs) / 1000);
}

function parseDecimal(text: string | null): number | null {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null;
}

function safeParseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function readMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Reflect.get(value, name);
}

function getText(value: unknown, name: string): string | null {
  const found = readMember(value, name);
  return typeof found === 'string' ? found : null;
}

/**
 * Returns the scheme, host and port of a URL, or `another URL` if there are none. Messages must not contain other parts
 * of a URL, because they may be secret.
 */
export function describeUrlOrigin(url: string): string {
  return /^[a-z][a-z+.-]*:\/\/[^/?#]*/i.exec(url)?.[0].replace(/\/\/[^@]*@/, '//') ?? 'another URL';
}
