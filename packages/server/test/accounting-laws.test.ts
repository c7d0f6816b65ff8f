// What every exchange is booked with, whatever its surface, its form, what its provider reports and how it ends: at
// least what was delivered. And what a hard budget lets through when upstreams ignore `max_tokens`.
// Tier: ci. Waits for rows of two processes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { createCutResponseFault, createStalledResponseFault } from '@floe/testkit/connection-faults';
import { eventually } from '@floe/testkit/eventually';
import type { HttpCallResponse } from '@floe/testkit/http-client';
import { limitFaultRequests } from '@floe/testkit/injected-fault';
import { accountingReply, countDeliveredBytes, type ReportedUsage } from './accounting-answers.ts';
import {
  ACCOUNTING_PATHS,
  type AccountingCaller,
  type AccountingGateway,
  type AccountingPath,
  accountingBody,
  startAccountingGateway,
  waitForSpend,
} from './accounting-gateway.ts';

/** USD per million tokens, so nano-dollars are thousandths of tokens. */
const PRICE = { input: 1, output: 2 };
const PIECES = Array.from({ length: 40 }, (_, n) => `Das ${n}. "Stück" Eis\nliegt nördlich 🧊; `);
const REPORTED = { input: 25, output: 777 };

/** What a provider may report, and which of its counts can be true. */
const REPORTS: Readonly<
  Record<string, { readonly report: ReportedUsage | null; readonly good: readonly (keyof ReportedUsage)[] }>
> = {
  present: { report: REPORTED, good: ['input', 'output'] },
  absent: { report: null, good: [] },
  zero: { report: { input: 0, output: 0 }, good: [] },
  'input alone': { report: { input: REPORTED.input }, good: ['input'] },
  'output alone': { report: { output: REPORTED.output }, good: ['output'] },
  'a first guess': { report: { input: REPORTED.input, output: 1 }, good: ['input'] },
  negative: { report: { input: -25, output: -777 }, good: [] },
  'beyond all numbers': { report: { input: 1e18, output: 1e18 }, good: [] },
  'beyond all contexts': { report: { input: 4e15, output: 4e15 }, good: [] },
  'not counts': { report: { input: 'many', output: 7.5 }, good: [] },
};
const ENDINGS = ['complete', 'cut', 'aborted', 'error'] as const;
type Ending = (typeof ENDINGS)[number];

interface Case {
  readonly way: AccountingPath;
  readonly stream: boolean;
  readonly usage: string;
  readonly ending: Ending;
}

const nameOf = ({ way, stream, usage, ending }: Case) =>
  `${way.name}, ${stream ? 'streamed' : 'whole'}, usage ${usage}, ${ending}`;

let harness: AccountingGateway;
let caller: AccountingCaller;
before(async () => {
  harness = await startAccountingGateway({ price: PRICE, limitUsd: 1_000_000 });
  caller = harness.createCaller();
});
after(() => harness.close());

/** Lays out an answer and asks for it. Null when the client disconnected before an answer began. */
async function play({ way, stream, usage, ending }: Case): Promise<HttpCallResponse | null> {
  const { report = null } = REPORTS[usage] ?? {};
  const upstream = harness.upstream(way.upstreamId);
  const part = stream ? { afterFrame: 20 } : {};
  const fault =
    ending === 'cut'
      ? createCutResponseFault({ by: 'fin', framing: 'chunked', ...part })
      : ending === 'aborted'
        ? createStalledResponseFault(part)
        : null;
  await upstream.setFaults(...(fault ? [limitFaultRequests(fault, 1)] : []));
  const errs = ending === 'error';
  harness.setReply(
    way.upstreamId,
    accountingReply(way.upstream, { stream, pieces: PIECES, reportedUsage: report, fails: errs }),
  );
  const leave = new AbortController();
  const asked = upstream.requests.length;
  const body = accountingBody(way, 'How thick is the ice?', stream ? { stream } : {});
  const answer = caller.send(way, body, {
    ...(ending === 'aborted' && { signal: leave.signal }),
    onChunk: (piece) => {
      // Content, not a comment or the announcement of an answer.
      if (ending === 'aborted' && piece.includes('St')) leave.abort();
    },
  });
  if (ending !== 'aborted' || stream) return answer;
  await upstream.waitForRequests(asked + 1);
  leave.abort();
  return answer.catch(() => null);
}

