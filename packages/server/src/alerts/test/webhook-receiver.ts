import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';

export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export type MessageResponder = (received: ReceivedMessage, response: ServerResponse, index: number) => void;

/**
 * Starts an HTTP receiver on loopback that records requests. Responds with 200 and an empty body
 * unless `respond` is given.
 */
export async function startWebhookReceiver(
  t: TestContext,
  respond: MessageResponder = (_, response) => response.end(),
) {
  const received: ReceivedMessage[] = [];
  const waiting: { readonly count: number; readonly done: () => void }[] = [];
  const answer = { respond };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const isJson = request.headers['content-type'] === 'application/json';
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        body,
        json: isJson ? JSON.parse(body) : {},
      };
      received.push(one);
      for (const { count, done } of waiting) if (received.length >= count) done();
      answer.respond(one, response, received.length - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  t.after(close);
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    close,
    setRespond: (next: MessageResponder) => {
      answer.respond = next;
    },
    /** Resolves when this many requests have arrived in total. */
    count: (count: number) =>
      new Promise<void>((done) => {
        waiting.push({ count, done });
        if (received.length >= count) done();
      }),
  };
}

/** Returns whether a Standard Webhooks signature is valid, as a receiver would check it. */
export function hasValidWebhookSignature(key: Buffer | string, { headers, body }: ReceivedMessage): boolean {
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}
