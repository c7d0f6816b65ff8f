// Several attempts for one exchange: each is paid at the price of the target that made it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { createCutResponseFault } from '@floe/testkit/connection-faults';
import { findInjectedFault } from '@floe/testkit/fault-table';
import { type InjectedFault, limitFaultRequests } from '@floe/testkit/injected-fault';
import { createSseReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { startFakeClockGateway } from './test/fake-clock-gateway.ts';

const ROUNDS = process.env['FLOE_TEST_FULL'] ? 400 : 40;
const WORDS = 'The ice north of the station is two metres thick by now.'.split(/(?<= )/);
/** USD per million tokens in and out; nobody knows what `d` costs. */
const PRICES = { a: [1, 2], b: [3, 7], c: [11, 13] } as const;
const TARGETS = ['a', 'b', 'c', 'd'] as const;
const TPM = 1_000_000;

/** Small numbers that look random and are the same in every run. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Some providers count in every event, some at the end alone. */
function reply(input: number, output: number, countsAlways: boolean): UpstreamReply {
  const usage = (completion: number) => ({ prompt_tokens: input, completion_tokens: completion });
  const chunk = (delta: object, finish: string | null, so: number | null) => ({
    id: 'c-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...(so === null ? {} : { usage: usage(so) }),
  });
  return createSseReply([
    ...WORDS.map((content, at) => chunk({ content }, null, countsAlways ? at + 1 : null)),
    chunk({}, 'stop', output),
    'data: [DONE]\n\n',
  ]);
}

function priced(id: keyof typeof PRICES) {
  const [input, output] = PRICES[id];
  return { prices: { m: { input, output } }, breaker: { enabled: false } };
}

interface AttemptSaid {
  readonly provider: string;
  readonly usage?: { readonly input?: number; readonly output?: number };
}

function attemptsIn(json: string | undefined): AttemptSaid[] {
  const list: unknown = JSON.parse(json ?? '[]');
  assert.ok(Array.isArray(list));
  return list.filter(isJsonObject).map(({ provider, usage }) => ({
    provider: String(provider),
    ...(isJsonObject(usage) ? { usage: { input: Number(usage.input), output: Number(usage.output) } } : {}),
  }));
}

function costOf({ provider, usage }: AttemptSaid): number {
  if (!usage || (provider !== 'a' && provider !== 'b' && provider !== 'c')) return 0;
  const [input, output] = PRICES[provider];
  return ((usage.input ?? 0) * input + (usage.output ?? 0) * output) * 1000;
}

test('for any combination of failures, row, budget and tokens are the sum of the attempts at their own prices', async (t) => {
  const number = numbersFrom(20_261_122);
  const plays = new Map(TARGETS.map((id) => [id, { input: 1, output: 1, countsAlways: false }]));
  const gateway = await startFakeClockGateway({
    upstreams: Object.fromEntries(
      TARGETS.map((id) => [
        id,
        () => {
          const { input, output, countsAlways } = plays.get(id) ?? assert.fail();
          return reply(input, output, countsAlways);
        },
      ]),
    ),
    providers: { a: priced('a'), b: priced('b'), c: priced('c'), d: { breaker: { enabled: false } } },
    routes: [{ model: 'smart', targets: TARGETS.map((id) => `${id}/m`), retries: 0, rescue: 'replay' }],
    org: {
      limits: [{ name: 'tokens', scope: 'org', tpm: TPM }],
      budgets: [{ name: 'all', scope: 'org', period: 'total', mode: 'soft', limit_usd: 1000 }],
    },
  });
  t.after(() => gateway.close());
  let money = 0;
  let several = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const id of TARGETS) {
      const fault = breakFor(number);
      plays.set(id, { input: 1 + number(50), output: 1 + number(90), countsAlways: number(2) === 0 });
      await gateway.upstream(id).setFaults(...(fault ? [limitFaultRequests(fault, 1)] : []));
    }
    const before = (await gateway.ruleStatus()).limits[0]?.tpm_used ?? 0;
    await gateway.settled(
      gateway.send('chat', { model: 'smart', stream: true, messages: [{ role: 'user', content: 'hello' }] }),
    );
    const row = gateway.rows.at(-1);
    const attempts = attemptsIn(row?.attempts_json);
    const [alone] = attempts;
    // One attempt alone has its usage on the row.
    const counted =
      attempts.length === 1 && alone
        ? [{ ...alone, usage: { input: row?.input_tokens ?? 0, output: row?.output_tokens ?? 0 } }]
        : attempts;
    if (counted.filter(({ usage }) => usage).length > 1) several += 1;
    const sum = counted.reduce((total, attempt) => total + costOf(attempt), 0);
    const tokens = counted.reduce(
      (total, { usage }) => total + (usage?.input ?? 0) + (usage?.output ?? 0),
      0,
    );
    assert.equal(row?.cost_nano_usd ?? 0, sum, `round ${round}: ${row?.attempts_json}`);
    assert.equal((row?.input_tokens ?? 0) + (row?.output_tokens ?? 0), tokens, `round ${round}`);
    money += sum;
    const { limits, budgets } = await gateway.ruleStatus();
    assert.equal((limits[0]?.tpm_used ?? 0) - before, tokens, `round ${round}: tokens`);
    assert.equal(budgets[0]?.spent_nano_usd, money, `round ${round}: money`);
    await gateway.advance(61_000);
  }
  assert.ok(several > ROUNDS / 4, `${several} of ${ROUNDS} had several attempts that count`);
});

/** Nothing, a break after some words, or a refusal. */
function breakFor(number: (below: number) => number): InjectedFault | undefined {
  const kind = number(5);
  if (kind === 0) return undefined;
  if (kind === 1) return findInjectedFault('unavailable');
  const afterFrame = 1 + number(WORDS.length);
  return createCutResponseFault({ by: 'fin', framing: 'chunked', afterFrame });
}
