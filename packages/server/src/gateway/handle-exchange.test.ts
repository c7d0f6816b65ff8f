// Bugs at the end of an exchange: each is logged, and neither keeps capacity nor ends the process.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { eventually } from '@floe/testkit/eventually';
import { createMetrics } from '../analytics/metrics.ts';
import { silentLog } from '../core/log.ts';
import type { Exchange } from './exchange-record.ts';
import type { GatewayOperation } from './operation.ts';
import { chatReply } from './test/chat-replies.ts';
import { type FakeClockGatewayOptions, startFakeClockGateway } from './test/fake-clock-gateway.ts';

const PROMPT = { model: 'a/m', max_tokens: 1_000, messages: [{ role: 'user', content: 'hi' }] };
const BUG = new Error('bug in a test');

async function start(
  t: TestContext,
  options: Pick<FakeClockGatewayOptions, 'changeOperation' | 'dependencies'>,
) {
  const logged: unknown[] = [];
  const log = { ...silentLog, error: (fields: object) => void logged.push(fields) };
  const gateway = await startFakeClockGateway({
    upstreams: { a: (isStream) => chatReply('hello', isStream) },
    routes: [],
    overload: {
      maxConcurrentExchanges: 1,
      maxBodyBytes: 1 << 20,
      maxBodyDiskBytes: 1 << 30,
      maxEventLoopDelayMs: 0,
    },
    providers: { a: { prices: { m: { input: 1, output: 1 } } } },
    org: {
      limits: [{ name: 'one', scope: 'org', concurrency: 1 }],
      budgets: [{ name: 'month', scope: 'org', period: 'month', limit_usd: 1 }],
    },
    ...options,
    dependencies: { log, ...options.dependencies },
  });
  t.after(() => gateway.close());
  return { gateway, logged };
}

/** Sends `count` requests one after the other. Each requires the only place and the only slot of the limit. */
async function sendAll(t: TestContext, options: Parameters<typeof start>[1], count = 3) {
  const { gateway, logged } = await start(t, options);
  const statuses: (number | null)[] = [];
  for (let n = 1; n <= count; n++) {
    const answer = gateway.send('chat', PROMPT).then(
      ({ status }) => status,
      () => null,
    );
    statuses.push(await gateway.settled(answer));
    await eventually(() => logged.length === n || undefined);
    assert.equal(gateway.overload.load.inFlight, 0);
    assert.equal(gateway.overload.load.bodyBytes, 0);
  }
  for (const fields of logged) assert.equal('err' in Object(fields) && Object(fields).err, BUG);
  const { budgets } = await gateway.ruleStatus();
  return { statuses, rows: gateway.rows, budget: budgets[0] };
}

/** Returns the operation with calls before its request is parsed and after its response has been sent. */
const changed =
  ({ before, after }: { before?: (x: Exchange) => void; after?: (x: Exchange) => void }) =>
  (operation: GatewayOperation): GatewayOperation => ({
    ...operation,
    async parse(x) {
      before?.(x);
      const { route, send } = await operation.parse(x);
      const sendAndCall = async () => {
        const result = await send();
        after?.(x);
        return result;
      };
      return { route, send: sendAndCall };
    },
  });
const fail = () => {
  throw BUG;
};

test('a bug while an operation is released is logged, and the exchange is still recorded', async (t) => {
  const { statuses, rows, budget } = await sendAll(t, {
    changeOperation: (operation) => ({ ...operation, release: fail }),
  });
  assert.deepEqual(statuses, [200, 200, 200]);
  assert.deepEqual(
    rows.map(({ state }) => state),
    ['complete', 'complete', 'complete'],
  );
  assert.equal(budget?.reserved_usd, '0');
});

test('a bug while the cost is computed is logged, and the reserved cost is charged', async (t) => {
  const { statuses, budget } = await sendAll(t, {
    changeOperation: changed({
      after: ({ answer }) => void Object.defineProperty(answer, 'usage', { get: fail }),
    }),
  });
  assert.deepEqual(statuses, [200, 200, 200]);
  assert.equal(budget?.reserved_usd, '0');
  assert.ok(Number(budget?.spent_usd) >= 0.003, budget?.spent_usd);
});

test('a bug while an exchange is counted is logged, and releases its reservations', async (t) => {
  const metrics = createMetrics(
    () => 0,
    async () => 0,
  );
  const { statuses, budget } = await sendAll(t, {
    dependencies: { metrics: { ...metrics, recordExchange: fail } },
  });
  assert.deepEqual(statuses, [200, 200, 200]);
  assert.equal(budget?.reserved_usd, '0');
});

test('a bug while an error is sent is logged and closes the connection, and the exchange is recorded as failed', async (t) => {
  const { statuses, rows, budget } = await sendAll(t, {
    changeOperation: changed({
      before({ client }) {
        client.sendAnswer = fail;
        throw new Fault('invalid_request', 'rejected');
      },
    }),
  });
  assert.deepEqual(statuses, [null, null, null]);
  assert.deepEqual(
    rows.map(({ state, status, error_code }) => [state, status, error_code]),
    Array.from({ length: 3 }, () => ['failed', 500, 'internal_error']),
  );
  assert.equal(budget?.reserved_usd, '0');
});
