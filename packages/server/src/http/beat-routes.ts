import type { IncomingMessage, ServerResponse } from 'node:http';
import { faultBody, faultHeaders } from '@floe/contract/fault-answer';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { BeatAnswer } from '../monitoring/beat-call.ts';
import type { BeatRefusals } from '../monitoring/beat-refusals.ts';
import { BEAT_BODY_BYTES, type BeatUrl, callOfUrl, parseBeatUrl } from '../monitoring/beat-url.ts';
import type { MonitoringEngine } from '../monitoring/engine.ts';
import { HEARTBEAT_BYTES, readHeartbeat } from '../monitoring/heartbeat.ts';
import { type PresentedHeaders, presentedKey } from '../platform/key-format.ts';
import { type KeyRecord, requireScope } from '../platform/keyring.ts';
import { RequestGone, readBody } from './read-body.ts';
import { noteAuthenticated } from './unauthenticated-connections.ts';

export interface BeatRoutesParts {
  readonly engine: Pick<MonitoringEngine, 'beat'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The key of a request. @throws Fault */
  readonly authenticate: (presented: string) => KeyRecord;
  readonly refusals: BeatRefusals;
}

/** Answers one request for a beat. Resolves always: what fails is told to the client. */
type Answer = (req: IncomingMessage, res: ServerResponse, requestId: string) => Promise<void>;

export interface BeatRoutes {
  /** `POST /api/monitoring/heartbeat` */
  readonly heartbeat: Answer;
  /** `/beat/{token}…`; null for a path that is none. */
  beatUrl(path: string): Answer | null;
}

const HEARTBEAT_METHODS = ['POST'];
const BEAT_METHODS = ['GET', 'HEAD', 'POST'];

/**
 * The two doors for beats. They stand beside the framework of `/api`, not behind it: a beat is small and comes by the
 * thousand (decisions/0021-beats.md).
 */
export function createBeatRoutes(parts: BeatRoutesParts): BeatRoutes {
  const { engine, clock, log, authenticate, refusals } = parts;

  async function answering(
    req: IncomingMessage,
    res: ServerResponse,
    requestId: string,
    work: () => Promise<Good>,
  ): Promise<void> {
    const common = ['x-request-id', requestId, 'cache-control', 'no-store'];
    // What clients of other heartbeat services look for: how much of a body is kept.
    common.push('ping-body-limit', String(BEAT_BODY_BYTES));
    try {
      const { type, body } = await work();
      common.push('content-type', type);
      respond(req, res, common, body);
    } catch (error) {
      if (error instanceof RequestGone) return;
      const fault = error instanceof Fault ? error : bug(log, requestId, error);
      res.statusCode = fault.status;
      common.push('content-type', 'application/json', ...faultHeaders(fault));
      respond(req, res, common, faultBody(fault, requestId, 'openai'));
    }
  }

  async function heartbeat(req: IncomingMessage, res: ServerResponse, requestId: string): Promise<void> {
    await answering(req, res, requestId, async () => {
      mustUse(HEARTBEAT_METHODS, req, res);
      const headers: PresentedHeaders = req.headers;
      const key = authenticate(presentedKey(headers));
      noteAuthenticated(req.socket);
      const { beat, metadataDropped } = await refusals.noting(key.orgId, async () => {
        requireScope(key, 'beat');
        const body = await readBody(req, clock, { limit: HEARTBEAT_BYTES, onExcess: 'refuse' });
        const { call, metadataDropped } = readHeartbeat(body, req.headers['idempotency-key'], key.orgId);
        return { beat: await engine.beat(call), metadataDropped };
      });
      return { type: 'application/json', body: JSON.stringify(told(beat, metadataDropped)) };
    });
  }

  function beatUrl(path: string): Answer | null {
    const url = parseBeatUrl(path);
    return url && ((req, res, requestId) => byUrl(url, req, res, requestId));
  }

  async function byUrl(url: BeatUrl, req: IncomingMessage, res: ServerResponse, requestId: string) {
    await answering(req, res, requestId, async () => {
      mustUse(BEAT_METHODS, req, res);
      const body = await readBody(req, clock, { limit: BEAT_BODY_BYTES, onExcess: 'drop' });
      await engine.beat(callOfUrl(url, queryOf(req.url), body, req.headers['idempotency-key']));
      noteAuthenticated(req.socket);
      return { type: 'text/plain; charset=utf-8', body: 'OK' };
    });
  }

  return { heartbeat, beatUrl };
}

/** The answer of the product page, section 6. */
function told(beat: BeatAnswer, metadataDropped: string | null) {
  return {
    ok: true,
    monitor_id: beat.monitorId,
    beat_id: beat.beatId,
    received_at: new Date(beat.receivedAt).toISOString(),
    status: beat.status,
    next_due_at: beat.nextDueAt === null ? null : new Date(beat.nextDueAt).toISOString(),
    ...(metadataDropped === null ? {} : { metadata_dropped: metadataDropped }),
  };
}

function mustUse(methods: readonly string[], req: IncomingMessage, res: ServerResponse): void {
  if (methods.includes(req.method ?? '')) return;
  res.setHeader('allow', methods.join(', '));
  throw new Fault('method_not_allowed', `${req.method} is not allowed here; use ${methods.join(' or ')}.`);
}

function queryOf(url = ''): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
}

interface Good {
  readonly type: string;
  readonly body: string;
}

/** Answers with the status that `res` has. */
function respond(req: IncomingMessage, res: ServerResponse, headers: readonly string[], body: string): void {
  if (res.headersSent || res.destroyed) return;
  const allow = res.getHeader('allow');
  if (typeof allow === 'string') res.removeHeader('allow');
  const more = typeof allow === 'string' ? ['allow', allow] : [];
  // A body that was not read to its end must not be taken for the next request.
  if (!req.complete) res.shouldKeepAlive = false;
  res.writeHead(res.statusCode, [...headers, ...more, 'content-length', String(Buffer.byteLength(body))]);
  res.end(body);
}

function bug(log: Log, requestId: string, error: unknown): Fault {
  log.error({ err: error, request_id: requestId }, 'a beat failed on a bug');
  return new Fault('internal_error', `Something went wrong inside Floe. The log has it under ${requestId}.`);
}
