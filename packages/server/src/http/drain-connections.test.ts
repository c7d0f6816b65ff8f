import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { encodeRawRequest, RawClient } from '@floe/testkit/raw-client';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import type { ClientCall } from '../gateway/client-call.ts';
import { encodeFastPathRequest, startDualPathServer } from './fast-path/test/dual-path-server.ts';
import { createHttpServer, type HttpRequestHandler } from './server.ts';

async function startServer(onRequest: HttpRequestHandler) {
  const handler = { onRequest, findExchangeRoute: () => undefined };
  const server = createHttpServer(handler, { clock: systemClock, log: silentLog });
  const port = await server.listen('127.0.0.1', 0, 'server');
  return { server, port, url: `http://127.0.0.1:${port}` };
}

test('connections that are established but not accepted are answered when the listener closes', async () => {
  const { server, port } = await startServer((_, res) => res.end('answered'));
  const sockets = Array.from({ length: 200 }, () => connect(port, '127.0.0.1'));
  const responses = sockets.map(async (socket) => {
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    return (await socket.toArray()).map(String).join('');
  });
  // All of them have connected, and none was accepted, before the next turn of the event loop.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  await server.drain(60_000);
  for (const response of await Promise.all(responses)) {
    assert.match(response, /^HTTP\/1\.1 200 OK/);
    assert.match(response, /connection: close/i);
  }
});

test('requests in progress during a shutdown end their connections', async () => {
  const ends: (() => void)[] = [];
  const { server, url } = await startServer((req, res) => {
    if (req.url === '/begun') res.write('begun ');
    ends.push(() => res.end('ended'));
  });
  const [begun, waiting] = [await RawClient.connect(url), await RawClient.connect(url)];
  await begun.send(encodeRawRequest({ path: '/begun' }));
  await waiting.send(encodeRawRequest({ path: '/waiting' }));
  while (ends.length < 2) await new Promise(setImmediate);
  server.announceClose();
  for (const end of ends) end();
  const responses = [await begun.readAnswer(), await waiting.readAnswer()];
  assert.deepEqual(
    responses.map(({ headers, body, isComplete }) => [headers['connection'], body.toString(), isComplete]),
    [
      ['keep-alive', 'begun ended', true],
      ['close', 'ended', true],
    ],
  );
  // Nothing but the announcement closes them: the listener is still open.
  await Promise.all([begun.waitForEnd(), waiting.waitForEnd()]);
  const later = await RawClient.connect(url);
  await later.send(encodeRawRequest({ path: '/' }));
  while (ends.length < 3) await new Promise(setImmediate);
  ends[2]?.();
  assert.equal((await later.readAnswer()).headers['connection'], 'close');
  await server.drain(1_000);
});

test('a request that was sent after the one in progress is answered before the connection ends', async () => {
  const ends: (() => void)[] = [];
  const { server, url } = await startServer((_, res) => {
    res.write('begun ');
    ends.push(() => res.end('ended'));
  });
  const client = await RawClient.connect(url);
  await client.send(Buffer.concat([encodeRawRequest({ path: '/1' }), encodeRawRequest({ path: '/2' })]));
  while (ends.length < 1) await new Promise(setImmediate);
  server.announceClose();
  ends[0]?.();
  assert.equal((await client.readAnswer()).body.toString(), 'begun ended');
  while (ends.length < 2) await new Promise(setImmediate);
  ends[1]?.();
  assert.equal((await client.readAnswer()).body.toString(), 'begun ended');
  await client.waitForEnd();
  await server.drain(1_000);
});

test('a stream of the fast path that began before the shutdown ends its connection', async () => {
  const clients: ClientCall[] = [];
  const { server, url } = await startDualPathServer(systemClock, (client) => void clients.push(client));
  const client = await RawClient.connect(url);
  await client.send(encodeFastPathRequest(''));
  while (clients.length < 1) await new Promise(setImmediate);
  clients[0]?.startAnswer(200, []);
  clients[0]?.write('begun ');
  server.announceClose();
  clients[0]?.endWith('ended');
  const response = await client.readAnswer();
  assert.deepEqual([response.headers['connection'], response.body.toString()], ['keep-alive', 'begun ended']);
  await client.waitForEnd();
  await server.drain(1_000);
});
