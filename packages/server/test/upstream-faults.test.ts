// Tier: ci. Every failure of an upstream, with its timeouts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { FAULTS, type FaultCode } from '@floe/contract/faults';
import { isJsonObject } from '@floe/contract/json';
import { createCutResponseFault, createStalledResponseFault } from '@floe/testkit/connection-faults';
import { findInjectedFault, INJECTED_FAULTS } from '@floe/testkit/fault-table';
import type { HttpCallResponse } from '@floe/testkit/http-client';
import { type InjectedFault, limitFaultRequests } from '@floe/testkit/injected-fault';
import { assertErrorAnswer } from './assert-error-answer.ts';
import { assertHealthy, GATEWAY_KEYS, type RunningGateway, startRunningGateway } from './running-gateway.ts';

/**
 * What a caller gets for a fault. `refused`: an error status before any content. `broken`: content, then one error
 * event in the 200. `passed`: the upstream's own 4xx, unchanged. `whole`: a complete answer.
 */
type Outcome =
  | {
      readonly is: 'refused';
      readonly code: FaultCode;
      readonly phase?: string;
      readonly upstreamStatus?: number;
    }
  | { readonly is: 'broken'; readonly code: FaultCode; readonly phase?: string }
  | { readonly is: 'passed'; readonly status: number }
  | { readonly is: 'whole' };

interface Expected {
  readonly whole: Outcome;
  readonly stream: Outcome;
  /** Which provider of the configuration is asked; each has one short deadline. */
  readonly provider?: 'no-headers' | 'no-token' | 'no-more';
}

const whole: Outcome = { is: 'whole' };
const refused = (code: FaultCode, upstreamStatus?: number): Outcome =>
  upstreamStatus === undefined ? { is: 'refused', code } : { is: 'refused', code, upstreamStatus };
const late = (phase: string): Outcome => ({ is: 'refused', code: 'upstream_timeout', phase });
const broken = (code: FaultCode): Outcome => ({ is: 'broken', code });
const both = (outcome: Outcome): Expected => ({ whole: outcome, stream: outcome });
const cut: Expected = {
  whole: refused('upstream_stream_broken', 200),
  stream: broken('upstream_stream_broken'),
};

const EXPECTED: Readonly<Record<string, Expected>> = {
  'refuse-connection': both(refused('upstream_unreachable')),
  'reset-before-headers': both(refused('upstream_unreachable')),
  'close-before-headers': both(refused('upstream_unreachable')),
  'accept-and-silence': { ...both(late('headers')), provider: 'no-headers' },
  'slow-first-token': { ...both(late('first_token')), provider: 'no-token' },
  'cut-mid-answer/fin-chunked': cut,
  'cut-mid-answer/fin-content-length': cut,
  'cut-mid-answer/reset-chunked': cut,
  'cut-mid-answer/reset-content-length': cut,
  'stall-mid-answer': {
    whole: late('idle'),
    stream: { is: 'broken', code: 'upstream_timeout', phase: 'idle' },
    provider: 'no-more',
  },
  'rate-limited': both(refused('upstream_rate_limited', 429)),
  'rate-limited/retry-after': both(refused('upstream_rate_limited', 429)),
  'rate-limited/retry-after-ms': both(refused('upstream_rate_limited', 429)),
  'rate-limited/http-date': both(refused('upstream_rate_limited', 429)),
  'server-error-once': both(refused('upstream_error', 500)),
  unavailable: both(refused('upstream_error', 503)),
  'overloaded-529': both(refused('upstream_error', 529)),
  'context-length-400': both({ is: 'passed', status: 400 }),
  'content-filter-400': both({ is: 'passed', status: 400 }),
  'bad-credentials/401': both(refused('upstream_auth_failed', 401)),
  'bad-credentials/403': both(refused('upstream_auth_failed', 403)),
  // Only the definitions of hosts known to say it so read a 400 as a bad credential.
  'bad-credentials/400-google': both({ is: 'passed', status: 400 }),
  'bad-credentials/400-flat': both({ is: 'passed', status: 400 }),
  'malformed-event': { whole: refused('upstream_error', 200), stream: broken('upstream_stream_broken') },
  'no-done': both(whole),
  'no-finish': { whole: refused('upstream_error', 200), stream: broken('upstream_stream_broken') },
  'no-usage': both(whole),
  'error-in-stream': { whole: refused('upstream_error', 200), stream: broken('upstream_error') },
  'wrong-content-type': both(refused('upstream_error', 200)),
  'error-in-200': both(refused('upstream_error', 200)),
  'truncated-json': { whole: refused('upstream_error', 200), stream: broken('upstream_stream_broken') },
  'huge-answer': both(whole),
  'huge-answer/one-line': both(refused('upstream_error', 200)),
  'header-flood': both(refused('upstream_error')),
  redirect: both(refused('upstream_error', 307)),
  'gzip-anyway': both(refused('upstream_error', 200)),
  'interim-noise': both(whole),
  'garbage-http': both(refused('upstream_error')),
};

