// When a target is asked again, when the next one is, what is told when none is left, and what moves with a request.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { findInjectedFault } from '@floe/testkit/fault-table';
import type { HttpCallResponse } from '@floe/testkit/http-client';
import { limitFaultRequests } from '@floe/testkit/injected-fault';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { objectsOrEmpty, type TestDialect } from './answer-content.ts';
import { type FailoverGateway, startFailoverGateway, type UpstreamSide } from './failover-gateway.ts';

const routes = [
  { model: 'patient', targets: ['chat-a/m-1'], retries: 2 },
  { model: 'patient-gemini', targets: ['gemini-a/m-1'], retries: 1 },
  { model: 'once', targets: ['chat-a/m-1'], retries: 0 },
  { model: 'smart', targets: ['chat-a/m-1', 'messages-b/m-2'], retries: 2 },
  { model: 'family-*', targets: ['responses-a/m-1', 'gemini-b/m-2'], retries: 0 },
  { model: 'silent', targets: ['chat-quick/m-1', 'no-handshake/m-0', 'messages-b/m-2'], retries: 2 },
  { model: 'three', targets: ['chat-a/m-1', 'messages-a/m-2', 'gemini-a/m-3'], retries: 0 },
  { model: 'picky', targets: ['messages-a/m-1', 'chat-b/m-2'], retries: 0 },
  { model: 'picky-last', targets: ['chat-a/m-1', 'messages-a/m-2'], retries: 0 },
  { model: 'single', targets: ['messages-a/m-1', 'responses-a/m-2'], retries: 0 },
  { model: 'alone', targets: ['chat-a/m-1', 'gemini-b/m-2'], retries: 0 },
];

/** What side `a` of a dialect says next, instead of its usual answer. */
const scripts = new Map<TestDialect, UpstreamReply[]>();
let harness: FailoverGateway;

before(async () => {
  harness = await startFailoverGateway(routes, (dialect) => scripts.get(dialect)?.shift());
});
after(() => harness.close());

/** Runs with the faults of the named upstreams in place, and counts who was asked meanwhile. */
async function under(
  faults: Readonly<Partial<Record<TestDialect, string>>>,
  ask: () => Promise<HttpCallResponse>,
): Promise<{
  readonly answer: HttpCallResponse;
  readonly asked: (dialect: TestDialect, side: UpstreamSide) => number;
}> {
  const named: [TestDialect, string][] = [];
  for (const dialect of ['chat', 'responses', 'messages', 'gemini'] as const) {
    const name = faults[dialect];
    if (name !== undefined) named.push([dialect, name]);
  }
  for (const [dialect, name] of named)
    await harness.upstream(dialect, 'a').setFaults(findInjectedFault(name));
  const before = (dialect: TestDialect, side: UpstreamSide) => harness.receivedRequests(dialect, side).length;
  const counts = new Map<string, number>();
  for (const dialect of ['chat', 'responses', 'messages', 'gemini'] as const)
    for (const side of ['a', 'b'] as const) counts.set(`${dialect}-${side}`, before(dialect, side));
  const answer = await ask();
  for (const [dialect] of named) await harness.upstream(dialect, 'a').setFaults();
  return {
    answer,
    asked: (dialect, side) => before(dialect, side) - (counts.get(`${dialect}-${side}`) ?? 0),
  };
}

function errorOf(answer: HttpCallResponse): JsonObject {
  const body: unknown = answer.json();
  assert.ok(isJsonObject(body) && isJsonObject(body.error), answer.text);
  return body.error;
}

function outcomes(row: JsonObject): readonly unknown[] {
  return objectsOrEmpty(row['decisions'])
    .filter(({ step }) => step === 'send')
    .map(({ outcome }) => outcome);
}

