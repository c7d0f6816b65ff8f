import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buildFaultHeaders, type ErrorBodyFormat, formatFaultBody } from '@floe/contract/fault-response';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../core/clock.ts';
import { createId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import { buildRequestIdHeaders } from '../gateway/response-headers.ts';
import { drainConnections, UnfinishedResponses } from './drain-connections.ts';
import type { FindExchangeRoute } from './fast-path/exchange-route.ts';
import { FastPathServer } from './fast-path/fast-path-server.ts';
import { KEEP_ALIVE_SECONDS } from './fast-path/response-head-writer.ts';
import { listenOnPort } from './listen.ts';
import { SequentialRequestInput } from './sequential-request-input.ts';
import type { UnauthenticatedConnectionLimiter } from './unauthenticated-connection-limiter.ts';
import { UnreadResponseCloser } from './unread-response-closer.ts';

/** Limit of all request headers in bytes. Larger heads get `headers_too_large`. */
const HEADER_BYTES = 16 * 1024;
/**
 * How many bytes a rejected connection may still send, and for how long, so that the client can read the
 * response.
 */
const LINGER_BYTES = 64 * 1024 * 1024;
const LINGER_MS = 5_000;

/** The time limit for receiving the headers of a request, and the interval at which it is checked, in milliseconds. */
const DEFAULT_HEADER_TIMEOUTS: HeaderTimeouts = { headersMs: 10_000, checkIntervalMs: 1_000 };

/** Time limits for receiving a request head, in milliseconds. */
export interface HeaderTimeouts {
  readonly headersMs: number;
  readonly checkIntervalMs: number;
}

/** Handles one request of a listener. */
export type HttpRequestHandler = (req: IncomingMessage, res: ServerResponse, requestId: string) => void;

/** Handles the requests of a listener. */
export interface ListenerHandler {
  readonly onRequest: HttpRequestHandler;
  /** Finds the route of a fast-path request. All other requests go to `onRequest`. */
  readonly findExchangeRoute: FindExchangeRoute;
}

/** An HTTP server for one listener. */
export interface HttpServer {
  /**
   * Resolves to the actual port. Rejects with `ListenError`, whose message names `setting` as the setting to
   * change.
   */
  listen(host: string, port: number, setting: string): Promise<number>;
  /** Stops accepting connections, while another process listens on the same port. */
  stopAccepting(): void;
  /** From now on, every response asks the client to close the connection. Requests are still served. */
  announceClose(): void;
  /**
   * Stops accepting connections, waits for requests in progress, and closes the remaining connections after
   * `limitMs`.
   */
  drain(limitMs: number): Promise<void>;
}

/** The dependencies of an HTTP server. */
export interface HttpServerDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly headerTimeouts?: HeaderTimeouts;
  readonly connectionLimiter?: UnauthenticatedConnectionLimiter;
  /** Restricts connections while the process has too few free file descriptors. */
  readonly openFiles?: { admit(socket: Socket): boolean };
}

/** Creates an HTTP server that limits the effect of slow and malicious clients. */
export function createHttpServer(
  { onRequest, findExchangeRoute }: ListenerHandler,
  {
    clock,
    log,
    headerTimeouts = DEFAULT_HEADER_TIMEOUTS,
    connectionLimiter,
    openFiles,
  }: HttpServerDependencies,
): HttpServer {
  const { checkIntervalMs } = headerTimeouts;
  const inputs = new WeakMap<Duplex, SequentialRequestInput>();
  const responses = new UnfinishedResponses((socket) => inputs.get(socket)?.hasHeldBytes ?? false);
  const server = createServer(serverOptions(headerTimeouts), accept);
  function accept(req: IncomingMessage, res: ServerResponse): void {
    const requestId = createId('exc', clock.now());
    responses.track(req.socket, res);
    inputs.get(req.socket)?.begin(req, res);
    const fault = checkRequestHead(req);
    if (fault === null) onRequest(req, res, requestId);
    else rejectRequest(res, requestId, fault);
  }
  // RFC 9110 section 10.1.1 allows a server to ignore unknown expectations.
  server.on('checkExpectation', accept);
  server.on('checkContinue', (req, res) => {
    sendContinueOnRead(req, res, responses);
    accept(req, res);
  });
  // A client may close its sending side after its request (RFC 9112 section 9.6) and still read the response.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connect', (_, socket) => inputs.get(socket)?.detach());
  rejectInvalidRequests(server, responses, clock);
  const detached = detachConnectionListeners(server);
  const serve = (socket: Socket) => void inputs.set(socket, new SequentialRequestInput(socket, detached));
  const fastPath = new FastPathServer(findExchangeRoute, serve, clock, checkIntervalMs);
  const unread = new UnreadResponseCloser(clock, checkIntervalMs);
  server.on('connection', (socket) => {
    connectionLimiter?.track(socket);
    unread.track(socket);
    if (openFiles?.admit(socket) === false) serve(socket);
    else fastPath.accept(socket);
  });

  const announceClose = () => {
    fastPath.isDraining = true;
    responses.announceClose();
  };
  return {
    listen: (host, port, setting) => listenOnPort(server, host, port, setting),
    // `close` of the HTTP server would also close connections on which a request may be arriving.
    stopAccepting: () => void NetServer.prototype.close.call(server),
    announceClose,
    drain(limitMs) {
      announceClose();
      return drainConnections({ server, fastPath }, limitMs, { clock, log });
    },
  };
}

