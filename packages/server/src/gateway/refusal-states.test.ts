// Which requests are recorded as blocked: those Floe decided against, and no mistake of a caller or a provider.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAULTS, Fault, type FaultCode } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import {
  type FakeClockGatewayOptions,
  type FakeClockSurface,
  startFakeClockGateway,
} from './test/fake-clock-gateway.ts';

/** The error codes of requests that Floe blocks: 429 limit, 402 budget, 403 policy, allowlist, unknown price. */
const BLOCKING: readonly FaultCode[] = [
  'rate_limit_exceeded',
  'budget_reserved',
  'budget_exceeded',
  'policy_denied',
  'model_not_allowed',
  'price_unknown',
];

test("every error code either blocks or does not, and a provider's response never blocks", () => {
  for (const code of Object.keys(FAULTS).filter((name): name is FaultCode => name in FAULTS)) {
    assert.equal(new Fault(code, 'x').isBlock, BLOCKING.includes(code), code);
    assert.equal(new Fault(code, 'x', { upstreamStatus: 429 }).isBlock, false, `${code} of an upstream`);
  }
  assert.equal(new Fault('model_not_found', 'x', { notAllowlisted: true }).isBlock, true);
});

const BODIES: Readonly<Record<FakeClockSurface, JsonObject>> = {
  chat: { messages: [{ role: 'user', content: 'hi' }], max_tokens: 5 },
  responses: { input: 'hi', max_output_tokens: 5 },
  messages: { messages: [{ role: 'user', content: 'hi' }], max_tokens: 5 },
};

interface Situation {
  readonly code: string;
  readonly state: 'blocked' | 'failed';
  readonly org?: JsonObject;
  readonly provider?: JsonObject;
  readonly model?: string;
  readonly reply?: UpstreamReply;
}

const budget = (limit_usd: number) => ({
  budgets: [{ name: 'hard', scope: 'org', period: 'total', mode: 'hard', limit_usd }],
});
const policy = { policies: [{ name: 'none', on: 'request', when: 'true', action: 'deny', mode: 'enforce' }] };
const PRICED = { prices: { m: { input: 1_000_000, output: 1_000_000 } } };

const SITUATIONS: readonly Situation[] = [
  { code: 'rate_limit_exceeded', state: 'blocked', org: { limits: [{ name: 'few', scope: 'org', rpm: 1 }] } },
  { code: 'budget_exceeded', state: 'blocked', org: budget(0.001), provider: PRICED },
  { code: 'price_unknown', state: 'blocked', org: budget(10) },
  { code: 'policy_denied', state: 'blocked', org: policy },
  { code: 'model_not_found', state: 'blocked', model: 'a/other' },
  { code: 'model_not_allowed', state: 'blocked', model: 'closed' },
  { code: 'model_not_found', state: 'failed', model: 'nobody/m' },
  { code: 'upstream_error', state: 'failed', reply: createJsonReply({ error: { message: 'no' } }, 500) },
  {
    code: 'upstream_rate_limited',
    state: 'failed',
    reply: createJsonReply({ error: { message: 'no' } }, 429),
  },
  {
    code: 'upstream_auth_failed',
    state: 'failed',
    reply: createJsonReply({ error: { message: 'no' } }, 401),
  },
];

function optionsFor({
  org = {},
  provider = {},
  reply = createJsonReply({}),
}: Situation): FakeClockGatewayOptions {
  return {
    upstreams: { a: () => reply },
    providers: { a: { breaker: { enabled: false }, models: ['m'], ...provider } },
    routes: [
      { model: 'closed', targets: ['a/other'] },
      { model: '*', retries: 0 },
    ],
    org,
  };
}

for (const situation of SITUATIONS)
  test(`${situation.code} (${situation.model ?? situation.reply?.status ?? 'a/m'}) is recorded as ${situation.state} on every surface`, async (t) => {
    const gateway = await startFakeClockGateway(optionsFor(situation));
    t.after(() => gateway.close());
    const model = situation.model ?? 'a/m';
    // The one that a limit of one request lets through.
    await gateway.settled(gateway.send('chat', { model, ...BODIES.chat }));
    for (const surface of ['chat', 'responses', 'messages'] as const)
      for (const stream of [false, true]) {
        await gateway.settled(gateway.send(surface, { model, stream, ...BODIES[surface] }));
        const row = gateway.rows.at(-1);
        const where = `${surface}${stream ? ', streamed' : ''}`;
        assert.deepEqual([row?.error_code, row?.state], [situation.code, situation.state], where);
        if (situation.state === 'blocked') assert.equal(row?.attempts_json, '[]', where);
      }
    await gateway.settled(gateway.sendTo('embeddings', { model, input: 'hi' }));
    assert.deepEqual(
      [gateway.rows.at(-1)?.error_code, gateway.rows.at(-1)?.state],
      [situation.code, situation.state],
      'embeddings',
    );
    const counted = [
      ...(await gateway.metrics()).matchAll(/^floe_exchange_duration_seconds_count.* (\d+)$/gm),
    ];
    const reached = gateway.rows.filter(({ attempts_json }) => attempts_json !== '[]');
    const sum = counted.reduce((all, [, count]) => all + Number(count), 0);
    assert.equal(sum, reached.length, 'durations are those of requests that reached an upstream');
  });

test('an otherwise invalid request is recorded with the model that it contains', async (t) => {
  const gateway = await startFakeClockGateway({ upstreams: { a: () => createJsonReply({}) }, routes: [] });
  t.after(() => gateway.close());
  const WRONG: readonly (readonly [FakeClockSurface, JsonObject])[] = [
    ['chat', { messages: 'hi' }],
    ['chat', { ...BODIES.chat, stream: 'yes' }],
    ['chat', { ...BODIES.chat, n: 0 }],
    ['messages', { max_tokens: 5 }],
    ['messages', { messages: [] }],
    ['responses', { input: 'hi', stream: 7 }],
  ];
  for (const [surface, body] of WRONG) {
    const { status } = await gateway.settled(gateway.send(surface, { model: 'a/m', ...body }));
    if (status === 400) assert.equal(gateway.rows.at(-1)?.model_requested, 'a/m', JSON.stringify(body));
  }
  assert.ok(gateway.rows.length >= WRONG.length - 1);
});