test('a target is retried as often as the route says, and every attempt is in the row', async () => {
  await harness.upstream('chat', 'a').setFaults(limitFaultRequests(findInjectedFault('unavailable'), 2));
  const before = harness.receivedRequests('chat', 'a').length;
  const answer = await harness.send('chat', 'patient');
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['x-floe-attempts'], '3');
  assert.equal(harness.receivedRequests('chat', 'a').length - before, 3);
  const row = await harness.row(answer);
  assert.deepEqual(
    objectsOrEmpty(row['attempts']).map(({ n, provider, model, credential, status, error }) => [
      n,
      provider,
      model,
      credential,
      status,
      error,
    ]),
    [
      [1, 'chat-a', 'm-1', 'default', 503, 'upstream_error'],
      [2, 'chat-a', 'm-1', 'default', 503, 'upstream_error'],
      [3, 'chat-a', 'm-1', 'default', 200, null],
    ],
  );
  assert.deepEqual(outcomes(row), ['retry', 'retry']);
});

test('retries end, and the last failure is returned', async () => {
  const { answer, asked } = await under({ chat: 'unavailable' }, () => harness.send('chat', 'patient'));
  assert.deepEqual([answer.status, errorOf(answer).code, asked('chat', 'a')], [502, 'upstream_error', 3]);
  assert.equal(answer.headers['x-floe-attempts'], '3');
});

test('no attempt follows after content was sent', async () => {
  const { answer, asked } = await under({ chat: 'error-in-stream' }, () =>
    harness.send('chat', 'patient', { stream: true }),
  );
  assert.deepEqual([answer.status, asked('chat', 'a')], [200, 1]);
  assert.deepEqual(outcomes(await harness.row(answer)), []);
});

const limited = (headers: Readonly<Record<string, string>>): UpstreamReply => ({
  ...createJsonReply(
    { error: { message: 'Slow down.', type: 'requests', code: 'rate_limit_exceeded' } },
    429,
  ),
  headers: { 'content-type': 'application/json', ...headers },
});

test('a rate limit is waited for as long as the provider requests, in each format', async () => {
  const untilMs = Math.ceil(Date.now() / 1000) * 1000;
  const ways: readonly [Readonly<Record<string, string>>, number][] = [
    [{ 'retry-after': new Date(untilMs + 1000).toUTCString() }, 0],
    [{ 'retry-after-ms': '340' }, 340],
    [{ 'retry-after': '1' }, 1000],
    [{ 'retry-after': '0', 'retry-after-ms': '310' }, 310],
  ];
  for (const [headers, waitMs] of ways) {
    scripts.set('chat', [limited(headers)]);
    const before = harness.receivedRequests('chat', 'a').length;
    const answer = await harness.send('chat', 'patient');
    assert.equal(answer.status, 200);
    const [first, second] = harness.receivedRequests('chat', 'a').slice(before);
    assert.ok(first && second);
    assert.ok(
      second.receivedAtMs - first.receivedAtMs >= waitMs - 1,
      `${JSON.stringify(headers)}: ${second.receivedAtMs - first.receivedAtMs}`,
    );
    if (waitMs === 0)
      assert.ok(performance.timeOrigin + second.receivedAtMs >= untilMs + 1000 - 1, 'before the date');
    assert.deepEqual(outcomes(await harness.row(answer)), ['retry']);
  }
});

test('a retry time in the body of another dialect counts too', async () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0.4s' }];
  const error = { code: 429, message: 'Quota for now.', status: 'RESOURCE_EXHAUSTED', details };
  scripts.set('gemini', [createJsonReply({ error }, 429)]);
  const before = harness.receivedRequests('gemini', 'a').length;
  const answer = await harness.send('messages', 'patient-gemini');
  assert.equal(answer.status, 200, answer.text);
  const [first, second] = harness.receivedRequests('gemini', 'a').slice(before);
  assert.ok(first && second && second.receivedAtMs - first.receivedAtMs >= 399);
});

test('a wait above the maximum is returned instead of waited for', async () => {
  scripts.set('chat', [limited({ 'retry-after': '60' })]);
  const answer = await harness.send('chat', 'patient');
  assert.deepEqual([answer.status, errorOf(answer).code], [429, 'upstream_rate_limited']);
  assert.deepEqual(
    [answer.headers['retry-after'], answer.headers['retry-after-ms'], answer.headers['x-floe-attempts']],
    ['60', '60000', '1'],
  );
});

