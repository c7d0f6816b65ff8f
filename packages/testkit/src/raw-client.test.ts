import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createCutResponseFault } from './connection-faults.ts';
import { type FakeUpstream, type FakeUpstreamOptions, startFakeUpstream } from './fake-upstream.ts';
import { findInjectedFault } from './fault-table.ts';
import { TestGate } from './gate.ts';
import { Http1MessageReader } from './http1-reader.ts';
import {
  createPaddingHeaders,
  DISCONNECT_STAGES,
  encodeRawRequest,
  RawClient,
  sendAndDisconnect,
  sendPipelined,
} from './raw-client.ts';
import { createJsonReply, type UpstreamReply } from './upstream-reply.ts';

const open: { close(): unknown }[] = [];
after(() => Promise.all(open.map((server) => server.close())));

async function start(options: FakeUpstreamOptions): Promise<FakeUpstream> {
  const upstream = await startFakeUpstream(options);
  open.push(upstream);
  return upstream;
}

/** A node:http server: a second opinion on what our bytes mean. */
async function startNode(answer: (request: IncomingMessage) => string): Promise<string> {
  const server: Server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end(answer(request)));
  });
  open.push({ close: () => server.close() });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  return `http://127.0.0.1:${address.port}`;
}

test('a message is read the same however its bytes arrive', () => {
  const wire = Buffer.from(
    'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n' +
      'HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nset-cookie: b\r\ntransfer-encoding: chunked\r\n\r\n' +
      '3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\ntrailer: t\r\n\r\n' +
      'HTTP/1.1 204 No Content\r\n\r\n' +
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello' +
      'HTTP/1.0 200 OK\r\n\r\nto the close',
  );
  const read = (cuts: readonly number[]) => {
    const seen: string[] = [];
    let body = '';
    const reader = new Http1MessageReader('response', {
      head: (head) => seen.push(`${head.startLine} ${JSON.stringify(head.headers)}`),
      data: (bytes) => {
        body += bytes.toString();
      },
      end: () => seen.push(`end ${body}`),
      broken: (reason) => seen.push(`broken ${reason}`),
    });
    let from = 0;
    for (const to of [...cuts, wire.length]) {
      reader.push(wire.subarray(from, to));
      from = to;
    }
    reader.close();
    return seen;
  };
  const whole = read([]);
  assert.equal(whole.length, 9);
  assert.equal(whole.at(-1), 'end abc0123456789helloto the close');
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: wire.length - 1 })), (cuts) => {
      assert.deepEqual(read(cuts.sort((a, b) => a - b)), whole);
    }),
  );
});

test('repeated headers and odd spellings reach the server as written', async () => {
  const url = await startNode((request) => JSON.stringify(request.rawHeaders));
  const client = await RawClient.connect(url);
  await client.send(
    encodeRawRequest({
      path: '/',
      headers: [
        ['X-One', '1'],
        ['x-ONE', '2'],
      ],
      body: '{}',
    }),
  );
  const answer = await client.readAnswer();
  assert.deepEqual(JSON.parse(answer.body.toString()), [
    'host',
    '127.0.0.1',
    'X-One',
    '1',
    'x-ONE',
    '2',
    'content-length',
    '2',
  ]);
  assert.equal(answer.isComplete, true);
  client.hangUp();
});

test('pipelined requests are answered in order on one connection', async () => {
  const url = await startNode((request) => String(request.url));
  const answers = await sendPipelined(url, [{ path: '/a' }, { path: '/b', body: 'x' }, { path: '/c' }]);
  assert.deepEqual(
    answers.map((answer) => answer.body.toString()),
    ['/a', '/b', '/c'],
  );
});

test('a head beyond the limit is really sent', async () => {
  const url = await startNode(() => 'never');
  const client = await RawClient.connect(url);
  await client.send(encodeRawRequest({ path: '/', headers: createPaddingHeaders(32_000) }));
  assert.equal((await client.readAnswer()).status, 431);
  await client.waitForEnd();
});

test('a slow writer sends only what the test lets through', async () => {
  const upstream = await start({
    respond: (request): UpstreamReply => createJsonReply({ got: request.body.toString() }),
  });
  const gate = new TestGate();
  const client = await RawClient.connect(upstream.url);
  const bytes = encodeRawRequest({ path: '/', body: 'slowly' });
  const sending = client.sendSlowly(bytes, 10, gate);
  await gate.arrivalCount();
  assert.equal(upstream.requests.length, 0);
  gate.open();
  await sending;
  assert.equal((await client.readAnswer()).body.toString(), '{"got":"slowly"}');
  client.hangUp();
});

test('a reader that stops reading holds the upstream back', async () => {
  const upstream = await start({ script: [createJsonReply({})], faults: [findInjectedFault('huge-answer')] });
  const client = await RawClient.connect(upstream.url);
  await client.send(encodeRawRequest({ path: '/' }));
  assert.equal((await client.readBytes(5)).toString(), 'HTTP/');
  const [request] = await upstream.waitForRequests(1);
  client.reset();
  await request?.settled;
  assert.equal(request?.isAborted, true);
});

test('a body that is cut off is told from one that ended', async () => {
  for (const framing of ['chunked', 'content-length'] as const) {
    const fault = createCutResponseFault({ by: 'fin', framing, afterByte: 4 });
    const upstream = await start({ script: [createJsonReply({ a: 1 })], faults: [fault] });
    const client = await RawClient.connect(upstream.url);
    await client.send(encodeRawRequest({ path: '/' }));
    const answer = await client.readAnswer();
    assert.equal(answer.body.toString(), '{"a"');
    assert.equal(answer.isComplete, false);
    await assert.rejects(client.readAnswer(), /ended before an answer began/);
  }
});

test('interim answers are kept apart from the answer', async () => {
  const upstream = await start({
    script: [createJsonReply({})],
    faults: [findInjectedFault('interim-noise')],
  });
  const client = await RawClient.connect(upstream.url);
  await client.send(encodeRawRequest({ path: '/' }));
  const answer = await client.readAnswer();
  assert.deepEqual(answer.interim, [100, 102, 103]);
  assert.equal(answer.status, 200);
  client.hangUp();
});

test('what is not HTTP is refused by name', async () => {
  const upstream = await start({
    script: [createJsonReply({})],
    faults: [findInjectedFault('garbage-http')],
  });
  const client = await RawClient.connect(upstream.url);
  await client.send(encodeRawRequest({ path: '/' }));
  await assert.rejects(client.readAnswer(), /not an answer/);
});

for (const stage of DISCONNECT_STAGES)
  test(`hanging up ${stage} leaves no request that counts as answered`, async () => {
    const upstream = await start({
      script: [{ ...createJsonReply({ a: 1 }), chunking: { at: [1] }, isPaced: true }],
    });
    upstream.gate.release();
    await sendAndDisconnect(upstream.url, stage, { path: '/x', body: 'abcdef' });
    if (stage === 'inside-headers') return assert.equal(upstream.requests.length, 0);
    const [request] = await upstream.waitForRequests(1);
    await request?.settled;
    assert.equal(request?.isAborted, true);
    const wholeBody = stage === 'after-request' || stage === 'after-first-answer-byte';
    assert.equal(request?.body.toString(), wholeBody ? 'abcdef' : '');
  });
