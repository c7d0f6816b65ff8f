import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { RawClient } from '@floe/testkit/raw-client';
import { type Clock, systemClock } from '../../core/clock.ts';
import { type ClientCall, ClientDisconnectedError } from '../../gateway/client-call.ts';
import {
  type DualPathServer,
  encodeFastPathRequest,
  encodeNodeHttpRequest,
  startDualPathServer,
} from './test/dual-path-server.ts';

async function started(
  t: TestContext,
  answer: (client: ClientCall) => void,
  clock: Clock = systemClock,
): Promise<DualPathServer> {
  const harness = await startDualPathServer(clock, answer);
  t.after(() => harness.server.drain(0));
  return harness;
}

/** Answers with what the request said. */
async function echo(client: ClientCall): Promise<void> {
  const body = await client.readBody(1 << 20).catch((error: unknown) => {
    assert.ok(error instanceof ClientDisconnectedError);
    return Buffer.alloc(0);
  });
  client.sendAnswer(200, ['content-type', 'text/plain'], `${client.target} ${body.toString()}`);
}

/** What comes for these bytes, and whether the connection ends behind it. */
async function answerTo(url: string, sent: string): Promise<unknown> {
  const client = await RawClient.connect(url);
  await client.send(sent);
  const { headers, rawHeaders, body, ...rest } = await client.readAnswer();
  assert.match(headers['date'] ?? '', /GMT$/);
  const isEnding = !rest.isComplete || headers['connection'] === 'close';
  if (isEnding) await client.waitForEnd();
  client.hangUp();
  return { ...rest, body: body.toString('latin1'), fields: rawHeaders.filter(([name]) => name !== 'Date') };
}

const LONG = 'x'.repeat(40_000);

const ANSWERS: readonly (readonly [what: string, answer: (client: ClientCall) => void])[] = [
  ['short', (client) => client.sendAnswer(200, ['a', 'b', 'A', 'c'], '{"ä":1}')],
  ['empty', (client) => client.sendAnswer(200, [], '')],
  ['long', (client) => client.sendAnswer(418, ['a', '\xe9'], LONG)],
  ['without a body', (client) => client.sendAnswer(204, ['a', 'b'], '')],
  ['not modified', (client) => client.sendAnswer(304, ['etag', '"1"'], '')],
  ['of an unknown status', (client) => client.sendAnswer(599, [], 'no')],
  [
    'with what every answer has',
    (client) => {
      client.setHeader('x-always', 'yes');
      client.sendAnswer(200, ['a', 'b'], 'body');
    },
  ],
  [
    'a stream',
    (client) => {
      client.startAnswer(200, ['content-type', 'text/event-stream']);
      client.write('data: ä\n\n');
      client.write('');
      client.write(Buffer.from(LONG));
      client.writeComment(': still here\n\n');
      client.end();
      client.sendAnswer(500, [], 'too late');
    },
  ],
  [
    'a stream of nothing',
    (client) => {
      client.startAnswer(200, []);
      client.end();
    },
  ],
  [
    'a stream that ends in an error',
    (client) => {
      client.startAnswer(200, []);
      client.write('data: 1\n\n');
      client.endWith('data: error\n\n');
    },
  ],
  [
    'a stream that breaks off',
    (client) => {
      client.startAnswer(200, []);
      client.write('data: 1\n\n');
      client.abort();
    },
  ],
];

test('a response is the same for every entry point of its request', async (t) => {
  for (const [what, answer] of ANSWERS) {
    const harness = await started(t, (client) => void client.readBody(99).then(() => answer(client)));
    const plain = await answerTo(harness.url, encodeFastPathRequest('{}'));
    assert.deepEqual(plain, await answerTo(harness.url, encodeNodeHttpRequest('{}')), what);
    assert.deepEqual(harness.ways, ['plain', 'node']);
  }
});

test('a header that contains a line break is never sent', async (t) => {
  const harness = await started(t, (client) => {
    assert.throws(() => client.sendAnswer(200, ['a', 'b\r\nc: d'], ''), /"a" contains a character/);
    assert.throws(() => client.sendAnswer(200, ['a\r\nb', 'c'], ''), /contains a character/);
    assert.throws(() => client.startAnswer(200, ['a', '\u{1f4a9}']), /contains a character/);
    client.sendAnswer(500, [], 'told');
  });
  const client = await RawClient.connect(harness.url);
  await client.send(encodeFastPathRequest(''));
  assert.equal((await client.readAnswer()).status, 500);
  client.hangUp();
});

