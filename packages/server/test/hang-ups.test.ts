// Tier: ci. Waits for clients that leave.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { callHttp } from '@floe/testkit/http-client';
import { DISCONNECT_STAGES, encodeRawRequest, RawClient, sendAndDisconnect } from '@floe/testkit/raw-client';
import { createJsonReply, createSseReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { assertErrorAnswer } from './assert-error-answer.ts';
import {
  assertHealthy,
  buildChatBody,
  CHAT_COMPLETIONS_PATH,
  GATEWAY_KEYS,
  type RunningGateway,
  startRunningGateway,
} from './running-gateway.ts';

const EVENTS = 40;
const chunk = (content: string, finish: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  model: 'model',
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
});
/** Paced: every event waits at the upstream's gate. */
const PACED: UpstreamReply = {
  ...createSseReply([
    ...Array.from({ length: EVENTS }, (_, n) => chunk(`w${n} `)),
    chunk('', 'stop'),
    'data: [DONE]\n\n',
  ]),
  isPaced: true,
};
/** 24 MB of events: far more than all buffers between upstream and client hold. */
const BIG_EVENT = 'x'.repeat(24_000);
const BIG_EVENTS = 1000;
const BIG = createSseReply([
  ...Array.from({ length: BIG_EVENTS }, (_, n) => chunk(`${n}:${BIG_EVENT}`)),
  chunk('', 'stop'),
  'data: [DONE]\n\n',
]);

let gateway: RunningGateway;
/** Clients that stop inside their headers or body: opened first, since what ends them takes half a minute. */
let stalled: { readonly what: string; readonly client: RawClient }[] = [];
before(async () => {
  gateway = await startRunningGateway({
    upstream: {
      respond({ method, body }) {
        // The list of models is read at the start and must not wait at the gate.
        if (method === 'GET') return createJsonReply({ object: 'list', data: [] });
        return body.includes('"BIG"') ? BIG : PACED;
      },
    },
  });
  await gateway.upstream.waitForRequests(1);
  stalled = await openStalled(gateway.floe.url);
});
after(() => gateway.stop());

const HEADERS: [string, string][] = [['authorization', `Bearer ${GATEWAY_KEYS.full}`]];
const STREAM = {
  path: CHAT_COMPLETIONS_PATH,
  headers: HEADERS,
  body: JSON.stringify(buildChatBody({ stream: true })),
};

async function openStalled(url: string) {
  const body = encodeRawRequest(STREAM);
  const api = encodeRawRequest({
    path: '/api/management/keys',
    headers: [...HEADERS, ['content-type', 'application/json']],
    body: '{"name":"x"}',
  });
  const parts: readonly (readonly [string, Buffer])[] = [
    ['inside the headers', body.subarray(0, 40)],
    ['inside the body', body.subarray(0, -10)],
    ['before the body', body.subarray(0, -STREAM.body.length)],
    ['inside a body of the API', api.subarray(0, -3)],
  ];
  return Promise.all(
    parts.map(async ([what, bytes]) => {
      const client = await RawClient.connect(url);
      await client.send(bytes);
      return { what, client };
    }),
  );
}

/** Connections of this file's own that stay open all along. */
const noneBut = (count: number) =>
  eventually(async () => {
    // Only the pool's idle connections to the upstream may be left.
    const own = await gateway.openSockets();
    return own - gateway.upstream.connections().open <= count ? true : undefined;
  });

for (const stage of DISCONNECT_STAGES)
  for (const reset of [false, true])
    test(`a client that disconnects ${stage}, ${reset ? 'by reset' : 'by closing'}, leaves nothing behind`, async () => {
      const { upstream } = gateway;
      const rowsBefore = (await gateway.rows('state=aborted')).length;
      const reaches = stage === 'after-request' || stage === 'after-first-answer-byte';
      const seen = upstream.requests.length;
      if (stage === 'after-first-answer-byte') upstream.gate.release(2);
      // Left at once, the connection could be gone before the server has read the request.
      const leaving =
        stage === 'after-request'
          ? leaveOnceForwarded(seen, reset)
          : sendAndDisconnect(gateway.floe.url, stage, STREAM, reset);
      await leaving;
      if (reaches) {
        const request = (await upstream.waitForRequests(seen + 1)).at(-1);
        await request?.settled;
        assert.equal(request?.isAborted, true, 'the upstream call was cancelled');
      }
      if (stage !== 'inside-headers')
        await eventually(async () => {
          const rows = await gateway.rows('state=aborted');
          assert.equal(rows.length, rowsBefore + 1);
          assert.equal(rows[0]?.status, 499);
          return true;
        });
      assert.equal(upstream.requests.length, seen + (reaches ? 1 : 0), 'nothing was sent for half a request');
      await noneBut(stalled.length);
      await assertHealthy(gateway, stage);
    });

async function leaveOnceForwarded(seen: number, reset: boolean): Promise<void> {
  const client = await RawClient.connect(gateway.floe.url);
  await client.send(encodeRawRequest(STREAM));
  await gateway.upstream.waitForRequests(seen + 1);
  if (reset) client.reset();
  else client.hangUp();
}