test('a rate limit is not waited for while another target is available', async () => {
  const { answer, asked } = await under({ chat: 'rate-limited/retry-after' }, () =>
    harness.send('responses', 'smart'),
  );
  assert.deepEqual([answer.status, asked('chat', 'a'), asked('messages', 'b')], [200, 1, 1]);
  assert.deepEqual(outcomes(await harness.row(answer)), ['no_retry', 'moved_on']);
});

test('if all targets are rate limited, the error is a 429 with the wait, and otherwise another failure is returned', async () => {
  const slow = { chat: 'rate-limited/retry-after', messages: 'rate-limited/retry-after' } as const;
  const all = await under({ ...slow, gemini: 'rate-limited/retry-after' }, () =>
    harness.send('chat', 'three'),
  );
  assert.deepEqual([all.answer.status, errorOf(all.answer).code], [429, 'upstream_rate_limited']);
  assert.equal(all.answer.headers['retry-after'], '2');
  for (const [faults, status, code] of [
    [{ ...slow, gemini: 'unavailable' }, 502, 'upstream_error'],
    [{ ...slow, chat: 'unavailable', gemini: 'rate-limited' }, 502, 'upstream_error'],
    [{ ...slow, chat: 'bad-credentials/401', gemini: 'rate-limited' }, 502, 'upstream_auth_failed'],
  ] as const) {
    const { answer, asked } = await under(faults, () => harness.send('messages', 'three'));
    assert.deepEqual([answer.status, errorOf(answer).code], [status, code]);
    assert.deepEqual([asked('chat', 'a'), asked('messages', 'a'), asked('gemini', 'a')], [1, 1, 1]);
  }
});

test('a bad credential leads to the next target, and if all are bad, the error says who must act', async () => {
  for (const fault of ['bad-credentials/401', 'bad-credentials/403']) {
    const { answer, asked } = await under({ chat: fault }, () => harness.send('chat', 'smart'));
    assert.deepEqual([answer.status, asked('chat', 'a'), asked('messages', 'b')], [200, 1, 1]);
  }
  const bad = 'bad-credentials/401';
  const { answer } = await under({ chat: bad, messages: bad, gemini: 'bad-credentials/400-google' }, () =>
    harness.send('chat', 'three'),
  );
  assert.deepEqual([answer.status, errorOf(answer).code], [502, 'upstream_auth_failed']);
  assert.equal(answer.headers['x-should-retry'], 'false');
  assert.doesNotMatch(answer.text, /API key|secret/i);
});

test('a silent target is not retried, whichever deadline it missed', async () => {
  for (const [fault, stream, why] of [
    ['accept-and-silence', false, 'headers'],
    ['slow-first-token', true, 'first_token'],
  ] as const) {
    const { answer, asked } = await under({ chat: fault }, () => harness.send('chat', 'silent', { stream }));
    assert.deepEqual([answer.status, asked('chat', 'a'), asked('messages', 'b')], [200, 1, 1], fault);
    const row = await harness.row(answer);
    assert.deepEqual(outcomes(row), ['moved_on', 'moved_on']);
    const [first, second] = objectsOrEmpty(row['decisions']).filter(({ step }) => step === 'send');
    assert.match(String(first?.['reason']), new RegExp(`the ${why} timeout of`));
    assert.match(String(second?.['reason']), /the connect timeout of|did not accept the connection in time/);
    assert.deepEqual(
      objectsOrEmpty(row['attempts']).map(({ error }) => error),
      ['upstream_timeout', 'upstream_timeout', null],
    );
  }
});

test('a target that does not support the request is skipped, and hides no other failure', async () => {
  const carried = await under({}, () => harness.send('chat', 'picky', { n: 2 }));
  assert.deepEqual([carried.answer.status, carried.answer.headers['x-floe-provider']], [200, 'chat-b']);
  assert.deepEqual([carried.asked('messages', 'a'), carried.asked('chat', 'b')], [0, 1]);
  assert.deepEqual(outcomes(await harness.row(carried.answer)), ['moved_on']);
  const failed = await under({ chat: 'unavailable' }, () => harness.send('chat', 'picky-last', { n: 2 }));
  assert.deepEqual([failed.answer.status, errorOf(failed.answer).code], [502, 'upstream_error']);
  const nobody = await under({}, () => harness.send('chat', 'single', { n: 2 }));
  assert.deepEqual([nobody.answer.status, errorOf(nobody.answer).param], [400, 'n']);
});