const COUNTS = ['input_tokens', 'output_tokens'] as const;

function count(row: JsonObject, name: (typeof COUNTS)[number]): number {
  return Number((isJsonObject(row['usage']) && row['usage'][name]) || 0);
}

const paidFor = (row: JsonObject) => Number(row['cost_nano_usd'] ?? 0);
const costOf = (row: JsonObject) => (count(row, 'input_tokens') + 2 * count(row, 'output_tokens')) * 1_000;

function assertBooked(at: Case, answer: HttpCallResponse, row: JsonObject): void {
  const name = `${nameOf(at)}: ${JSON.stringify(row)}`;
  const { good = [] } = REPORTS[at.usage] ?? {};
  const delivered = at.way.surface === 'embeddings' ? 0 : countDeliveredBytes(answer.text, at.stream);
  assert.ok(count(row, 'output_tokens') * 4 >= delivered || at.ending === 'complete', name);
  assert.ok(count(row, 'output_tokens') <= 1_000 && count(row, 'input_tokens') <= 100, name);
  assert.equal(paidFor(row), costOf(row), name);
  if (delivered > 0) assert.ok(count(row, 'input_tokens') > 0 && count(row, 'output_tokens') > 0, name);
  if (at.ending !== 'complete') return;
  assert.equal(row['state'], 'complete', name);
  const isTold = (which: keyof ReportedUsage) => good.includes(which);
  if (isTold('input')) assert.equal(count(row, 'input_tokens'), REPORTED.input, name);
  if (at.way.surface === 'embeddings') return;
  assert.ok(delivered > 1_000, `the whole answer: ${name}`);
  if (isTold('output')) assert.equal(count(row, 'output_tokens'), REPORTED.output, name);
  else assert.ok(Math.abs(count(row, 'output_tokens') - delivered / 4) <= 3, name);
  const source = isTold('input') && isTold('output') ? 'provider' : 'estimated';
  assert.equal(isJsonObject(row['usage']) && row['usage']['source'], source, name);
}

test('for any reported usage and any end, an exchange is charged for at least the delivered content', async () => {
  const cases: Case[] = [];
  for (const way of ACCOUNTING_PATHS)
    for (const stream of way.surface === 'embeddings' ? [false] : [false, true])
      for (const usage of Object.keys(REPORTS))
        for (const ending of ENDINGS) cases.push({ way, stream, usage, ending });
  const answers = new Map<string, { readonly at: Case; readonly answer: HttpCallResponse }>();
  for (const at of cases) {
    const answer = await play(at);
    const id = answer?.headers['x-request-id'];
    if (answer && id) answers.set(id, { at, answer });
  }
  const rows = await harness.rows([...answers.keys()]);
  let booked = 0;
  for (const [id, { at, answer }] of answers) {
    const row = rows.get(id) ?? assert.fail(id);
    assertBooked(at, answer, row);
    booked += costOf(row);
  }
  // Whoever left before an answer began has a row without an id that is known here: its input alone.
  const unanswered = cases.length - answers.size;
  const spent = await caller.getSpend();
  assert.ok(spent >= booked && spent <= booked + unanswered * 200_000, `${spent} spent, ${booked} booked`);
});

for (const way of ACCOUNTING_PATHS.filter(({ surface }) => surface !== 'embeddings'))
  test(`${way.name}: the same response has the same estimate, with and without streaming`, async () => {
    const tokens: number[] = [];
    for (const stream of [false, true]) {
      const answer = await play({ way, stream, usage: 'absent', ending: 'complete' });
      const id = answer?.headers['x-request-id'] ?? assert.fail('no answer');
      tokens.push(count((await harness.rows([id])).get(id) ?? {}, 'output_tokens'));
    }
    const [whole = 0, streamed = 0] = tokens;
    assert.ok(Math.abs(whole - streamed) <= 2, `${whole} whole, ${streamed} streamed`);
  });

/** A dollar for each 20,000 tokens. */
const DEAR = { input: 0, output: 50 };
const NANO_PER_TOKEN = 50_000;
const ONE_DOLLAR = 1_000_000_000;
/** Ten tokens of content in each event, of which 3,000 are a dollar and a half. */
const EVENT = 'a word or two and then some more ice on ';
const ENDLESS = Array.from({ length: 3_000 }, () => EVENT);
/** Node reads so much of a socket at a time; no event of any dialect is shorter than its content and 60 bytes. */
const READ_NANO_USD = Math.ceil((65_536 / (EVENT.length + 60)) * 10) * NANO_PER_TOKEN;

