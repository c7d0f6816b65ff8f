import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { type Chunking, splitBody } from './chunking.ts';
import { type FakeUpstream, type FakeUpstreamOptions, startFakeUpstream } from './fake-upstream.ts';
import { callHttp } from './http-client.ts';
import { createJsonReply, createSseReply, type UpstreamReply } from './upstream-reply.ts';

const open: FakeUpstream[] = [];
after(() => Promise.all(open.map((upstream) => upstream.close())));

async function start(options: FakeUpstreamOptions): Promise<FakeUpstream> {
  const upstream = await startFakeUpstream(options);
  open.push(upstream);
  return upstream;
}

const STREAM = createSseReply([
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'Grüße, 世界' } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  'data: [DONE]\n\n',
]);

test('any cutting of a body gives back its bytes and no empty piece', () => {
  const types = fc.constantFrom(
    'text/event-stream',
    'application/x-ndjson',
    'application/json',
    'application/vnd.amazon.eventstream',
  );
  const chunkings: fc.Arbitrary<Chunking> = fc.oneof(
    fc.constantFrom<Chunking>('whole', 'every-byte', 'frames'),
    fc.record({ at: fc.array(fc.integer({ min: -1, max: 80 })) }),
    fc.record({ seed: fc.integer(), meanBytes: fc.integer({ min: 1, max: 20 }) }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), chunkings, types, (bytes, chunking, type) => {
      const body = Buffer.from(bytes);
      const pieces = splitBody(body, chunking, type);
      assert.deepEqual(Buffer.concat(pieces), body);
      assert.ok(pieces.every((piece) => piece.length > 0));
    }),
    { numRuns: process.env['FLOE_TEST_FULL'] ? 20_000 : 1000 },
  );
});

test('every chunking and framing delivers the same bytes', async () => {
  const chunkings: Chunking[] = [
    'whole',
    'every-byte',
    'frames',
    { at: [1, 7, 8] },
    { seed: 4, meanBytes: 5 },
  ];
  for (const chunking of chunkings)
    for (const framing of ['chunked', 'content-length', 'close'] as const) {
      const upstream = await start({ script: [{ ...STREAM, chunking, framing }] });
      const answer = await callHttp(upstream.url);
      assert.equal(answer.text, STREAM.body, `${JSON.stringify(chunking)} ${framing}`);
      assert.equal(answer.isComplete, true);
      assert.equal(answer.headers['content-type'], 'text/event-stream; charset=utf-8');
    }
});

test('with chunked framing a parser reports exactly the pieces that were asked for', async () => {
  const upstream = await start({ script: [{ ...STREAM, chunking: { at: [3, 10] }, framing: 'chunked' }] });
  const pieces: string[] = [];
  await callHttp(upstream.url, { onChunk: (piece) => pieces.push(piece.toString()) });
  assert.deepEqual(pieces.slice(0, 2), ['dat', 'a: {"ch']);
  assert.equal(pieces.length, 3);
});

test('the journal holds what was received: target, headers as spelled, body bytes, one number per socket', async () => {
  const upstream = await start({ respond: () => createJsonReply({ ok: true }) });
  const body = Buffer.from([0, 255, 10, 13]);
  await callHttp(`${upstream.url}/v1/x?y=1`, { headers: { 'X-Twice': ['a', 'b'] }, body });
  await callHttp(`${upstream.url}/v1/x`, { headers: { 'transfer-encoding': 'chunked' }, body: 'later' });
  const [first, second] = upstream.requests;
  assert.ok(first && second);
  assert.equal(first.method, 'POST');
  assert.equal(first.path, '/v1/x?y=1');
  assert.deepEqual(first.body, body);
  assert.equal(first.headers['x-twice'], 'a, b');
  assert.equal(first.rawHeaders.filter(([name]) => name === 'X-Twice').length, 2);
  assert.equal(second.body.toString(), 'later');
  assert.notEqual(first.socketId, second.socketId);
  assert.ok(second.receivedAtMs >= first.receivedAtMs);
  await Promise.all([first.settled, second.settled]);
  assert.deepEqual([first.isAborted, second.isAborted], [false, false]);
  assert.equal(upstream.connections().opened, 2);
});

test('a script answers in order and stays with its last answer', async () => {
  const upstream = await start({ script: [createJsonReply({ n: 1 }, 503), createJsonReply({ n: 2 })] });
  const statuses: number[] = [];
  for (let n = 0; n < 3; n++) statuses.push((await callHttp(upstream.url)).status);
  assert.deepEqual(statuses, [503, 200, 200]);
});

test('a paced answer moves only when the test releases its gate', async () => {
  const upstream = await start({ script: [{ ...STREAM, isPaced: true }] });
  const pieces: string[] = [];
  const ended = callHttp(upstream.url, {
    onChunk(piece) {
      pieces.push(piece.toString());
      upstream.gate.release();
    },
  });
  await upstream.gate.arrivalCount();
  assert.deepEqual(pieces, []);
  upstream.gate.release();
  await ended;
  assert.equal(pieces.length, 3);
});

test('a caller that leaves is marked aborted, at the gate and in the middle of its request', async () => {
  const upstream = await start({ script: [{ ...STREAM, isPaced: true }] });
  const leaving = new AbortController();
  const answer = callHttp(upstream.url, { signal: leaving.signal });
  const [request] = await upstream.waitForRequests(1);
  await upstream.gate.arrivalCount();
  leaving.abort();
  await answer.then(
    (cut) => assert.equal(cut.isComplete, false),
    (error: unknown) => assert.ok(error instanceof Error),
  );
  await request?.settled;
  assert.equal(request?.isAborted, true);

  const halfway = httpRequest(upstream.url, { method: 'POST', headers: { 'content-length': 100 } });
  halfway.on('error', () => halfway.destroy());
  halfway.write('only this');
  const [, second] = await upstream.waitForRequests(2);
  halfway.destroy();
  await second?.settled;
  assert.equal(second?.isAborted, true);
  assert.equal(second?.body.length, 0);
});

test('an answer may depend on the request and its number', async () => {
  const upstream = await start({
    respond: (request, index): UpstreamReply => createJsonReply({ index, path: request.path }),
  });
  await callHttp(`${upstream.url}/a`);
  assert.deepEqual((await callHttp(`${upstream.url}/b`)).json(), { index: 1, path: '/b' });
});