let gateway: RunningGateway;
/** Answers a TLS handshake in plain text. */
const plain = createServer((socket) => {
  socket.on('error', () => socket.destroy()).end('HTTP/1.1 400 Bad Request\r\n\r\n');
});
before(async () => {
  await once(plain.listen(0, '127.0.0.1'), 'listening');
  const address = plain.address();
  const plainPort = typeof address === 'object' ? address?.port : undefined;
  gateway = await startRunningGateway({
    moreProviders: (upstreamUrl) => [
      { id: 'no-headers', timeouts: { headers_ms: 50 } },
      { id: 'no-token', timeouts: { first_token_ms: 50 } },
      { id: 'no-more', timeouts: { idle_ms: 50, first_token_ms: 1500 } },
      { id: 'no-name', base_url: 'http://floe.invalid/v1' },
      { id: 'no-tls', base_url: `https://127.0.0.1:${plainPort}/v1` },
      {
        id: 'no-handshake',
        base_url: `${upstreamUrl.replace('http:', 'https:')}/v1`,
        timeouts: { connect_ms: 50 },
      },
    ],
  });
});
after(async () => {
  await gateway.stop();
  plain.close();
});

/** Its fault shows with the next request, so it has a test of its own. */
const RACE = 'keepalive-close-race';
const TABLE = INJECTED_FAULTS.filter(({ name }) => name !== RACE);

test('every fault of the table has an expected outcome here, and no other', () => {
  assert.deepEqual(Object.keys(EXPECTED).toSorted(), TABLE.map(({ name }) => name).toSorted());
});

for (const fault of TABLE)
  for (const stream of [false, true])
    test(`${stream ? 'stream' : 'whole answer'}: an upstream that ${fault.description}`, async () => {
      const { provider = 'fake', ...outcomes } = EXPECTED[fault.name] ?? both(whole);
      await checkFault(fault, stream, stream ? outcomes.stream : outcomes.whole, provider);
    });

async function checkFault(fault: InjectedFault, stream: boolean, outcome: Outcome, provider: string) {
  const { upstream } = gateway;
  await upstream.setFaults(fault);
  const seen = upstream.requests.length;
  const answer = await gateway.chat({ stream, model: `${provider}/model` });
  const calls = upstream.requests.slice(seen);
  assert.equal(
    calls.length,
    fault.isPortClosed ? 0 : 1,
    'one attempt, nothing repeated, no redirect followed',
  );
  assert.ok(!answer.text.includes('upstream-secret'));
  assertSeen(answer, outcome, stream);
  await assertRow(answer, outcome, provider);
  await upstream.setFaults();
  await assertHealthy(gateway, fault.name);
}

