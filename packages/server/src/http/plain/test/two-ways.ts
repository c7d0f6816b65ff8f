import type { Clock } from '../../../core/clock.ts';
import { silentLog } from '../../../core/log.ts';
import { Client } from '../../../gateway/client.ts';
import { NodeCarrier } from '../../node-carrier.ts';
import { createHttpServer, type HttpServer } from '../../server.ts';

/** A listener whose requests are answered by `answer`, whichever way they came in. */
export interface TwoWays {
  readonly url: string;
  readonly server: HttpServer;
  /** Which way each request came in, in their order. */
  readonly ways: ('plain' | 'node')[];
}

export const PATH = '/gateway/v1/chat/completions';

export async function startTwoWays(clock: Clock, answer: (client: Client) => void): Promise<TwoWays> {
  const ways: TwoWays['ways'] = [];
  const told = (way: 'plain' | 'node', client: Client) => {
    ways.push(way);
    answer(client);
  };
  const server = createHttpServer(
    {
      onRequest: (req, res, id) => told('node', new Client(id, new NodeCarrier(req, res, clock))),
      placeOf: (target) =>
        target === PATH ? { path: PATH, answer: (client) => told('plain', client) } : undefined,
    },
    { clock, log: silentLog },
  );
  const port = await server.listen('127.0.0.1', 0, 'server');
  return { url: `http://127.0.0.1:${port}`, server, ways };
}

/** The bytes of a request; one with a coding is read by `node:http` alone. */
export function request(body: string, more: readonly string[] = []): string {
  const lines = [`POST ${PATH} HTTP/1.1`, 'host: x', ...more, `content-length: ${Buffer.byteLength(body)}`];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** The same as `request`, in one shape that only `node:http` reads. */
export function elseRequest(body: string): string {
  return request(body, ['x_not: plain']);
}