test('a client that disconnects during a back-off ends the exchange', async () => {
  scripts.set('chat', [limited({ 'retry-after': '8' })]);
  const before = harness.receivedRequests('chat', 'a').length;
  const leaving = new AbortController();
  const left = assert.rejects(harness.send('chat', 'patient', {}, { signal: leaving.signal }), /abort/i);
  const request = await eventually(async () => harness.receivedRequests('chat', 'a')[before]);
  await request.settled;
  // A whole exchange later the server has read the 429 and begun to wait.
  assert.equal((await harness.send('chat', 'picky')).status, 200);
  leaving.abort();
  await left;
  const [aborted] = await eventually(async () => {
    const rows = await harness.rows('state=aborted');
    return rows.length > 0 ? rows : undefined;
  });
  const row = await harness.row(String(aborted?.['id']));
  assert.equal(row['status'], 499);
  assert.deepEqual(outcomes(row), ['retry']);
  assert.equal(objectsOrEmpty(row['attempts']).length, 1);
  assert.equal(
    harness.receivedRequests('chat', 'a').length - before,
    1,
    'nobody asks for a client that has left',
  );
});

test('an alias and a pattern resolve to their targets, which receive their own model names', async () => {
  const smart = await under({ chat: 'unavailable' }, () => harness.send('chat', 'smart'));
  assert.equal(smart.answer.headers['x-floe-model'], 'm-2');
  assert.match(
    harness.receivedRequests('messages', 'b').at(-1)?.body.toString('utf8') ?? '',
    /"model":"m-2"/,
  );
  for (const model of ['family-', 'family-of/any:kind']) {
    const { answer } = await under({ responses: 'unavailable' }, () => harness.send('messages', model));
    assert.deepEqual([answer.status, answer.headers['x-floe-provider']], [200, 'gemini-b']);
    const row = await harness.row(answer);
    assert.deepEqual([row['model_requested'], row['model']], [model, 'm-2']);
    const [route] = objectsOrEmpty(row['decisions']).filter(({ step }) => step === 'route');
    assert.deepEqual(
      [route?.['outcome'], route?.['reason']],
      ['responses-a/m-1, gemini-b/m-2', 'the route "family-*"'],
    );
  }
  assert.equal((await harness.send('chat', 'famil')).status, 404);
});

test('targets that a key must not use are skipped, with the reason in the row', async () => {
  const headers = { authorization: `Bearer ${harness.narrowKey}` };
  const { answer, asked } = await under({}, () => harness.send('chat', 'smart', {}, { headers }));
  assert.deepEqual([answer.status, answer.headers['x-floe-provider']], [200, 'messages-b']);
  assert.equal(asked('chat', 'a'), 0);
  const skipped = objectsOrEmpty((await harness.row(answer))['decisions']).filter(
    ({ outcome }) => outcome === 'skipped',
  );
  assert.deepEqual(
    skipped.map(({ reason }) => reason),
    ['chat-a/m-1: not allowed for this key'],
  );
  const none = await harness.send('chat', 'alone', {}, { headers });
  assert.deepEqual([none.status, errorOf(none).code], [403, 'model_not_allowed']);
  const other = await harness.send('messages', 'family-x', {}, { headers });
  assert.deepEqual([other.status, errorOf(other).type], [403, 'permission_error']);
});

test("the key's own deadline ends all attempts", async () => {
  const headers = { 'x-floe-timeout-ms': '150' };
  const { answer, asked } = await under({ chat: 'unavailable', messages: 'accept-and-silence' }, () =>
    harness.send('chat', 'three', {}, { headers }),
  );
  assert.deepEqual([answer.status, asked('gemini', 'a')], [504, 0]);
});
