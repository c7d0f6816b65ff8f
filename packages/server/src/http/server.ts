import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorBodyFormat, formatFaultBody, formatFaultHeaders } from '@floe/contract/fault-response';
import { Fault } from '@floe/contract/faults';
import type { Clock, Timer } from '../core/clock.ts';
import { newId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import { KEEP_ALIVE_S } from './fast-path/answer-head-writer.ts';
import type { FindExchangeRoute } from './fast-path/exchange-route.ts';
import { FastPathServer } from './fast-path/fast-path-server.ts';
import { listenOnPort } from './listen.ts';
import type { UnauthenticatedConnections } from './unauthenticated-connections.ts';

/** Sum of all request headers; past it the answer is `headers_too_large`. */
const HEADER_BYTES = 16 * 1024;
/** What a refused connection may go on sending, and for how long, so that its sender gets to read why. */
const LINGER_BYTES = 64 * 1024 * 1024;
const LINGER_MS = 5_000;
const SWEEP_MS = 50;

/** How long the head of a request may take, and how often that is looked at. */
const DEFAULT_HEADER_TIMEOUTS: HeaderTimeouts = { headersMs: 10_000, checkIntervalMs: 1_000 };

export interface HeaderTimeouts {
  readonly headersMs: number;
  readonly checkIntervalMs: number;
}

export type OnHttpRequest = (req: IncomingMessage, res: ServerResponse, requestId: string) => void;

/** What takes the requests of a listener. */
export interface ListenerHandler {
  readonly onRequest: OnHttpRequest;
  /** Where a plain request to this target is answered; every other goes to `onRequest`. */
  readonly findExchangeRoute: FindExchangeRoute;
}

export interface HttpServer {
  /** Resolves to the port listened on; rejects with `ListenError`, which names `setting` as what to change. */
  listen(host: string, port: number, setting: string): Promise<number>;
  /** From here on every answer asks its client to close the connection. Everything is still served. */
  announceClose(): void;
  /** Accepts no new connection, lets requests in progress finish, closes what is left after `limitMs`. */
  drain(limitMs: number): Promise<void>;
}

export interface HttpServerDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly headerTimeouts?: HeaderTimeouts;
  readonly connectionLimiter?: UnauthenticatedConnections;
}

/** A listener, with the limits that keep slow and hostile clients cheap. */
export function createHttpServer(
  { onRequest, findExchangeRoute }: ListenerHandler,
  { clock, log, headerTimeouts = DEFAULT_HEADER_TIMEOUTS, connectionLimiter }: HttpServerDependencies,
): HttpServer {
  const { headersMs, checkIntervalMs } = headerTimeouts;
  let draining = false;
  /** The newest request of each connection; an older one may still wait for its turn to be answered. */
  const latestResponses = new WeakMap<Duplex, ServerResponse>();
  const server = createServer(
    {
      noDelay: true,
      keepAliveTimeout: KEEP_ALIVE_S * 1000,
      headersTimeout: headersMs,
      // Bodies have their own deadline (30 s without a byte), which knows slow from stalled.
      requestTimeout: 0,
      connectionsCheckingInterval: checkIntervalMs,
      maxHeaderSize: HEADER_BYTES,
      // Checked below: Node's own refusal has neither a body nor a request id.
      requireHostHeader: false,
      // Node would drop the second `authorization` unseen; joined, two keys are no key.
      joinDuplicateHeaders: true,
    },
    accept,
  );
  function accept(req: IncomingMessage, res: ServerResponse): void {
    const requestId = newId('exc', clock.now());
    if (draining) res.shouldKeepAlive = false;
    latestResponses.set(req.socket, res);
    const fault = checkRequestHead(req);
    if (fault === null) onRequest(req, res, requestId);
    else rejectRequest(res, requestId, fault);
  }
  // RFC 9110 section 10.1.1 lets a server pass over expectations it does not know.
  server.on('checkExpectation', accept);
  server.on('checkContinue', (req, res) => {
    sendContinueOnRead(req, res);
    accept(req, res);
  });
  // A client may close its sending side behind its request (RFC 9112 section 9.6) and still read the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  rejectInvalidRequests(server, latestResponses, clock);
  const detached = detachConnectionListeners(server);
  const fastPath = new FastPathServer(findExchangeRoute, detached, clock, checkIntervalMs);
  server.on('connection', (socket) => {
    connectionLimiter?.track(socket);
    fastPath.accept(socket);
  });

  const announceClose = () => {
    draining = fastPath.isDraining = true;
  };
  return {
    listen: (host, port, setting) => listenOnPort(server, host, port, setting),
    announceClose,
    drain(limitMs) {
      announceClose();
      return drainConnections({ server, fastPath }, limitMs, { clock, log });
    },
  };
}

/**
 * Answers `Expect: 100-continue` when somebody begins to read the body, so that a request that is refused by its head
 * is refused before the body is sent (RFC 9110 section 10.1.1). The client may then send it or not: a connection whose
 * request was answered without reading the body ends.
 */
function sendContinueOnRead(req: IncomingMessage, res: ServerResponse): void {
  const read = req._read.bind(req);
  const keepsAlive = res.shouldKeepAlive;
  res.shouldKeepAlive = false;
  req._read = (size) => {
    req._read = read;
    if (!res.headersSent) {
      res.shouldKeepAlive = keepsAlive;
      res.writeContinue();
    }
    read(size);
  };
}