const cap = ({ surface }: AccountingPath, tokens: number) =>
  surface === 'responses' ? { max_output_tokens: tokens } : { max_tokens: tokens };
const SPEAKING = ACCOUNTING_PATHS.filter(({ surface }) => surface !== 'embeddings');
const endless = ({ upstream }: AccountingPath) =>
  accountingReply(upstream, { stream: true, pieces: ENDLESS, reportedUsage: null, fails: false });

let dear: AccountingGateway;
before(async () => {
  dear = await startAccountingGateway({ price: DEAR, limitUsd: 1 });
});
after(() => dear.close());

const codeOf = (answer: HttpCallResponse) => {
  const body: unknown = JSON.parse(answer.text);
  const error = isJsonObject(body) && isJsonObject(body['error']) ? body['error'] : {};
  return [answer.status, error['code'], error['type']];
};

/** What ends a stream in this dialect, or would look like it. */
const FINISHES = /"finish_reason":"|"stop_reason":"|message_stop|response\.completed|\[DONE\]/;

for (const way of SPEAKING)
  test(`${way.name}: a stream beyond max_tokens extends its reservation in a hard budget, or ends with the typed error`, async () => {
    const payer = dear.createCaller();
    dear.setReply(way.upstreamId, endless(way));
    const answer = await payer.send(way, accountingBody(way, 'Go on.', { stream: true, ...cap(way, 20) }));
    const id = answer.headers['x-request-id'] ?? '';
    const row = (await dear.rows([id])).get(id) ?? {};
    assert.deepEqual([row['status'], row['state'], row['error_code']], [200, 'partial', 'budget_exceeded']);
    const cost = paidFor(row);
    assert.ok(cost <= ONE_DOLLAR + READ_NANO_USD, `${cost}: at most a read above the budget`);
    assert.ok(cost >= ONE_DOLLAR * 0.7, `${cost}: the budget is used`);
    assert.equal(cost, Math.ceil(countDeliveredBytes(answer.text, true) / 4) * NANO_PER_TOKEN);
    assert.doesNotMatch(answer.text, FINISHES);
    assert.match(answer.text, /was exhausted while this response was being streamed/);
    assert.match(answer.text, /budget_exceeded|billing_error/);
    await waitForSpend(payer, cost);
  });

test('many simultaneous streams beyond max_tokens exceed the budget by at most one read each', async () => {
  const payer = dear.createCaller();
  for (const way of SPEAKING) dear.setReply(way.upstreamId, endless(way));
  // One fake answers one dialect at a time: the ways whose answers it lays out last.
  const ways = SPEAKING.filter(
    (way) => SPEAKING.findLast(({ upstreamId }) => upstreamId === way.upstreamId)?.upstream === way.upstream,
  );
  const asked = Array.from({ length: 24 }, (_, n) => {
    const way = ways[n % ways.length] ?? assert.fail();
    return payer.send(way, accountingBody(way, 'Go on.', { stream: true, ...cap(way, 5) }));
  });
  const answers = (await Promise.all(asked)).filter(({ status }) => status === 200);
  const rows = [...(await dear.rows(answers.map(({ headers }) => headers['x-request-id'] ?? ''))).values()];
  for (const row of rows) assert.equal(row['error_code'], 'budget_exceeded', JSON.stringify(row));
  const spent = rows.reduce((sum, row) => sum + paidFor(row), 0);
  assert.ok(spent <= ONE_DOLLAR + rows.length * READ_NANO_USD, `${spent} spent by ${rows.length}`);
  assert.ok(spent >= ONE_DOLLAR * 0.7, `${spent} spent`);
  await waitForSpend(payer, spent);
});