function assertSeen(answer: HttpCallResponse, outcome: Outcome, stream: boolean): void {
  assert.equal(answer.isComplete, true);
  assert.equal(answer.headers['x-floe-attempts'], '1');
  switch (outcome.is) {
    case 'refused':
      assertErrorAnswer(answer, { code: outcome.code }, 'before content');
      assert.equal(phaseIn(answer.json()), outcome.phase);
      return;
    case 'broken':
      return assertBroken(answer, outcome);
    case 'passed':
      assert.equal(answer.status, outcome.status);
      assert.equal(answer.headers['x-floe-error-source'], 'upstream');
      return;
    case 'whole':
      assert.equal(answer.status, 200, answer.text.slice(0, 500));
      assert.match(answer.text, /"finish_reason": ?"stop"/);
      assert.equal(
        answer.headers['content-type'],
        stream ? 'text/event-stream; charset=utf-8' : 'application/json',
      );
  }
}

/** After content: one typed error event at the end, and nothing that looks like a finished answer. */
function assertBroken(answer: HttpCallResponse, { code, phase }: Outcome & { is: 'broken' }): void {
  assert.equal(answer.status, 200);
  assert.doesNotMatch(answer.text, /\[DONE\]|"finish_reason": ?"/);
  const bodies = answer.frames().map((frame): unknown => JSON.parse(frame.data));
  assert.ok(bodies.length > 1, 'content came before the error');
  const errors = bodies.filter((body) => isJsonObject(body) && 'error' in body);
  assert.equal(errors.length, 1);
  const last = bodies.at(-1);
  assert.ok(isJsonObject(last) && isJsonObject(last.error), 'the error event is the last one');
  assert.equal(last.error.code, code);
  assert.equal(last.error.type, FAULTS[code].openai);
  assert.equal(phaseIn(last), phase);
  assert.equal(last.request_id, answer.headers['x-request-id']);
}

function phaseIn(body: unknown): unknown {
  return isJsonObject(body) && isJsonObject(body.error) ? body.error.phase : undefined;
}

async function assertRow(answer: HttpCallResponse, outcome: Outcome, provider: string): Promise<void> {
  const row = await gateway.row(answer.headers['x-request-id']);
  const states = { refused: 'failed', broken: 'partial', passed: 'failed', whole: 'complete' };
  const code = outcome.is === 'whole' ? null : outcome.is === 'passed' ? 'upstream_error' : outcome.code;
  assert.equal(row.state, states[outcome.is]);
  assert.equal(row.status, answer.status);
  assert.equal(row.error_code, code);
  assert.equal(row.error_source, code === null ? null : 'upstream');
  assert.equal(row.provider, provider);
  assert.equal(row.model, 'model');
  assert.ok(Array.isArray(row.attempts) && row.attempts.length === 1);
  const [attempt] = row.attempts;
  assert.ok(isJsonObject(attempt));
  assert.equal(attempt.error === null, outcome.is === 'whole');
  if (outcome.is === 'refused') assert.equal(attempt.error, code);
  if (outcome.is === 'refused' && outcome.upstreamStatus)
    assert.equal(attempt.status, outcome.upstreamStatus);
}

test('a keep-alive connection that is reset during the next request affects only this request', async () => {
  await gateway.upstream.setFaults(findInjectedFault(RACE));
  assert.equal((await gateway.chat()).status, 200);
  assertErrorAnswer(await gateway.chat(), { code: 'upstream_unreachable' }, RACE);
  assert.equal((await gateway.chat()).status, 200);
});

test('a stream that breaks after its role event and before content is an error status and not a 200', async () => {
  const early: readonly (readonly [InjectedFault, Outcome, string])[] = [
    [
      createCutResponseFault({ by: 'fin', framing: 'chunked', afterFrame: 1 }),
      refused('upstream_stream_broken', 200),
      'fake',
    ],
    [
      createCutResponseFault({ by: 'reset', framing: 'chunked', afterFrame: 1, isGated: false }),
      refused('upstream_stream_broken', 200),
      'fake',
    ],
    [
      createCutResponseFault({ by: 'fin', framing: 'chunked', afterByte: 0 }),
      refused('upstream_stream_broken', 200),
      'fake',
    ],
    [createStalledResponseFault({ afterFrame: 1 }), late('first_token'), 'no-token'],
    [createStalledResponseFault({ afterByte: 0 }), late('first_token'), 'no-token'],
  ];
  for (const [fault, outcome, provider] of early) await checkFault(fault, true, outcome, provider);
});

test('a stream cut after any of its events never looks finished', async () => {
  const healthy = await gateway.chat({ stream: true });
  const events = healthy.frames().length;
  for (let afterFrame = 2; afterFrame < events; afterFrame++) {
    await gateway.upstream.setFaults(createCutResponseFault({ by: 'fin', framing: 'chunked', afterFrame }));
    const answer = await gateway.chat({ stream: true });
    const finished = answer.text.includes('"finish_reason":"stop"');
    if (!finished) assertBroken(answer, { is: 'broken', code: 'upstream_stream_broken' });
    // All content and the finish have come; what was cut off is usage or the end mark.
    else assert.ok(afterFrame >= events - 3, `after event ${afterFrame}`);
  }
  await gateway.upstream.setFaults();
});

const WAITS: readonly (readonly [name: string, seconds: readonly string[]])[] = [
  ['rate-limited', ['1']],
  ['rate-limited/retry-after', ['2']],
  ['rate-limited/retry-after-ms', ['2']],
  // The date has whole seconds, of which the call took a part.
  ['rate-limited/http-date', ['1', '2', '3']],
];

test('the retry time of a provider is forwarded', async () => {
  for (const [name, seconds] of WAITS) {
    await gateway.upstream.setFaults(findInjectedFault(name));
    const answer = await gateway.chat();
    assert.ok(
      seconds.includes(answer.headers['retry-after'] ?? ''),
      `${name}: ${answer.headers['retry-after']}`,
    );
  }
  await gateway.upstream.setFaults();
});

test("a provider's 4xx reaches the caller with its bytes unchanged", async () => {
  await gateway.upstream.setFaults(findInjectedFault('context-length-400'));
  const passed = await gateway.chat();
  await gateway.upstream.setFaults();
  assert.match(passed.text, /^\{"error":\{"message":"This model's maximum context length is 128000 tokens/);
  assert.match(passed.text, /"code":"context_length_exceeded"\}\}$/);
});

test("the caller's own deadline ends a call like the total deadline", async () => {
  await gateway.upstream.setFaults(findInjectedFault('accept-and-silence'));
  const headers = { authorization: `Bearer ${GATEWAY_KEYS.full}`, 'x-floe-timeout-ms': '50' };
  const answer = await gateway.chat({}, { headers });
  assertErrorAnswer(answer, { code: 'upstream_timeout', message: /total/ }, 'x-floe-timeout-ms');
  assert.equal(phaseIn(answer.json()), 'total');
  const [request] = gateway.upstream.requests.slice(-1);
  await request?.settled;
  assert.equal(request?.isAborted, true);
  await gateway.upstream.setFaults();
});

test('a provider with an invalid name or certificate is unreachable', async () => {
  for (const provider of ['no-name', 'no-tls']) {
    const answer = await gateway.chat({ model: `${provider}/model` });
    assertErrorAnswer(answer, { code: 'upstream_unreachable' }, provider);
    await assertRow(answer, refused('upstream_unreachable'), provider);
  }
  const answer = await gateway.chat({ model: 'no-handshake/model' });
  assertErrorAnswer(answer, { code: 'upstream_timeout' }, 'a handshake without end');
  assert.equal(phaseIn(answer.json()), 'connect');
});

test('after a temporary fault, the next call succeeds', async () => {
  for (const fault of TABLE) {
    if (EXPECTED[fault.name]?.provider || fault.name.startsWith('huge')) continue;
    await gateway.upstream.setFaults(limitFaultRequests(fault, 1));
    await gateway.chat();
    if (fault.isPortClosed) await gateway.upstream.setFaults();
    assert.equal((await gateway.chat()).status, 200, fault.name);
  }
});