test('a client that disconnects during its stream: the provider is disconnected, and the row has what was sent', async () => {
  const { upstream } = gateway;
  const seen = upstream.requests.length;
  const leaving = new AbortController();
  upstream.gate.release(10);
  const answer = await gateway.chat(
    { stream: true },
    { signal: leaving.signal, onChunk: (piece) => piece.includes('w9') && leaving.abort() },
  );
  assert.equal(answer.isComplete, false);
  const request = (await upstream.waitForRequests(seen + 1)).at(-1);
  await request?.settled;
  assert.equal(request?.isAborted, true);
  const row = await gateway.row(answer.headers['x-request-id']);
  assert.equal(row.state, 'aborted');
  assert.ok(Array.isArray(row.attempts) && row.attempts.length === 1);
  await noneBut(stalled.length);
});

// TCP shows a closed client and one that only closed its sending side alike; like other gateways, this one
// stops paying for an answer that probably nobody reads.
test('a client that half-closes its connection while it waits has disconnected', async () => {
  const seen = gateway.upstream.requests.length;
  const client = await RawClient.connect(gateway.floe.url);
  const body = JSON.stringify(buildChatBody({ stream: true, messages: [{ role: 'user', content: 'WAIT' }] }));
  await client.send(encodeRawRequest({ path: CHAT_COMPLETIONS_PATH, headers: HEADERS, body }));
  const request = (await gateway.upstream.waitForRequests(seen + 1)).at(-1);
  client.halfClose();
  await request?.settled;
  assert.equal(request?.isAborted, true);
  client.hangUp();
});

test('a reader that pauses also pauses the provider, memory is bounded, and nothing is lost', async () => {
  const client = await RawClient.connect(gateway.floe.url);
  const body = JSON.stringify(buildChatBody({ stream: true, messages: [{ role: 'user', content: 'BIG' }] }));
  const seen = gateway.upstream.requests.length;
  await client.send(encodeRawRequest({ path: CHAT_COMPLETIONS_PATH, headers: HEADERS, body }));
  const request = (await gateway.upstream.waitForRequests(seen + 1)).at(-1);
  let isSent = false;
  void request?.settled.then(() => {
    isSent = true;
  });
  // Other requests meanwhile: time passes, and none of them waits for the slow reader.
  const before = await residentBytes();
  for (let n = 0; n < 100; n++) await assertHealthy(gateway, 'a slow reader');
  assert.equal(isSent, false, 'the upstream cannot send on');
  assert.ok((await residentBytes()) - before < 16 << 20, 'less than the answer is held in memory');
  const answer = await client.readAnswer();
  assert.equal(answer.isComplete, true);
  const contents = [...answer.body.toString().matchAll(/"content":"(\d+):/g)].map((match) =>
    Number(match[1]),
  );
  assert.deepEqual(
    contents,
    Array.from({ length: BIG_EVENTS }, (_, n) => n),
  );
  assert.match(answer.body.toString(), /\[DONE\]\n\n$/);
  client.hangUp();
});

async function residentBytes(): Promise<number> {
  const metrics = await callHttp(`${gateway.floe.url}/metrics`);
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics.text)?.[1]);
}

test('a reader that pauses and then disconnects releases the provider', async () => {
  const body = JSON.stringify(buildChatBody({ stream: true, messages: [{ role: 'user', content: 'BIG' }] }));
  const seen = gateway.upstream.requests.length;
  const client = await RawClient.connect(gateway.floe.url);
  await client.send(encodeRawRequest({ path: CHAT_COMPLETIONS_PATH, headers: HEADERS, body }));
  const request = (await gateway.upstream.waitForRequests(seen + 1)).at(-1);
  await client.readBytes(1);
  client.reset();
  await request?.settled;
  assert.equal(request?.isAborted, true);
  await noneBut(stalled.length);
});

test('two thousand idle connections affect no one and end with their clients', async () => {
  const idle: RawClient[] = [];
  for (let opened = 0; opened < 2000; opened += 100)
    idle.push(...(await Promise.all(Array.from({ length: 100 }, () => RawClient.connect(gateway.floe.url)))));
  await eventually(async () => ((await gateway.openSockets()) >= idle.length ? true : undefined));
  await assertHealthy(gateway, '2,000 idle connections');
  const used = idle.slice(0, 20);
  await Promise.all(used.map((client) => client.send(encodeRawRequest({ path: '/healthz' }))));
  for (const client of used) assert.equal((await client.readAnswer()).status, 200);
  for (const client of idle) client.hangUp();
  await noneBut(stalled.length);
});

test('a client that stops in its headers or body receives a 408', async () => {
  for (const { what, client } of stalled) {
    const answer = await client.readAnswer();
    assertErrorAnswer({ ...answer, text: answer.body.toString() }, { code: 'request_timeout' }, what);
    client.hangUp();
  }
  await eventually(async () => {
    const rows = await gateway.rows('status=408');
    assert.deepEqual(
      rows.map((row) => [row.state, row.error_code]),
      Array(2).fill(['failed', 'request_timeout']),
    );
    return true;
  });
  await assertHealthy(gateway, 'slow clients');
});
