import { Fault } from '@floe/contract/faults';
import { hashBeatToken } from './beat-token.ts';
import { normalizeIdempotencyKey } from './parse-heartbeat.ts';
import type { ReceivedBeat } from './received-beat.ts';

/** The maximum number of body bytes that are stored with a beat. */
export const MAX_STORED_BEAT_BODY_BYTES = 16 * 1024;

/** The token and the kind of report in a beat URL. */
export interface ParsedBeatUrl {
  readonly token: string;
  /** The path after the token, such as `fail`. Empty for a successful beat. */
  readonly signal: string;
}

const BEAT_URL = /^\/beat\/([^/]+)(?:\/([^/]*))?\/?$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Parses the path `/beat/{token}[/start|/fail|/log|/{0-255}]`. Returns null for any other path. */
export function parseBeatUrl(path: string): ParsedBeatUrl | null {
  const [, token, signal = ''] = BEAT_URL.exec(path) ?? [];
  return token === undefined ? null : { token, signal };
}

/**
 * Parses a request to a beat URL. The query parameter `rid` connects the start and the end of a
 * run, as in other heartbeat services.
 *
 * @throws Fault `monitor_not_found` for an invalid token, `invalid_request` for an unknown suffix
 * or an invalid run id
 */
export function parseBeatUrlRequest(
  { token, signal }: ParsedBeatUrl,
  query: URLSearchParams,
  body: Buffer,
  idempotencyKey: string | readonly string[] | undefined,
): Omit<ReceivedBeat, 'receivedAt' | 'earliestReceivedAt'> {
  if (!UUID.test(token))
    throw new Fault(
      'monitor_not_found',
      'No monitor has this beat URL. Copy the complete URL from the monitor.',
    );
  const runId = query.get('rid');
  if (runId !== null && !UUID.test(runId))
    throw new Fault('invalid_request', 'rid: must be a UUID', { param: 'rid' });
  const { kind, exitStatus } = parseSignal(signal);
  const metadata = {
    ...(exitStatus === null ? {} : { exit_status: exitStatus }),
    ...(body.length === 0 ? {} : { body: body.toString('utf8') }),
  };
  return {
    address: { tokenHash: hashBeatToken(token) },
    kind,
    runId: runId?.toLowerCase() ?? null,
    idempotencyKey: scopeToKind(normalizeIdempotencyKey(idempotencyKey), kind),
    metadataJson: Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata),
    error: exitStatus === null || kind !== 'fail' ? null : `the job ended with exit status ${exitStatus}`,
  };
}

/**
 * Returns an idempotency key that is specific to the kind of report, so that the end of a run is not ignored as a duplicate of its start. Header
 * values contain no line feed.
 */
function scopeToKind(key: string | null, kind: ReceivedBeat['kind']): string | null {
  return key === null || kind === 'ok' ? key : `${kind}\n${key}`;
}

function parseSignal(signal: string): {
  readonly kind: ReceivedBeat['kind'];
  readonly exitStatus: number | null;
} {
  if (signal === '') return { kind: 'ok', exitStatus: null };
  if (signal === 'start' || signal === 'fail' || signal === 'log') return { kind: signal, exitStatus: null };
  const exitStatus = /^\d{1,3}$/.test(signal) ? Number(signal) : 256;
  if (exitStatus > 255)
    throw new Fault(
      'invalid_request',
      'The part of the path after the token must be empty, "start", "fail", "log" or an exit status from 0 to 255.',
    );
  return { kind: exitStatus === 0 ? 'ok' : 'fail', exitStatus };
}
