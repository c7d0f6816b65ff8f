import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { classifyExchangeOutcome } from '@floe/contract/exchange-outcome';
import { findInjectedFault } from '@floe/testkit/fault-table';
import { chatReply, failingReply } from './test/chat-replies.ts';
import {
  type FakeClockGateway,
  type FakeClockSurface,
  startFakeClockGateway,
} from './test/fake-clock-gateway.ts';

const TURN = [{ role: 'user', content: 'hello' }];
const BODIES = {
  chat: { messages: TURN },
  responses: { input: TURN, store: false },
  messages: { messages: TURN, max_tokens: 99 },
} as const;
const SURFACES = ['chat', 'responses', 'messages'] as const;

/** Its first provider of each surface takes requests and says nothing for 50 s, the second is healthy. */
async function start(t: TestContext): Promise<FakeClockGateway> {
  const gateway = await startFakeClockGateway({
    upstreams: {
      silent: () => ({}),
      b: (isStream) => chatReply('from b', isStream),
      sour: () => failingReply(400),
    },
    providers: { silent: { timeouts: { connect_ms: 900_000, headers_ms: 50_000 } } },
    routes: [
      { model: 'smart', targets: ['silent/m', 'b/m'], retries: 0 },
      { model: 'alone', targets: ['silent/m'], retries: 0 },
      { model: 'refused', targets: ['silent/m', 'sour/m'], retries: 0 },
    ],
  });
  t.after(() => gateway.close());
  await gateway.upstream('silent').setFaults(findInjectedFault('accept-and-silence'));
  return gateway;
}

/** Asks for a stream and lets 51 seconds pass once the silent upstream has the request. */
async function askInSilence(gateway: FakeClockGateway, surface: FakeClockSurface, model: string) {
  const count = gateway.upstream('silent').requests.length;
  const answer = gateway.send(surface, { model, stream: true, ...BODIES[surface] });
  await gateway.settled(gateway.upstream('silent').waitForRequests(count + 1), 0);
  await gateway.advance(51_000);
  return gateway.settled(answer, 0);
}

test('a stream without content for 20 seconds receives comments, and can still fail over', async (t) => {
  const gateway = await start(t);
  for (const surface of SURFACES) {
    const answer = await askInSilence(gateway, surface, 'smart');
    assert.equal(answer.status, 200);
    assert.equal(answer.text.match(/^: /gm)?.length, 2, `${surface}: ${answer.text.slice(0, 200)}`);
    assert.match(answer.headers['content-type'] ?? '', /^text\/event-stream/);
    for (const name of ['x-floe-provider', 'x-floe-model', 'x-floe-attempts'])
      assert.equal(answer.headers[name], undefined, `${surface}: ${name}`);
    assert.match(answer.headers['x-request-id'] ?? '', /^req_/);
    assert.match(answer.text, /"from "/);
    assert.doesNotMatch(answer.text, /"error":\{/);
    const row = gateway.rows.at(-1);
    assert.deepEqual([row?.state, row?.provider], ['complete', 'b']);
  }
});

const FAILURES = {
  chat: /^data: \{"error":\{"message":".*","type":"api_error","param":null,"code":"upstream_timeout","phase":"headers"\},"request_id":"req_1"\}\n\n$/m,
  responses:
    /event: error\ndata: .*"code":"upstream_timeout"[\s\S]*event: response\.failed\ndata: .*"status":"failed"/,
  messages: /event: error\ndata: \{"type":"error","error":\{"type":"timeout_error"/,
} as const;

test('a failure after an early response is sent in the stream, in its dialect, and the stream does not look finished', async (t) => {
  for (const surface of SURFACES) {
    const gateway = await start(t);
    const answer = await askInSilence(gateway, surface, 'alone');
    assert.equal(answer.status, 200);
    assert.match(answer.text, FAILURES[surface]);
    assert.doesNotMatch(answer.text, /\[DONE\]|message_stop|response\.completed/);
    const row = gateway.rows.at(-1);
    assert.deepEqual([row?.state, row?.status, row?.error_code], ['failed', 504, 'upstream_timeout']);
  }
});

test('a provider error after an early response is sent with a message of Floe', async (t) => {
  const gateway = await start(t);
  const answer = await askInSilence(gateway, 'chat', 'refused');
  assert.match(answer.text, /^data: \{"error":\{"message":"status 400"/m);
  const row = gateway.rows.at(-1);
  assert.ok(row);
  assert.deepEqual(
    [row.error_code, row.status, classifyExchangeOutcome(row)],
    ['invalid_request', 400, 'client_error'],
  );
});

test('a response that is not a stream is not started early', async (t) => {
  const gateway = await start(t);
  const answer = gateway.send('chat', { model: 'alone', ...BODIES.chat });
  await gateway.settled(gateway.upstream('silent').waitForRequests(1), 0);
  await gateway.advance(51_000);
  assert.equal((await gateway.settled(answer)).status, 504);
});