/** Takes connections away from `node:http`, and gives the way to hand it one. */
function detachConnectionListeners(server: Server): (socket: Socket) => void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  return (socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
}

/** A connection that was accepted or answered within this time may carry a request already. */
const IDLE_MS = 1_000;

async function drainConnections(
  { server, fastPath }: { readonly server: Server; readonly fastPath: FastPathServer },
  limitMs: number,
  { clock, log }: HttpServerDependencies,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Answers begun before the drain promised keep-alive: their connections end when they fall idle.
  let sweeping: Timer | undefined;
  const sweep = () => {
    server.closeIdleConnections();
    fastPath.closeIdle(IDLE_MS);
    sweeping = clock.after(SWEEP_MS, sweep);
  };
  sweep();
  const timer = clock.after(limitMs, () => {
    log.warn(
      { limit_ms: limitMs },
      'drain period ended with requests in progress; their connections are closed',
    );
    server.closeAllConnections();
    fastPath.closeAll();
  });
  await closed;
  timer.cancel();
  sweeping?.cancel();
}

/** Answers CONNECT, nonsense and floods on their bare sockets. */
function rejectInvalidRequests(
  server: Server,
  latestResponses: WeakMap<Duplex, ServerResponse>,
  clock: Clock,
): void {
  const refused = new WeakSet<Duplex>();
  server.on('connect', (_, socket) => {
    // The socket is ours alone now: unread it would never end, and a reset would end the process.
    socket.on('error', () => socket.destroy()).on('data', () => destroyIfFlooding(socket));
    answerOnSocket(socket, CONNECT_FAULT, clock, ['allow', 'GET, HEAD, POST']);
  });
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    // Every further piece of a broken request is an error again; its answer is already on the way.
    if (refused.has(socket)) return void destroyIfFlooding(socket);
    refused.add(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (isAnswering(latestResponses.get(socket))) endAfterAnswer(socket);
    else answerOnSocket(socket, toClientErrorFault(error.code), clock);
  });
}

const HOST_FAULT = new Fault(
  'invalid_request',
  'A request must have exactly one Host header (RFC 9112, section 3.2).',
);
const CONNECT_FAULT = new Fault(
  'method_not_allowed',
  'CONNECT is not supported: Floe is not a forward proxy.',
);

const TRANSFER_CODING_FAULT = new Fault(
  'unsupported_media_type',
  'The only supported transfer coding is "chunked".',
);

/** Judged before anything waits: the parser's own complaint about a coding comes right after the head. */
function checkRequestHead(req: IncomingMessage): Fault | null {
  if (!hasOneHost(req)) return HOST_FAULT;
  const coding = req.headers['transfer-encoding'];
  return coding === undefined || coding.toLowerCase() === 'chunked' ? null : TRANSFER_CODING_FAULT;
}

function hasOneHost({ headers: { host }, httpVersionMinor }: IncomingMessage): boolean {
  return host === undefined ? httpVersionMinor === 0 : !host.includes(',');
}

/** Answers before anything of the request's body was read, and ends the connection. */
export function rejectRequest(
  res: ServerResponse,
  id: string,
  fault: Fault,
  shape: ErrorBodyFormat = 'openai',
): void {
  res.shouldKeepAlive = false;
  res.writeHead(fault.status, [...refusalHeaders(id, fault)]);
  res.end(formatFaultBody(fault, id, shape));
}

function refusalHeaders(id: string, fault: Fault): readonly string[] {
  return ['content-type', 'application/json', 'x-request-id', id, ...formatFaultHeaders(fault)];
}

/** True when an answer has begun or waits behind another: bytes written now would land inside it. */
function isAnswering(res: ServerResponse | undefined): boolean {
  return res !== undefined && !res.writableFinished && (res.headersSent || res.socket === null);
}

/** What was written so far still goes out; what is missing then shows as an answer cut off. */
function endAfterAnswer(socket: Duplex): void {
  if (socket instanceof Socket) socket.destroySoon();
  else socket.destroy();
}

/** A peer that was refused may go on sending for a while, not without end. */
function destroyIfFlooding(socket: Duplex): void {
  if (socket instanceof Socket && socket.bytesRead > LINGER_BYTES) socket.destroy();
}

/** Requests that never became one: answered on the bare socket, in the same JSON shape as every error. */
function answerOnSocket(socket: Duplex, fault: Fault, clock: Clock, more: readonly string[] = []): void {
  const id = newId('exc', clock.now());
  const body = formatFaultBody(fault, id, 'openai');
  const headers = [...refusalHeaders(id, fault), ...more];
  let head = `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status] ?? 'Error'}\r\n`;
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
  // RFC 9112 section 9.6: closing with unread input resets the connection and loses the answer.
  const timer = clock.after(LINGER_MS, () => socket.destroy());
  socket.once('close', () => timer.cancel());
}

function toClientErrorFault(code: string | undefined): Fault {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Fault('headers_too_large', `The request headers must have at most ${HEADER_BYTES / 1024} KB.`);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Fault('request_timeout', 'The request headers did not arrive within 10 seconds.');
  return new Fault('invalid_request', `The request is not valid HTTP/1.1${code ? ` (${code})` : ''}.`);
}
