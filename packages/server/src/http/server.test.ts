import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { encodeRawRequest, RawClient } from '@floe/testkit/raw-client';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { ListenError } from './listen.ts';
import { createHttpServer, type HttpRequestHandler, type ListenerHandler } from './server.ts';

/** Reads nothing ahead. */
const entranceOf = (onRequest: HttpRequestHandler): ListenerHandler => ({
  onRequest,
  findExchangeRoute: () => undefined,
});

async function listening(t: TestContext, onRequest: HttpRequestHandler): Promise<string> {
  const server = createHttpServer(entranceOf(onRequest), {
    clock: systemClock,
    log: silentLog,
    headerTimeouts: { headersMs: 60, checkIntervalMs: 15 },
  });
  const port = await server.listen('127.0.0.1', 0, 'server');
  t.after(() => server.drain(0));
  return `http://127.0.0.1:${port}`;
}

/** Answers when the body is whole. */
const whenWhole: HttpRequestHandler = (req, res) => {
  req.resume().on('end', () => res.end('whole'));
};

test('request headers that arrive too slowly result in a 408 and a closed connection', async (t) => {
  const url = await listening(t, whenWhole);
  for (const beginning of ['G', 'GET / HT', 'GET / HTTP/1.1\r\nhost: x\r\nx-a: ']) {
    const client = await RawClient.connect(url);
    await client.send(beginning);
    const answer = await client.readAnswer();
    assert.equal(answer.status, 408);
    assert.match(answer.body.toString(), /"code":"request_timeout".*"request_id":"exc_/);
    await client.waitForEnd();
    client.hangUp();
  }
});

test('a body may take longer than the headers, and so may the next request of a connection', async (t) => {
  let asked = 0;
  const url = await listening(t, (req, res, id) => {
    asked += 1;
    whenWhole(req, res, id);
  });
  const slow = await RawClient.connect(url);
  await slow.send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nab');
  const idle = await RawClient.connect(url);
  await idle.send(encodeRawRequest({ path: '/' }));
  assert.equal((await idle.readAnswer()).status, 200);
  // A head that stops is cut after the limit: by then the two above have waited as long.
  const stopped = await RawClient.connect(url);
  await stopped.send('GET');
  assert.equal((await stopped.readAnswer()).status, 408);
  stopped.hangUp();
  await slow.send('cde');
  assert.equal((await slow.readAnswer()).status, 200);
  await idle.send(encodeRawRequest({ path: '/' }));
  assert.equal((await idle.readAnswer()).status, 200);
  assert.equal(asked, 3);
  slow.hangUp();
  idle.hangUp();
});

test('if the server cannot listen, the message names the setting to change', async () => {
  const server = createHttpServer(entranceOf(whenWhole), { clock: systemClock, log: silentLog });
  for (const [host, says] of [
    ['203.0.113.1', /203\.0\.113\.1 is not an address of this machine. Change server\.listeners\[2\]\.host/],
    ['no host', /no host is not an address of this machine/],
    ['127.0.0.1:80', /is not an address of this machine/],
    ['/var/run/floe.sock', /is not an address of this machine/],
    ['2001:db8::1', /2001:db8::1 is not an address of this machine|does not support IPv6/],
  ] as const)
    await assert.rejects(
      server.listen(host, 0, 'server.listeners[2]'),
      (error) => error instanceof ListenError && says.test(error.message),
    );
});

const EXPECTING = 'POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n';

test('100 Continue is sent only when the body is read', async (t) => {
  const url = await listening(t, (req, res, id) => {
    if (req.url === '/refused') res.writeHead(401).end();
    else setImmediate(() => whenWhole(req, res, id));
  });
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
  socket.write(EXPECTING);
  assert.match(await said(socket), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
  socket.write('12345');
  assert.match(await said(socket), /^HTTP\/1\.1 200 OK\r\n.*\bConnection: keep-alive\r\n/s);
  // Whether the body follows a refusal nobody can tell: the connection ends.
  socket.write(EXPECTING.replace('/', '/refused'));
  assert.match(await said(socket), /^HTTP\/1\.1 401 Unauthorized\r\n.*\bConnection: close\r\n/s);
  await once(socket.resume(), 'close');
});

async function said(socket: Socket): Promise<string> {
  const [bytes] = await once(socket, 'data');
  return String(bytes);
}

test('a client that half-closes its connection after the request receives its response', async (t) => {
  const url = await listening(t, (req, res, id) => {
    req.socket.once('end', () => whenWhole(req, res, id));
  });
  for (const sent of [encodeRawRequest({ path: '/' }), EXPECTING.replace(/expect.*?\r\n/, '') + '12345']) {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), allowHalfOpen: true });
    socket.end(sent);
    const answer = (await socket.toArray()).map(String).join('');
    assert.match(answer, /^HTTP\/1\.1 200 OK.*whole/s);
  }
});