/** The options of `node:http` that differ from its defaults. */
function serverOptions({ headersMs, checkIntervalMs }: HeaderTimeouts): ServerOptions {
  return {
    noDelay: true,
    keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000,
    headersTimeout: headersMs,
    // Bodies have a deadline of their own (BodyDeadline), which allows slow clients.
    requestTimeout: 0,
    connectionsCheckingInterval: checkIntervalMs,
    maxHeaderSize: HEADER_BYTES,
    // Checked below, because the rejection by Node has neither a body nor a request id.
    requireHostHeader: false,
    // Node would drop the second `authorization`. Joined, two keys form an invalid one.
    joinDuplicateHeaders: true,
  };
}

/**
 * Answers `Expect: 100-continue` when the handler starts to read the body, so that a request can be rejected
 * before its body is sent (RFC 9110 section 10.1.1). The client may send the body in either case. The
 * connection is therefore closed if the body was not read.
 */
function sendContinueOnRead(req: IncomingMessage, res: ServerResponse, responses: UnfinishedResponses): void {
  const read = req._read.bind(req);
  const keepsAlive = res.shouldKeepAlive;
  res.shouldKeepAlive = false;
  req._read = (size) => {
    req._read = read;
    if (!res.headersSent) {
      res.shouldKeepAlive = keepsAlive && !responses.isClosing;
      res.writeContinue();
    }
    read(size);
  };
}

/** Removes the connection listener of `node:http`. Returns a function that passes a connection to it. */
function detachConnectionListeners(server: Server): (socket: Socket) => void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  return (socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
}

/** Responds to CONNECT, invalid requests and excess input on the bare socket. */
function rejectInvalidRequests(server: Server, responses: UnfinishedResponses, clock: Clock): void {
  const refused = new WeakSet<Duplex>();
  server.on('connect', (_, socket) => {
    // The socket has no other listener. Unread input would keep it open, and an unhandled reset would end the
    // process.
    socket.on('error', () => socket.destroy()).on('data', () => destroyIfFlooding(socket));
    answerOnSocket(socket, CONNECT_FAULT, clock, ['allow', 'GET, HEAD, POST']);
  });
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    // Further input of an invalid request emits an error again. Its response is already sent.
    if (refused.has(socket)) return void destroyIfFlooding(socket);
    refused.add(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (isAnswering(responses.latest(socket))) endAfterAnswer(socket);
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
  'The transfer coding is not supported. Use "chunked".',
);

/**
 * Runs before any asynchronous work, because the parser reports invalid transfer codings directly after the
 * head.
 */
function checkRequestHead(req: IncomingMessage): Fault | null {
  if (!hasOneHost(req)) return HOST_FAULT;
  const coding = req.headers['transfer-encoding'];
  return coding === undefined || coding.toLowerCase() === 'chunked' ? null : TRANSFER_CODING_FAULT;
}

function hasOneHost({ headers: { host }, httpVersionMinor }: IncomingMessage): boolean {
  return host === undefined ? httpVersionMinor === 0 : !host.includes(',');
}

/** Sends an error response before the request body is read, and closes the connection. */
export function rejectRequest(
  res: ServerResponse,
  id: string,
  fault: Fault,
  shape: ErrorBodyFormat = 'openai',
): void {
  res.shouldKeepAlive = false;
  res.writeHead(fault.status, [...refusalHeaders(id, fault, shape)]);
  res.end(formatFaultBody(fault, id, shape));
}

function refusalHeaders(id: string, fault: Fault, shape: ErrorBodyFormat): readonly string[] {
  return [
    'content-type',
    'application/json',
    ...buildRequestIdHeaders(id, shape),
    ...buildFaultHeaders(fault),
  ];
}

/** True if a response has started or waits for an earlier one. Bytes written now would corrupt it. */
function isAnswering(res: ServerResponse | undefined): boolean {
  return res !== undefined && !res.writableFinished && (res.headersSent || res.socket === null);
}

/** Sends pending output and closes the connection. The client sees a truncated response. */
function endAfterAnswer(socket: Duplex): void {
  if (socket instanceof Socket) socket.destroySoon();
  else socket.destroy();
}

/** A rejected peer may still send a limited number of bytes. */
function destroyIfFlooding(socket: Duplex): void {
  if (socket instanceof Socket && socket.bytesRead > LINGER_BYTES) socket.destroy();
}

/** Responds on the bare socket to input that is not a request, in the JSON format of all errors. */
function answerOnSocket(socket: Duplex, fault: Fault, clock: Clock, more: readonly string[] = []): void {
  const id = createId('exc', clock.now());
  const body = formatFaultBody(fault, id, 'openai');
  const headers = [...refusalHeaders(id, fault, 'openai'), ...more];
  let head = `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status] ?? 'Error'}\r\n`;
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
  // RFC 9112 section 9.6: closing with unread input resets the connection and loses the response.
  const timer = clock.after(LINGER_MS, () => socket.destroy());
  socket.once('close', () => timer.cancel());
}

function toClientErrorFault(code: string | undefined): Fault {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Fault('headers_too_large', `The request headers must be at most ${HEADER_BYTES / 1024} KB.`);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Fault(
      'request_timeout',
      'The request headers did not arrive within 10 seconds. Check the connection, then send the request again.',
    );
  return new Fault('invalid_request', `The request is not valid HTTP/1.1${code ? ` (${code})` : ''}.`);
}