test('complete responses beyond max_tokens exceed the budget by at most the excess of those in progress', async () => {
  const payer = dear.createCaller();
  const IN_FLIGHT = 16;
  const pieces = [EVENT.repeat(100)];
  const ways = SPEAKING.filter(({ path }) => !path.includes('passthrough'));
  for (const way of ways)
    dear.setReply(
      way.upstreamId,
      accountingReply(way.upstream, { stream: false, pieces, reportedUsage: null, fails: false }),
    );
  const ids: string[] = [];
  let mostActual = 0;
  const worker = async (n: number) => {
    for (let round = 0; round < 12; round++) {
      const way = ways[(n + round) % ways.length] ?? assert.fail();
      const answer = await payer.send(way, accountingBody(way, 'Go on.', cap(way, 5)));
      if (answer.status === 200) ids.push(answer.headers['x-request-id'] ?? '');
      else
        assert.deepEqual(
          codeOf(answer).slice(0, 2),
          answer.status === 402 ? [402, 'budget_exceeded'] : [429, 'budget_reserved'],
          `${way.name}: ${answer.text}`,
        );
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, n) => worker(n)));
  const rows = [...(await dear.rows(ids)).values()];
  let spent = 0;
  for (const row of rows) {
    spent += paidFor(row);
    mostActual = Math.max(mostActual, paidFor(row));
  }
  const reserved = 5 * NANO_PER_TOKEN;
  assert.ok(spent >= ONE_DOLLAR - mostActual, `the budget was spent: ${spent}`);
  assert.ok(
    spent <= ONE_DOLLAR + IN_FLIGHT * (mostActual - reserved),
    `${spent} spent, ${mostActual} at most each`,
  );
  await waitForSpend(payer, spent);
});

const told = ({ upstream }: AccountingPath, output: number) =>
  accountingReply(upstream, {
    stream: false,
    pieces: ['thick'],
    reportedUsage: { input: 1, output },
    fails: false,
  });

for (const way of SPEAKING.filter(({ path }) => !path.includes('passthrough')))
  test(`${way.name}: a fully reserved budget and a spent one have different errors`, async () => {
    const { send, getSpend } = dear.createCaller();
    const ask = (tokens: number, model = way.model) =>
      send(way, accountingBody({ ...way, model }, 'How thick?', cap(way, tokens)));
    dear.setReply(way.upstreamId, { ...told(way, 40), isPaced: true });
    const { gate, requests } = dear.upstream(way.upstreamId);
    const before = requests.length;
    const first = ask(8_000);
    const second = ask(8_000);
    await dear.upstream(way.upstreamId).waitForRequests(before + 2);
    const refused = await ask(8_000);
    assert.deepEqual(codeOf(refused), [429, 'budget_reserved', 'rate_limit_error']);
    assert.equal(refused.headers['x-should-retry'], undefined);
    const wait = Number(refused.headers['retry-after-ms']);
    assert.ok(wait > 0 && wait <= 10_000 && Number(refused.headers['retry-after']) >= 1, `${wait} ms`);
    const never = await ask(20_001);
    assert.deepEqual(codeOf(never).slice(0, 2), [402, 'budget_exceeded'], 'waiting does not help it');
    assert.equal((await ask(8_000, 'nobody/m')).status, 404, 'what is wrong with the request is told first');
    gate.release(2);
    assert.deepEqual([(await first).status, (await second).status], [200, 200]);
    await waitForSpend({ send, getSpend }, 80 * NANO_PER_TOKEN);
    dear.setReply(way.upstreamId, told(way, 19_000));
    assert.equal((await ask(19_000)).status, 200, 'what was reserved and not used is there again');
    const over = await ask(8_000);
    assert.deepEqual(codeOf(over).slice(0, 2), [402, 'budget_exceeded']);
    assert.equal(over.headers['x-should-retry'], 'false');
  });

test('without max_tokens, requests reserve what recent responses of the model needed', async () => {
  const { send } = dear.createCaller();
  const [way = assert.fail()] = ACCOUNTING_PATHS;
  const { gate, requests } = dear.upstream(way.upstreamId);
  dear.setReply(way.upstreamId, { ...told(way, 40), isPaced: true });
  /** How many of so many at once are admitted, while none of them is answered. */
  const admitted = async (many: number) => {
    const before = requests.length;
    let refused = 0;
    const asked = Array.from({ length: many }, async () => {
      const { status } = await send(way, accountingBody(way, 'How thick?'));
      if (status !== 200) refused += 1;
    });
    await eventually(() => (requests.length - before + refused === many ? true : undefined));
    const count = requests.length - before;
    gate.release(count);
    await Promise.all(asked);
    return count;
  };
  assert.equal(await admitted(10), 4, '4,096 tokens each of 20,000, as nothing is known');
  for (let n = 0; n < 6; n++) assert.equal(await admitted(1), 1);
  assert.equal(await admitted(100), 100, '40 tokens each');
});
