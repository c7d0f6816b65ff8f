import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import answers from '../../testkit/golden/heartbeat/answers.json' with { type: 'json' };
import requests from '../../testkit/golden/heartbeat/requests.json' with { type: 'json' };
import retries from '../../testkit/golden/heartbeat/retries.json' with { type: 'json' };
import { Floe } from './floe.ts';
import { computeRetryDelaySeconds } from './retry.ts';
import { createRuntime } from './runtime.ts';
import type { HeartbeatResult } from './send-with-retries.ts';
import { createCommittedBeatResponse, createFakeRuntime, FakeFloeServer } from './test/fake-server.ts';

for (const golden of requests)
  test(`request: ${golden.name}`, async () => {
    const server = new FakeFloeServer();
    const around = { ...createFakeRuntime(new FakeClock(), server), id: () => golden.idempotency_key };
    const floe = new Floe({ apiKey: golden.api_key, baseUrl: golden.base_url }, around);
    const metadata = metadataOf(golden);
    const result = await floe.heartbeat(golden.monitor_id, metadata);
    assert.equal(result.ok, true);
    assert.equal(result.metadataDropped, golden.expect.metadata_dropped);
    const [sent] = server.requests;
    assert.ok(sent);
    assert.equal(sent.method, golden.expect.method);
    assert.equal(sent.url, golden.expect.url);
    const { 'user-agent': agent, ...headers } = sent.headers;
    assert.deepEqual(headers, golden.expect.headers);
    assert.match(agent ?? '', /^floe-sdk-typescript\/\d/);
    if (golden.expect.body !== undefined) assert.equal(sent.body, golden.expect.body);
    else {
      const expected = golden.expect.metadata === 'as given' ? metadata : golden.expect.metadata;
      assert.deepEqual(JSON.parse(sent.body), { monitor_id: golden.monitor_id, metadata: expected });
    }
  });

function metadataOf(golden: (typeof requests)[number]): unknown {
  if (golden.metadata_repeat === undefined) return golden.metadata;
  const { key, text, times } = golden.metadata_repeat;
  return { ...Object(golden.metadata), [key]: text.repeat(times) };
}

for (const golden of answers)
  test(`answer: ${golden.name}`, async () => {
    const server = new FakeFloeServer();
    const body =
      golden.body_repeat === undefined
        ? golden.body
        : golden.body_repeat.text.repeat(golden.body_repeat.times);
    const headers = Object.entries(golden.headers);
    const init = {
      status: golden.status,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
    };
    const mayHaveBody = ![204, 304].includes(golden.status);
    server.answer = () => new Response(mayHaveBody ? body : null, init);
    const clock = new FakeClock(Date.parse(golden.now));
    const floe = new Floe(
      { apiKey: 'eis_test_key', onError: () => undefined },
      createFakeRuntime(clock, server),
    );
    const sending = floe.heartbeat('nightly-backup');
    // Retries of the same answer come to the same result; their waits pass here.
    await clock.advanceAsync(60_000);
    assert.deepEqual(told(await sending), golden.expect);
  });

/** A result in the words of the golden files. */
function told({ ok, beat, error, metadataDropped }: HeartbeatResult): unknown {
  if (error)
    return {
      ok,
      error: {
        class: error.name,
        code: error.code,
        status: error.status,
        request_id: error.requestId,
        retryable: error.retryable,
        retry_after_seconds: error.retryAfterSeconds,
      },
    };
  assert.ok(beat);
  const { id, monitorId, receivedAt, status, nextDueAt } = beat;
  const wire = { id, monitor_id: monitorId, received_at: receivedAt, status, next_due_at: nextDueAt };
  return { ok, beat: wire, metadata_dropped: metadataDropped };
}

for (const golden of retries)
  test(`retry: ${golden.name}`, () => {
    const delay = computeRetryDelaySeconds(
      { retryable: golden.error.retryable, retryAfterSeconds: golden.error.retry_after_seconds },
      {
        attempts: golden.attempts,
        elapsedSeconds: golden.elapsed_seconds,
        budgetSeconds: golden.budget_seconds,
        random: golden.random,
      },
    );
    assert.equal(delay, golden.expect?.delay_seconds ?? null);
  });

test('a beat has a name of its own, and one with a retry keeps it', async () => {
  const server = new FakeFloeServer();
  const clock = new FakeClock();
  const around = { ...createFakeRuntime(clock, server), id: createRuntime().id };
  const floe = new Floe({ apiKey: 'eis_test_key' }, around);
  server.answer = (_, index) =>
    index === 0 ? new Response('', { status: 503 }) : createCommittedBeatResponse();
  const sending = floe.heartbeat('job');
  await clock.advanceAsync(1000);
  assert.equal((await sending).attempts, 2);
  await floe.heartbeat('job');
  const [first, again, other] = server.requests.map((request) => request.headers['idempotency-key']);
  assert.equal(first, again);
  assert.notEqual(first, other);
  assert.match(first ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('only the fields of metadata that cannot be serialized are omitted and named', async () => {
  const circle: Record<string, unknown> = { host: 'db-1' };
  circle['self'] = circle;
  const get = () => {
    throw new Error('no');
  };
  const broken = Object.defineProperty({ host: 'db-1' }, 'self', { enumerable: true, get });
  const large = { host: 'db-1', self: 1n, text: 'x'.repeat(20_000) };
  for (const metadata of [circle, broken, { host: 'db-1', self: 1n }, large]) {
    const server = new FakeFloeServer();
    const floe = new Floe({ apiKey: 'eis_test_key' }, createFakeRuntime(new FakeClock(), server));
    const { ok, metadataDropped } = await floe.heartbeat('job', metadata);
    assert.equal(ok, true);
    assert.match(metadataDropped ?? '', /cannot be serialized as JSON: self(; metadata exceeds|$)/);
    const rest = metadata === large ? { text: '[20002 bytes removed]' } : {};
    assert.deepEqual(server.bodies(), [{ monitor_id: 'job', metadata: { host: 'db-1', ...rest } }]);
  }
});
