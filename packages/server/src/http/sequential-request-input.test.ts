import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { encodeRawRequest, RawClient } from '@floe/testkit/raw-client';
import fc from 'fast-check';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { createHttpServer, type HttpRequestHandler } from './server.ts';

async function listening(t: TestContext, onRequest: HttpRequestHandler): Promise<string> {
  const handler = { onRequest, findExchangeRoute: () => undefined };
  const server = createHttpServer(handler, { clock: systemClock, log: silentLog });
  const port = await server.listen('127.0.0.1', 0, 'server');
  t.after(() => server.drain(0));
  return `http://127.0.0.1:${port}`;
}

/** Responds with the path and the body of the request. */
const echo: HttpRequestHandler = (req, res) => {
  const pieces: Buffer[] = [];
  req
    .on('data', (bytes: Buffer) => pieces.push(bytes))
    .on('end', () => setImmediate(() => res.end(`${req.url} ${Buffer.concat(pieces).toString('latin1')}`)));
};

const turn = () => new Promise(setImmediate);

test('a client that sends thousands of requests without reading has one in progress, and the rest is not read', async (t) => {
  const open: ServerResponse[] = [];
  const url = await listening(t, (_, res) => void open.push(res));
  const client = await RawClient.connect(url);
  const request = encodeRawRequest({ path: '/' });
  const count = Math.ceil((32 << 20) / request.length);
  let isSent = false;
  void client.send(Buffer.concat(Array(count).fill(request))).then(() => {
    isSent = true;
  });
  while (open.length === 0) await turn();
  const { socket } = open[0]?.req ?? {};
  for (let last = -1; socket && last !== socket.bytesRead; ) {
    last = socket.bytesRead;
    for (let turns = 0; turns < 50; turns += 1) await turn();
  }
  assert.equal(open.length, 1);
  assert.equal(isSent, false);
  assert.ok((socket?.bytesRead ?? 0) < 256 * 1024, `${socket?.bytesRead} bytes were read`);
  client.hangUp();
});

test('a request starts when the response to the previous one is complete', async (t) => {
  const open: ServerResponse[] = [];
  const url = await listening(t, (req, res) => {
    req.resume();
    open.push(res);
  });
  const client = await RawClient.connect(url);
  const bodies = ['{}', '', 'x'.repeat(100_000), '1\r\n\r\n2'];
  await client.send(Buffer.concat(bodies.map((body, n) => encodeRawRequest({ path: `/${n}`, body }))));
  for (let n = 0; n < bodies.length; n += 1) {
    while (open.length <= n) await turn();
    assert.equal(open.length, n + 1);
    open[n]?.end(`${n}`);
    assert.equal((await client.readAnswer()).body.toString(), `${n}`);
  }
  client.hangUp();
});

test('responses do not depend on how the bytes of the requests are split', async (t) => {
  const url = await listening(t, echo);
  const chunked = (path: string, parts: readonly string[]) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\nx-trailer: y\r\n\r\n`;
  const sized = (path: string, body: string) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const bodies = ['', '\r\n\r\n', 'a\r\n\r\nb', '\r\n\r\nGET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n'];
  const requests = bodies.flatMap((body, n) => [
    { bytes: sized(`/s${n}`, body), answer: `/s${n} ${body}` },
    { bytes: chunked(`/c${n}`, [...body]), answer: `/c${n} ${body}` },
    { bytes: `\r\nGET /g${n} HTTP/1.1\r\nhost: x\r\n\r\n`, answer: `/g${n} ` },
  ]);
  const sent = Buffer.from(requests.map(({ bytes }) => bytes).join(''));
  const cuts = fc.array(fc.integer({ min: 1, max: sent.length - 1 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(cuts, async (at) => {
      const client = await RawClient.connect(url);
      const ends = [...new Set([...at, sent.length])].sort((a, b) => a - b);
      let from = 0;
      for (const end of ends) {
        await client.send(sent.subarray(from, end));
        await turn();
        from = end;
      }
      for (const { answer } of requests)
        assert.equal((await client.readAnswer()).body.toString('latin1'), answer);
      client.hangUp();
    }),
    { numRuns: 60 },
  );
});

test('a client that closes its sending side after several requests gets all responses', async (t) => {
  const url = await listening(t, echo);
  const client = await RawClient.connect(url);
  await client.send(['/1', '/2', '/3'].map((path) => encodeRawRequest({ path }).toString()).join(''));
  client.halfClose();
  for (const path of ['/1', '/2', '/3'])
    assert.equal((await client.readAnswer()).body.toString(), `${path} `);
  await client.waitForEnd();
  client.hangUp();
});
