import type { Clock } from '../../../core/clock.ts';
import { silentLog } from '../../../core/log.ts';
import { ClientCall } from '../../../gateway/client-call.ts';
import { NodeHttpTransport } from '../../node-http-transport.ts';
import { createHttpServer, type HttpServer } from '../../server.ts';

/** A listener that responds with `answer`, both on the fast path and through `node:http`. */
export interface DualPathServer {
  readonly url: string;
  readonly server: HttpServer;
  /** The path of each request, in order: `plain` is the fast path. */
  readonly ways: ('plain' | 'node')[];
}

export const EXCHANGE_PATH = '/gateway/v1/chat/completions';

export async function startDualPathServer(
  clock: Clock,
  answer: (client: ClientCall) => void,
): Promise<DualPathServer> {
  const ways: DualPathServer['ways'] = [];
  const told = (way: 'plain' | 'node', client: ClientCall) => {
    ways.push(way);
    answer(client);
  };
  const server = createHttpServer(
    {
      onRequest: (req, res, id) => told('node', new ClientCall(id, new NodeHttpTransport(req, res, clock))),
      findExchangeRoute: (target) =>
        target === EXCHANGE_PATH
          ? { path: EXCHANGE_PATH, answer: (client) => told('plain', client) }
          : undefined,
    },
    { clock, log: silentLog },
  );
  const port = await server.listen('127.0.0.1', 0, 'server');
  return { url: `http://127.0.0.1:${port}`, server, ways };
}

/**
 * Returns the bytes of a request that the fast path supports. Additional headers can make it
 * unsupported.
 */
export function encodeFastPathRequest(body: string, more: readonly string[] = []): string {
  const lines = [
    `POST ${EXCHANGE_PATH} HTTP/1.1`,
    'host: x',
    ...more,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Returns the bytes of the same request in a form that only `node:http` supports. */
export function encodeNodeHttpRequest(body: string): string {
  return encodeFastPathRequest(body, ['x_not: plain']);
}
