import type { IncomingMessage, ServerResponse } from 'node:http';
import { buildFaultHeaders, formatFaultBody } from '@floe/contract/fault-response';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import {
  MAX_STORED_BEAT_BODY_BYTES,
  type ParsedBeatUrl,
  parseBeatUrl,
  parseBeatUrlRequest,
} from '../monitoring/beat-url.ts';
import type { MonitoringEngine } from '../monitoring/monitoring-engine.ts';
import {
  MAX_HEARTBEAT_BODY_BYTES,
  type ParsedHeartbeat,
  parseHeartbeat,
} from '../monitoring/parse-heartbeat.ts';
import type { BeatReceipt } from '../monitoring/received-beat.ts';
import type { RejectedBeatCounter } from '../monitoring/rejected-beat-counter.ts';
import type { PlatformKeyHeaders } from '../platform/key-format.ts';
import { type KeyRecord, requireKeyScope } from '../platform/keyring.ts';
import { RequestAbortedError, readRequestBody } from './read-body.ts';
import { markConnectionAuthenticated } from './unauthenticated-connection-limiter.ts';

/** The dependencies of the beat routes. */
export interface BeatRoutesDependencies {
  readonly engine: Pick<MonitoringEngine, 'recordBeat'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Finds the platform key of a request. @throws Fault */
  readonly authenticate: (headers: PlatformKeyHeaders) => KeyRecord;
  readonly refusals: RejectedBeatCounter;
}

/** Handles one beat request. Never rejects, because errors are sent to the client. */
type BeatHandler = (req: IncomingMessage, res: ServerResponse, requestId: string) => Promise<void>;

/** The handlers of beat requests. */
export interface BeatRoutes {
  /** `POST /api/monitoring/heartbeat` */
  readonly heartbeat: BeatHandler;
  /** Finds the handler of `/beat/{token}…`. Null for other paths. */
  matchBeatUrl(path: string): BeatHandler | null;
}

const HEARTBEAT_METHODS = ['POST'];
const BEAT_METHODS = ['GET', 'HEAD', 'POST'];
const HEARTBEAT_BODY = { limitBytes: MAX_HEARTBEAT_BODY_BYTES, onExcess: 'refuse' } as const;

/** Clients of other heartbeat services read `ping-body-limit` for the stored length of a body. */
const COMMON_HEADERS = ['cache-control', 'no-store', 'ping-body-limit', String(MAX_STORED_BEAT_BODY_BYTES)];

/**
 * Creates the two routes for beats. They bypass the operations of the other API routes, because beats are
 * small and arrive by the thousand
 * (decisions/0021-batched-beats-with-acknowledgement-after-commit.md).
 */
export function createBeatRoutes(parts: BeatRoutesDependencies): BeatRoutes {
  const { engine, clock, log, authenticate, refusals } = parts;

  async function respondWith(
    req: IncomingMessage,
    res: ServerResponse,
    requestId: string,
    work: () => Promise<BeatResponse>,
  ): Promise<void> {
    const common = ['x-request-id', requestId, ...COMMON_HEADERS];
    try {
      const { type, body } = await work();
      common.push('content-type', type);
      respond(req, res, common, body);
    } catch (error) {
      if (error instanceof RequestAbortedError) return;
      const fault = error instanceof Fault ? error : logInternalFault(log, requestId, error);
      res.statusCode = fault.status;
      common.push('content-type', 'application/json', ...buildFaultHeaders(fault));
      respond(req, res, common, formatFaultBody(fault, requestId, 'openai'));
    }
  }

  async function heartbeat(req: IncomingMessage, res: ServerResponse, requestId: string): Promise<void> {
    await respondWith(req, res, requestId, async () => {
      requireMethod(HEARTBEAT_METHODS, req, res);
      const headers: PlatformKeyHeaders = req.headers;
      const key = authenticate(headers);
      markConnectionAuthenticated(req.socket);
      const answer = await refusals.track(key.orgId, async () => {
        requireKeyScope(key, 'beat');
        const body = await readRequestBody(req, clock, HEARTBEAT_BODY);
        const parsed = parseHeartbeat(body, req.headers['idempotency-key'], key.orgId);
        return heartbeatAnswer(await engine.recordBeat(parsed.call), parsed);
      });
      return { type: 'application/json', body: JSON.stringify(answer) };
    });
  }

  function matchBeatUrl(path: string): BeatHandler | null {
    const url = parseBeatUrl(path);
    return url && ((req, res, requestId) => receiveByUrl(url, req, res, requestId));
  }

  async function receiveByUrl(url: ParsedBeatUrl, ...[req, res, requestId]: Parameters<BeatHandler>) {
    await respondWith(req, res, requestId, async () => {
      requireMethod(BEAT_METHODS, req, res);
      const body = await readRequestBody(req, clock, {
        limitBytes: MAX_STORED_BEAT_BODY_BYTES,
        onExcess: 'drop',
      });
      const call = parseBeatUrlRequest(url, parseQuery(req.url), body, req.headers['idempotency-key']);
      await engine.recordBeat(call);
      markConnectionAuthenticated(req.socket);
      return { type: 'text/plain; charset=utf-8', body: 'OK' };
    });
  }

  return { heartbeat, matchBeatUrl };
}

/** Returns the response to a beat. It lists everything that Floe did not store. */
function heartbeatAnswer(
  beat: BeatReceipt,
  { metadataDropReason, ignoredFields }: Pick<ParsedHeartbeat, 'metadataDropReason' | 'ignoredFields'>,
) {
  return {
    ok: true,
    monitor_id: beat.monitorId,
    beat_id: beat.beatId,
    received_at: new Date(beat.receivedAt).toISOString(),
    status: beat.status,
    next_due_at: beat.nextExpectedAt === null ? null : new Date(beat.nextExpectedAt).toISOString(),
    ...(metadataDropReason === null ? {} : { metadata_dropped: metadataDropReason }),
    ...(ignoredFields.length === 0 ? {} : { ignored_fields: ignoredFields }),
  };
}

function requireMethod(methods: readonly string[], req: IncomingMessage, res: ServerResponse): void {
  if (methods.includes(req.method ?? '')) return;
  res.setHeader('allow', methods.join(', '));
  throw new Fault(
    'method_not_allowed',
    `${req.method} is not allowed on this path. Allowed: ${methods.join(', ')}.`,
  );
}

function parseQuery(url = ''): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
}

interface BeatResponse {
  readonly type: string;
  readonly body: string;
}

/** Responds with the status that `res` has. */
function respond(req: IncomingMessage, res: ServerResponse, headers: readonly string[], body: string): void {
  if (res.headersSent || res.destroyed) return;
  const allow = res.getHeader('allow');
  if (typeof allow === 'string') res.removeHeader('allow');
  const more = typeof allow === 'string' ? ['allow', allow] : [];
  // The unread rest of a body must not be parsed as the next request.
  if (!req.complete) res.shouldKeepAlive = false;
  res.writeHead(res.statusCode, [...headers, ...more, 'content-length', String(Buffer.byteLength(body))]);
  res.end(body);
}

function logInternalFault(log: Log, requestId: string, error: unknown): Fault {
  log.error({ err: error, request_id: requestId }, 'unexpected error in a beat request');
  return new Fault(
    'internal_error',
    `An internal error occurred. The server log has details under request id ${requestId}.`,
  );
}