test('a request that is split at any byte has the same response', async (t) => {
  const harness = await started(t, (client) => void echo(client), new FakeClock());
  const whole = Buffer.from(encodeFastPathRequest('{"model":"ä"}'));
  for (let cut = 1; cut < whole.length; cut += 1) {
    const client = await RawClient.connect(harness.url);
    await client.send(whole.subarray(0, cut));
    await new Promise(setImmediate);
    await client.send(whole.subarray(cut));
    assert.match((await client.readAnswer()).body.toString(), /"ä"\}$/, `cut at ${cut}`);
    client.hangUp();
  }
  assert.ok(harness.ways.every((way) => way === 'plain'));
});

test('a request that is not complete in time continues at node:http, wherever it stopped', async (t) => {
  const clock = new FakeClock();
  const harness = await started(t, (client) => void echo(client), clock);
  const whole = Buffer.from(encodeFastPathRequest('{"model":"ä"}'));
  const cuts = [1, 5, 30, whole.indexOf('\r\n\r\n') + 2, whole.length - 14, whole.length - 1];
  for (const cut of cuts) {
    const socket = await connected(harness.url);
    await written(socket, whole.subarray(0, cut));
    await turns();
    clock.advance(60);
    await written(socket, whole.subarray(cut));
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /"model":"ä"\}$/, `cut at ${cut}`);
    socket.destroy();
  }
  assert.deepEqual(harness.ways, Array(cuts.length).fill('node'));
});

test('pipelined requests are answered in order, on the fast path or not', async (t) => {
  const harness = await started(t, (client) => void echo(client));
  const client = await RawClient.connect(harness.url);
  const bodies = ['1', '2', '3', '4', '5'];
  await client.send(
    bodies.map((body) => (body === '3' ? encodeNodeHttpRequest(body) : encodeFastPathRequest(body))).join(''),
  );
  for (const body of bodies)
    assert.match((await client.readAnswer()).body.toString(), new RegExp(` ${body}$`));
  await client.send(encodeFastPathRequest('6'));
  assert.match((await client.readAnswer()).body.toString(), / 6$/);
  client.hangUp();
});

test('one connection serves fast-path requests in sequence, and all further requests after another one', async (t) => {
  const harness = await started(t, (client) => void echo(client));
  const client = await RawClient.connect(harness.url);
  for (const sent of [
    encodeFastPathRequest('1'),
    encodeFastPathRequest('2'),
    encodeNodeHttpRequest('3'),
    encodeFastPathRequest('4'),
  ]) {
    await client.send(sent);
    assert.equal((await client.readAnswer()).status, 200);
  }
  assert.deepEqual(harness.ways, ['plain', 'plain', 'node', 'node']);
  client.hangUp();
});

test('for a client that pipelines without reading, at most 64 KB are read', async (t) => {
  let go: () => void = () => undefined;
  const harness = await started(t, (client) => {
    go = () => void echo(client);
  });
  const socket = await connected(harness.url);
  await written(socket, Buffer.from(encodeFastPathRequest('first')));
  const ahead = Buffer.from(encodeFastPathRequest('y'.repeat(60_000)).repeat(400));
  let isTaken = false;
  socket.write(ahead, () => {
    isTaken = true;
  });
  await turns();
  assert.equal(isTaken, false, 'most of 24 MB still waits on the client’s side');
  assert.deepEqual(harness.ways, ['plain']);
  go();
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), / first$/);
  socket.destroy();
});

