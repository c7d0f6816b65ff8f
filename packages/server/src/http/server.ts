import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { faultBody, faultHeaders } from '@floe/contract/fault-answer';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../core/clock.ts';
import { newId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';

/** Sum of all request headers; past it the answer is `headers_too_large`. */
const HEADER_BYTES = 64 * 1024;

export type OnRequest = (req: IncomingMessage, res: ServerResponse, requestId: string) => void;

export interface HttpServer {
  /** Resolves to the port listened on; rejects with `CannotListen`. */
  listen(host: string, port: number): Promise<number>;
  /** Takes no new connection, lets requests under way finish, cuts what is left after `limitMs`. */
  drain(limitMs: number): Promise<void>;
}

/** The address cannot be listened on; the message says why and what to do. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
}

/** The one listener of the process, with the limits that keep slow and hostile clients cheap. */
export function createHttpServer(onRequest: OnRequest, clock: Clock, log: Log): HttpServer {
  let draining = false;
  const server = createServer(
    {
      noDelay: true,
      keepAliveTimeout: 75_000,
      headersTimeout: 20_000,
      // Bodies have their own deadline (30 s without a byte), which knows slow from stalled.
      requestTimeout: 0,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: HEADER_BYTES,
    },
    (req, res) => {
      const requestId = newId('exc', clock.now());
      if (draining) res.shouldKeepAlive = false;
      onRequest(req, res, requestId);
    },
  );
  server.on('clientError', (error: Error & { code?: string }, socket) => refuse(error, socket, clock));

  return {
    listen: (host, port) => listen(server, host, port),
    async drain(limitMs) {
      draining = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const timer = clock.after(limitMs, () => {
        log.warn(
          { limit_ms: limitMs },
          'requests were still under way at the end of the drain; cutting them',
        );
        server.closeAllConnections();
      });
      await closed;
      timer.cancel();
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: Error & { code?: string }) => reject(listenError(error, host, port)));
    server.listen({ host, port, backlog: 4096 }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function listenError(error: Error & { code?: string }, host: string, port: number): CannotListen {
  const place = `${host}:${port}`;
  if (error.code === 'EADDRINUSE')
    return new CannotListen(
      `${place} is in use by another program; stop it, or choose another port with FLOE_PORT or server.port.`,
    );
  if (error.code === 'EACCES')
    return new CannotListen(`This user may not listen on ${place}; choose a port above 1023 with FLOE_PORT.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new CannotListen(`${host} is no address of this machine; set FLOE_HOST or server.host.`);
  return new CannotListen(`Cannot listen on ${place}: ${error.message}`);
}

/** Requests that never became one: answered on the bare socket, in the same JSON shape as every error. */
function refuse(
  error: Error & { code?: string },
  socket: Socket | NodeJS.WritableStream,
  clock: Clock,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    if ('destroy' in socket) socket.destroy();
    return;
  }
  const id = newId('exc', clock.now());
  const fault = faultOf(error.code);
  const body = faultBody(fault, id, 'openai');
  const headers = ['content-type', 'application/json', 'x-request-id', id, ...faultHeaders(fault)];
  let head = `HTTP/1.1 ${fault.status} ${REASONS[fault.status] ?? 'Error'}\r\n`;
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
}

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

function faultOf(code: string | undefined): Fault {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Fault('headers_too_large', `The request headers are larger than ${HEADER_BYTES / 1024} KB.`);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Fault('request_timeout', 'The request headers did not arrive within 20 seconds.');
  return new Fault('invalid_request', `The request is not valid HTTP/1.1${code ? ` (${code})` : ''}.`);
}
