// The real server above its limits: what it rejects, what it continues to serve, and how organizations share it.
// Tier: ci. Saturates a server.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp, type HttpCallResponse } from '@floe/testkit/http-client';
import { encodeRawRequest, RawClient } from '@floe/testkit/raw-client';
import { createJsonReply } from '@floe/testkit/upstream-reply';

const ORGS = ['first', 'second'] as const;
type OrgId = (typeof ORGS)[number];
const keyOf = (org: OrgId) => `eis_${org}${'0'.repeat(32)}`;
const MESSAGE = { role: 'assistant', content: 'hello' };
const ANSWER = createJsonReply({
  id: 'c',
  object: 'chat.completion',
  model: 'm',
  choices: [{ index: 0, message: MESSAGE, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

function buildOrg(id: OrgId, upstreamUrl: string): JsonObject {
  return {
    id,
    keys: [{ name: 'test', key: keyOf(id), scopes: ['gateway', 'management', 'beat'] }],
    providers: [
      {
        id: 'fake',
        kind: 'openai-compatible',
        base_url: `${upstreamUrl}/v1`,
        api_key: 'upstream-secret',
        models: ['*'],
        timeouts: { first_token_ms: 600_000, total_ms: 600_000 },
        breaker: { enabled: false },
      },
    ],
    routes: [{ model: '*', retries: 0 }],
    monitors: [{ id: 'backup', expected_interval_minutes: 5 }],
  };
}

interface Overloaded {
  readonly url: string;
  readonly pid: number;
  readonly upstream: FakeUpstream;
  chat(org: OrgId, content?: string): Promise<HttpCallResponse>;
  metric(name: string): Promise<number>;
}

async function start(t: TestContext, overload: JsonObject, orgs: readonly OrgId[], isPaced: boolean) {
  const upstream = await startFakeUpstream({ respond: () => ({ ...ANSWER, isPaced }) });
  const yaml = JSON.stringify({
    server: { overload },
    orgs: orgs.map((id) => buildOrg(id, upstream.url)),
  });
  const floe = await startFloeProcess({ yaml });
  t.after(async () => {
    upstream.gate.release(10_000);
    await floe.stop();
    await upstream.close();
  });
  const overloaded: Overloaded = {
    url: floe.url,
    pid: floe.pid,
    upstream,
    chat: (org, content = 'hello') =>
      callHttp(`${floe.url}/gateway/v1/chat/completions`, {
        body: { model: 'fake/m', messages: [{ role: 'user', content }] },
        headers: { authorization: `Bearer ${keyOf(org)}` },
      }),
    async metric(name) {
      const { text } = await callHttp(`${floe.url}/metrics`);
      const values = text.split('\n').map((line) => /^(\S+) (\S+)$/.exec(line.replace('{}', '')));
      return Number(values.find((each) => each?.[1] === name)?.[2] ?? 0);
    },
  };
  return overloaded;
}

/** The number of prompts that the upstream has received. Floe also asks it for its models. */
function countPrompts({ upstream }: Overloaded): number {
  return upstream.requests.filter(({ method }) => method === 'POST').length;
}

/** Sends requests that the upstream holds, and waits until it has `expected` of them. */
async function fill(server: Overloaded, org: OrgId, count: number, expected: number) {
  const before = countPrompts(server);
  const open = Array.from({ length: count }, () => server.chat(org));
  await eventually(async () => countPrompts(server) === before + expected || undefined);
  return open;
}

async function countByStatus(open: readonly Promise<HttpCallResponse>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(open)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('above the maximum, requests are rejected, and everything else is served', async (t) => {
  const server = await start(t, { max_concurrent_requests: 10 }, ['first'], true);
  const open = await fill(server, 'first', 10, 10);
  const rejected = await server.chat('first');
  assert.equal(rejected.status, 503);
  assert.match(rejected.text, /"code":"overloaded"/);
  assert.ok(Number(rejected.headers['retry-after']) >= 1);
  assert.ok(Number(rejected.headers['retry-after-ms']) >= 1_000);

  const authorization = `Bearer ${keyOf('first')}`;
  const beat = { monitor_id: 'backup', status: 'ok' };
  const others: Readonly<Record<string, HttpCallResponse>> = {
    '/healthz': await callHttp(`${server.url}/healthz`),
    '/readyz': await callHttp(`${server.url}/readyz`),
    '/gateway/v1/models': await callHttp(`${server.url}/gateway/v1/models`, { headers: { authorization } }),
    '/api/management/keys': await callHttp(`${server.url}/api/management/keys`, {
      headers: { authorization },
    }),
    '/api/monitoring/heartbeat': await callHttp(`${server.url}/api/monitoring/heartbeat`, {
      body: beat,
      headers: { authorization },
    }),
  };
  for (const [path, { status, text }] of Object.entries(others))
    assert.equal(status, 200, `${path}: ${text}`);
  const signIn = await callHttp(`${server.url}/api/auth/password`, {
    body: { email: 'nobody@example.com', password: 'wrong-password' },
  });
  assert.notEqual(signIn.status, 503);

  assert.equal(await server.metric('floe_exchanges_in_flight'), 10);
  assert.equal(await server.metric('floe_exchanges_limit'), 10);
  assert.equal(await server.metric('floe_overload_rejections_total{reason="concurrent_requests"}'), 1);
  server.upstream.gate.release(100);
  assert.deepEqual(await countByStatus(open), { 200: 10 });
  assert.equal(await server.metric('floe_exchanges_in_flight'), 0);
});

test('one organization cannot use all capacity', async (t) => {
  const server = await start(t, { max_concurrent_requests: 20 }, ORGS, true);
  const greedy = await fill(server, 'first', 40, 18);
  const modest = await fill(server, 'second', 2, 2);
  server.upstream.gate.release(100);
  assert.deepEqual(await countByStatus(modest), { 200: 2 });
  assert.deepEqual(await countByStatus(greedy), { 200: 18, 503: 22 });
});

test('request bodies use no more memory than permitted', async (t) => {
  const server = await start(t, { max_body_memory_mb: 64 }, ['first'], true);
  const content = 'x'.repeat(30 * 1024 * 1024);
  const open = [server.chat('first', content), server.chat('first', content)];
  await eventually(async () => countPrompts(server) === 2 || undefined);
  assert.ok((await server.metric('floe_request_bodies_bytes')) > 60 * 1024 * 1024);
  const rejected = await server.chat('first', content);
  assert.equal(rejected.status, 503);
  assert.match(
    rejected.text,
    /the bodies of the requests in progress and of their responses have reached the memory limit/,
  );
  const small = server.chat('first');
  await eventually(async () => countPrompts(server) === 3 || undefined);
  server.upstream.gate.release(100);
  assert.deepEqual(await countByStatus([...open, small]), { 200: 3 });
  assert.equal(await server.metric('floe_request_bodies_bytes'), 0);
});

test('clients that send their bodies slowly do not use the places of other requests', async (t) => {
  const server = await start(t, { max_concurrent_requests: 2 }, ['first'], false);
  const content = 'x'.repeat(100_000);
  const body = JSON.stringify({ model: 'fake/m', messages: [{ role: 'user', content }] });
  const request = encodeRawRequest({
    path: '/gateway/v1/chat/completions',
    headers: [['x-api-key', keyOf('first')]],
    body,
  });
  const slow = [await RawClient.connect(server.url), await RawClient.connect(server.url)];
  for (const client of slow) await client.send(request.subarray(0, -10));
  for (let n = 0; n < 10; n++) {
    const { status, text } = await server.chat('first');
    assert.equal(status, 200, `${n} ${await server.metric('floe_exchanges_in_flight')} ${text}`);
  }
  for (const client of slow) {
    await client.send(request.subarray(-10));
    const answer = await client.readAnswer();
    assert.equal(answer.status, 200, answer.body.toString());
    client.hangUp();
  }
});

test('while the event loop is delayed, some requests are rejected, and all are served afterwards', async (t) => {
  const server = await start(t, { max_event_loop_delay_ms: 20 }, ['first'], true);
  let rejected: HttpCallResponse | undefined;
  const open: Promise<HttpCallResponse>[] = [];
  const send = () => {
    const next = server.chat('first');
    open.push(next);
    void next.then((response) => {
      if (response.status === 503) rejected = response;
    });
  };
  for (let sent = 0; sent < 100; sent++) send();
  // On a busy machine, some of these requests are rejected already.
  await eventually(() => rejected ?? (countPrompts(server) === 100 || undefined));
  // The operating system runs the process for a fifth of the time. The upstream holds the requests, so that the number
  // of requests in progress does not depend on the speed of the machine.
  for (let pause = 0; pause < 300 && rejected === undefined; pause++) {
    process.kill(server.pid, 'SIGSTOP');
    send();
    await setTimeout(100);
    process.kill(server.pid, 'SIGCONT');
    await setTimeout(25);
  }
  assert.match(rejected?.text ?? '', /requests arrive faster than it can process them/);
  server.upstream.gate.release(10_000);
  assert.deepEqual(Object.keys(await countByStatus(open)), ['200', '503']);
  assert.ok((await server.metric('floe_overload_rejections_total{reason="event_loop_delay"}')) > 0);
  await eventually(async () => (await server.metric('floe_exchanges_limit')) === 10_000 || undefined);
  assert.equal((await server.chat('first')).status, 200);
});

test('the only request of an organization is served although the event loop is delayed', async (t) => {
  const server = await start(t, { max_event_loop_delay_ms: 1 }, ORGS, false);
  const busy = new AbortController();
  const stalls = (async () => {
    while (!busy.signal.aborted) {
      process.kill(server.pid, 'SIGSTOP');
      await setTimeout(60);
      process.kill(server.pid, 'SIGCONT');
      await setTimeout(20);
    }
  })();
  for (let n = 0; n < 60; n++) assert.equal((await server.chat('second')).status, 200);
  busy.abort();
  await stalls;
});