test('a request that arrives while its connection closes is not processed', async (t) => {
  let ask: () => void = () => undefined;
  const harness = await started(t, (client) => {
    client.startAnswer(200, []);
    client.write('data: 1\n\n');
    ask = () => client.abort();
  });
  // Half closed by the server, and not by this client: its own side stays open for a while.
  const socket = connect({ port: Number(new URL(harness.url).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  await written(socket, Buffer.from(encodeFastPathRequest('1')));
  await once(socket, 'data');
  // Whatever comes ahead of the end, and behind it.
  await written(socket, Buffer.from(encodeFastPathRequest('2').slice(0, 30)));
  await turns();
  ask();
  await written(socket, Buffer.from(encodeFastPathRequest('2').slice(30) + encodeFastPathRequest('3')));
  await turns();
  assert.deepEqual(harness.ways, ['plain']);
  socket.destroy();
});

test('a disconnected client is reported once, and the rest of its request is accounted for', async (t) => {
  const gone: string[] = [];
  const harness = await started(
    t,
    (client) => {
      client.onInterrupt = () => gone.push(client.target);
      void client.readBody(99).catch((error: unknown) => {
        assert.ok(error instanceof ClientDisconnectedError);
        client.sendAnswer(499, [], '');
      });
    },
    new FakeClock(),
  );
  for (const sent of [encodeFastPathRequest('whole'), encodeFastPathRequest('not whole').slice(0, -3)])
    for (const leave of [(socket: Socket) => socket.destroy(), (socket: Socket) => socket.end()]) {
      const before = harness.ways.length;
      const socket = await connected(harness.url);
      await written(socket, Buffer.from(sent));
      await turns();
      leave(socket);
      await until(() => harness.ways.length > before && gone.length > before);
      socket.destroy();
    }
  assert.equal(gone.length, 4);
  assert.ok(harness.ways.every((way) => way === 'plain'));
});

test('an idle connection ends after its timeout without a response, whether it was used or not', async (t) => {
  const clock = new FakeClock();
  const harness = await started(t, (client) => void echo(client), clock);
  const silent = await connected(harness.url);
  const late = await connected(harness.url);
  const resting = await connected(harness.url);
  let said = '';
  silent.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  await written(resting, Buffer.from(encodeFastPathRequest('1')));
  await once(resting, 'data');
  clock.advance(75_000);
  await written(late, Buffer.from(encodeFastPathRequest('0')));
  await once(late, 'data');
  await written(resting, Buffer.from(encodeFastPathRequest('2')));
  await once(resting, 'data');
  const ended = Promise.all([silent, late, resting].map((socket) => once(socket.resume(), 'close')));
  clock.advance(78_000);
  await ended;
  assert.equal(said, '');
  assert.deepEqual(harness.ways, ['plain', 'plain', 'plain']);
});

test('a drain lets the response in progress finish with connection: close, and closes idle connections', async () => {
  const clients: ClientCall[] = [];
  const harness = await startDualPathServer(systemClock, (client) => void clients.push(client));
  const [resting, busy] = [await RawClient.connect(harness.url), await RawClient.connect(harness.url)];
  await resting.send(encodeFastPathRequest('1'));
  await until(() => clients.length === 1);
  clients[0]?.sendAnswer(200, [], 'first');
  assert.equal((await resting.readAnswer()).headers['connection'], 'keep-alive');
  await busy.send(encodeFastPathRequest('2'));
  await until(() => clients.length === 2);
  const drained = harness.server.drain(60_000);
  await resting.waitForEnd();
  clients[1]?.sendAnswer(200, [], 'second');
  const last = await busy.readAnswer();
  assert.deepEqual([last.headers['connection'], last.body.toString()], ['close', 'second']);
  await busy.waitForEnd();
  await drained;
});

test('a slow reader receives all of a long response, whatever ends meanwhile', async (t) => {
  const clock = new FakeClock();
  const long = Buffer.alloc(32 << 20, 'x');
  const harness = await started(t, (client) => client.sendAnswer(200, [], long), clock);
  for (const wait of [() => clock.advance(200_000), () => void harness.server.drain(1_000_000)]) {
    const client = await RawClient.connect(harness.url);
    await client.send(encodeFastPathRequest(''));
    const first = await client.readBytes(1_000);
    assert.ok(first.length > 0);
    wait();
    clock.advance(1_000);
    let size = first.length;
    for (let more = first; size < long.length && more.length > 0; size += more.length) {
      more = await client.readBytes(1 << 20);
      clock.advance(1_000);
    }
    assert.ok(size > long.length, `${size} bytes came`);
    client.hangUp();
  }
});

async function connected(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

function written(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    socket.write(bytes, () => resolve());
  });
}

/** Long enough for what was sent over loopback to have been read. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}
