// Requests over real sockets: when a connection is used again, when never, and what becomes of one that breaks.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { FlowControl, UpstreamRequest } from '../transport.ts';
import { createUpstreamHttpTransport } from '../upstream-http-transport.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

interface Upstream {
  readonly origin: string;
  /** One for each connection made, oldest first. */
  readonly sockets: readonly Socket[];
  /** Everything that came over each of them. */
  readonly heard: readonly string[];
}

/** A server that does `serve` with every piece that comes. */
async function upstream(t: TestContext, serve: (socket: Socket, text: string) => void): Promise<Upstream> {
  const sockets: Socket[] = [];
  const heard: string[] = [];
  const server: Server = createServer({ noDelay: true }, (socket) => {
    const n = sockets.push(socket) - 1;
    heard.push('');
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      heard[n] += bytes.toString('latin1');
      serve(socket, bytes.toString('latin1'));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  return { origin: `http://127.0.0.1:${address.port}`, sockets, heard };
}

function transportFor(t: TestContext) {
  const transport = createUpstreamHttpTransport();
  t.after(() => transport.close());
  return transport;
}

type Transport = ReturnType<typeof createUpstreamHttpTransport>;

interface Call {
  readonly ended: Promise<string>;
  readonly connected: Promise<void>;
  readonly flow: Promise<FlowControl>;
  cancel(): void;
}

/** `isPaused`: its answer is held back from its head on. */
function call(
  transport: Transport,
  origin: string,
  { isHeld, ...more }: Partial<UpstreamRequest> & { readonly isHeld?: boolean } = {},
): Call {
  const ended = Promise.withResolvers<string>();
  const connected = Promise.withResolvers<void>();
  const flow = Promise.withResolvers<FlowControl>();
  let text = '';
  const request = { method: 'POST', origin, path: '/', headers: ['a', 'b'], connectMs: 5_000, ...more };
  const cancel = transport.dispatch(
    { body: Buffer.from('{}'), ...request },
    {
      onConnected: () => connected.resolve(),
      onHead(status, _, brakes) {
        text += `${status} `;
        if (isHeld) brakes.pause();
        flow.resolve(brakes);
      },
      onData(bytes) {
        text += bytes.toString('latin1');
      },
      onEnd: () => ended.resolve(text),
      onError: (error) => ended.reject(error),
    },
  );
  return { ended: ended.promise, connected: connected.promise, flow: flow.promise, cancel };
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error);
const failsWith = (promise: Promise<unknown>, code: string) =>
  assert.rejects(promise, (error) => {
    assert.equal(codeOf(error), code);
    return true;
  });

/** Until both ends know what the other did. */
async function closed(socket: Socket | undefined): Promise<void> {
  if (socket && !socket.destroyed) await once(socket, 'close');
}

test('sequential requests share one connection, and simultaneous ones have one each', async (t) => {
  const { origin, sockets, heard } = await upstream(t, (socket) => socket.write(OK));
  const transport = transportFor(t);
  for (let n = 0; n < 3; n++) assert.equal(await call(transport, origin).ended, '200 ok');
  assert.equal(sockets.length, 1);
  await Promise.all([call(transport, origin).ended, call(transport, origin).ended]);
  assert.equal(sockets.length, 2);
  const host = origin.slice('http://'.length);
  assert.ok(
    heard[0]?.startsWith(
      `POST / HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\na: b\r\ncontent-length: 2\r\n\r\n{}POST`,
    ),
  );
});

test('a connection that must not be kept or has extra data is closed after its response', async (t) => {
  const answers = [
    'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok',
    'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok',
    `${OK}surplus`,
  ];
  const { origin, sockets } = await upstream(t, (socket) => socket.write(answers[sockets.length - 1] ?? OK));
  const transport = transportFor(t);
  for (const _ of answers) assert.equal(await call(transport, origin).ended, '200 ok');
  assert.equal(await call(transport, origin).ended, '200 ok');
  assert.equal(sockets.length, 4);
});

test('an idle connection that ends or receives data is not used', async (t) => {
  const { origin, sockets } = await upstream(t, (socket) => socket.write(OK));
  const transport = transportFor(t);
  await call(transport, origin).ended;
  sockets[0]?.end();
  await closed(sockets[0]);
  assert.equal(await call(transport, origin).ended, '200 ok');
  sockets[1]?.write('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n');
  await closed(sockets[1]);
  assert.equal(await call(transport, origin).ended, '200 ok');
  assert.equal(sockets.length, 3);
});

test('an end, a reset and invalid data during a response are reported as such', async (t) => {
  const endings: ((socket: Socket) => void)[] = [
    (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel'),
    (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n'),
    (socket) => socket.end(),
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.write('nonsense\r\n\r\n'),
  ];
  const { origin, sockets } = await upstream(t, (socket) => endings[sockets.length - 1]?.(socket));
  const transport = transportFor(t);
  for (const code of ['closed_early', 'closed_early', 'closed_early', 'ECONNRESET', 'status_line'])
    await failsWith(call(transport, origin).ended, code);
});

test('a response without a length ends with its connection', async (t) => {
  const { origin } = await upstream(t, (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nall'));
  assert.equal(await call(transportFor(t), origin).ended, '200 all');
});

test('canceling a call closes its connection, and the call receives nothing more', async (t) => {
  const { origin, sockets } = await upstream(t, (socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel'),
  );
  const transport = transportFor(t);
  const one = call(transport, origin);
  let told: unknown = null;
  one.ended.then(
    (text) => {
      told = text;
    },
    (error: unknown) => {
      told = error;
    },
  );
  await one.flow;
  one.cancel();
  one.cancel();
  await closed(sockets[0]);
  assert.equal(told, null);
});

test('a call that is canceled before it is connected is never sent, and its connection serves the next one', async (t) => {
  const { origin, sockets, heard } = await upstream(t, (socket) => socket.write(OK));
  const transport = transportFor(t);
  call(transport, origin, { path: '/never' }).cancel();
  assert.equal(await call(transport, origin, { path: '/second' }).ended, '200 ok');
  assert.equal(await call(transport, origin, { path: '/third' }).ended, '200 ok');
  await Promise.all([call(transport, origin).ended, call(transport, origin).ended]);
  assert.equal(sockets.length, 2);
  assert.ok(!heard.join('').includes('/never'));
});

test('a response before the end of a long request ends the call, and its connection is not reused', async (t) => {
  const { origin, sockets } = await upstream(t, (socket) => {
    socket.pause();
    socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno');
  });
  const transport = transportFor(t);
  const body = Buffer.alloc(64 * 1024 * 1024);
  assert.equal(await call(transport, origin, { body }).ended, '413 no');
  assert.equal(sockets.length, 1);
  call(transport, origin, { path: '/next' }).ended.catch(() => undefined);
  while (sockets.length < 2) await new Promise((resolve) => setImmediate(resolve));
});

test('a long response waits while it is paused, and continues to its last byte', async (t) => {
  const long = 'x'.repeat(8 * 1024 * 1024);
  const { origin } = await upstream(t, (socket) =>
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${long.length}\r\n\r\n${long}`),
  );
  const one = call(transportFor(t), origin);
  const flow = await one.flow;
  flow.pause();
  let isOver = false;
  void one.ended.then(() => {
    isOver = true;
  });
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isOver, false);
  flow.resume();
  assert.equal(await one.ended, `200 ${long}`);
});

test('data from before the connection ended is read completely after a pause', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nabcd\r\n';
  const rests = ['4\r\nefgh\r\n0\r\n\r\n', '4\r\nefgh\r\n', '4\r\nefgh\r\nnonsense'];
  const { origin, sockets } = await upstream(t, (socket) => socket.end(head + rests[sockets.length - 1]));
  const transport = transportFor(t);
  const told: string[] = [];
  for (const _ of rests) {
    const one = call(transport, origin, { isHeld: true });
    const flow = await one.flow;
    // Long enough for the end to come while the body is held back.
    for (let turns = 0; turns < 50; turns++) await new Promise((turn) => setImmediate(turn));
    flow.resume();
    told.push(await one.ended.catch((error: unknown) => String(codeOf(error))));
  }
  assert.deepEqual(told, ['200 abcdefgh', 'closed_early', 'chunk']);
});

test('resuming an earlier response does not affect the current one', async (t) => {
  const { origin, sockets } = await upstream(t, (socket, text) =>
    socket.write(text.includes('/second') ? 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n' : OK),
  );
  const transport = transportFor(t);
  const first = call(transport, origin);
  const earlier = await first.flow;
  await first.ended;
  const second = call(transport, origin, { path: '/second' });
  const held = await second.flow;
  held.pause();
  earlier.resume();
  sockets[0]?.write('late');
  let isOver = false;
  void second.ended.then(() => {
    isOver = true;
  });
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isOver, false);
  held.resume();
  assert.equal(await second.ended, '200 late');
  assert.equal(sockets.length, 1);
});

test('a request that could break its framing is never sent', async (t) => {
  const { origin, sockets } = await upstream(t, (socket) => socket.write(OK));
  const transport = transportFor(t);
  const unsendable: Partial<UpstreamRequest>[] = [
    { path: '/a b' },
    { path: '/a\r\nx: y' },
    { path: '/ŝ' },
    { path: '' },
    { method: 'GET / HTTP/1.1\r\n' },
    { headers: ['a', 'b\r\nc: d'] },
    { headers: ['a\r\nb', 'c'] },
    { headers: ['a', 'ŝ'] },
    { headers: ['', 'a'] },
  ];
  for (const more of unsendable) await failsWith(call(transport, origin, more).ended, 'unsendable');
  assert.equal(sockets.length, 0);
});

test('Floe sets the length, and a header can set the host', async (t) => {
  const { origin, heard } = await upstream(t, (socket) => socket.write(OK));
  const transport = transportFor(t);
  const headers = [
    'Host',
    'api.test',
    'Content-Length',
    '7',
    'Transfer-Encoding',
    'chunked',
    'Connection',
    'x',
  ];
  await call(transport, origin, { headers }).ended;
  assert.equal(
    heard[0],
    'POST / HTTP/1.1\r\nhost: api.test\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\n{}',
  );
});

test('a request without a body has a length only if a body could be expected', async (t) => {
  const { origin, heard } = await upstream(t, (socket) =>
    socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'),
  );
  const transport = transportFor(t);
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE'])
    await call(transport, origin, { method, body: null, headers: [] }).ended;
  assert.deepEqual(
    heard.map((text) => /content-length: \d/.exec(text)?.[0]),
    [undefined, undefined, 'content-length: 0', 'content-length: 0'],
  );
});
