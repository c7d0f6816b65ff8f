import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { FakeClock } from '@floe/testkit/fake-clock';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { openDatabase } from '../../store/open-database.ts';
import type { Database } from '../../store/store-interfaces.ts';
import { createTemporaryDirectory } from '../../store/test/temporary-directory.ts';
import type { SharedGatewayDependencies } from '../shared-gateway-dependencies.ts';
import { type FakeClockGateway, startFakeClockGateway } from '../test/fake-clock-gateway.ts';
import { createBackgroundFinalizer } from './background-finalizer.ts';

/** What is reserved: 1,000 tokens of output at $1 per million, and a few of input. */
const RESERVED = 1_000_000;
const USAGE = { input_tokens: 0, output_tokens: 10, total_tokens: 10 };

const read = (database: Database) => database.read.selectFrom('background_responses').selectAll().execute();

/** A gateway whose process has one finalizer, and another one on the same database. */
async function start(
  t: TestContext,
  wrap: (database: Database) => Pick<Database, 'read' | 'transaction'>,
  stored: () => Promise<void> = async () => undefined,
) {
  const dataDir = createTemporaryDirectory(t);
  const options = { dataDir, log: silentLog, clock: systemClock };
  const database = await openDatabase(`sqlite:${dataDir}/floe.db`, options);
  t.after(() => database.close());
  let dependencies: SharedGatewayDependencies | null = null;
  const createFinalizer = () => {
    const clock = new FakeClock();
    const gateway = () => dependencies ?? assert.fail('no gateway yet');
    return { clock, finalizer: createBackgroundFinalizer({ database: wrap(database), clock, gateway }) };
  };
  const [own, other] = [createFinalizer(), createFinalizer()];
  let isFinished = false;
  const gateway = await startFakeClockGateway({
    upstreams: {
      a: (_, { method }) => {
        const response = { id: 'resp_1', object: 'response', background: true, model: 'm', output: [] };
        return createJsonReply(
          method === 'GET' && isFinished
            ? { ...response, status: 'completed', usage: USAGE }
            : { ...response, status: 'queued' },
        );
      },
    },
    providers: { a: { kind: 'openai', prices: { '*': { input: 0, output: 1 } } } },
    routes: [{ model: '*', retries: 0 }],
    org: {
      budgets: ['hard', 'soft'].map((mode) => ({
        name: mode,
        scope: 'org',
        period: 'total',
        mode,
        limit_usd: 1,
      })),
    },
    dependencies: { background: own.finalizer },
    changeOperation: (operation) => ({
      ...operation,
      parse(x) {
        dependencies = { ...x.gateway, rows: { ...x.gateway.rows, stored } };
        return operation.parse(x);
      },
    }),
  });
  t.after(() => gateway.close());
  const body = { model: 'a/m', input: 'hi', background: true, max_output_tokens: 1_000 };
  assert.equal((await gateway.settled(gateway.send('responses', body))).status, 200);
  await eventually(async () => ((await read(database)).length === 1 ? true : undefined));
  return {
    database,
    gateway,
    own,
    other,
    finish: () => {
      isFinished = true;
    },
  };
}

test('the row of a response is on disk before its record is deleted', async (t) => {
  // The process ends when its record has been deleted.
  const disk = Promise.withResolvers<void>();
  const { database, gateway, own, finish } = await start(
    t,
    (real) => ({
      read: real.read,
      transaction: async (work) => {
        const result = await real.transaction(work);
        return typeof result === 'boolean' ? new Promise(() => undefined) : result;
      },
    }),
    () => disk.promise,
  );
  finish();
  own.clock.advance(2_000);
  await eventually(() => gateway.rows.length === 1 || undefined);
  // A transaction that is started now would delete the record before this one.
  await database.transaction(async () => undefined);
  assert.equal((await read(database)).length, 1);
  disk.resolve();
  await eventually(async () => ((await read(database)).length === 0 ? true : undefined));
  assert.deepEqual(
    gateway.rows.map(({ output_tokens }) => output_tokens),
    [10],
  );
});

test('a process settles the reservation of a response that another process finalized', async (t) => {
  const { database, gateway, own, other, finish } = await start(t, (real) => real);
  const budgets = async () =>
    (await gateway.ruleStatus()).budgets.map((budget) => [budget.spent_nano_usd, budget.reserved_nano_usd]);
  assert.deepEqual((await budgets())[0], [0, RESERVED]);
  finish();
  // The lease of the first process expires, because it was paused for more than a minute.
  other.clock.step(61_000);
  other.clock.advance(2_000);
  await eventually(async () => ((await read(database)).length === 0 ? true : undefined));
  assert.equal(gateway.rows.length, 1);
  own.clock.step(61_000);
  own.clock.advance(2_000);
  await waitForSettledBudgets(gateway);
});

test('a process settles such a reservation if its lease expired during the transaction that renews it', async (t) => {
  let gate = Promise.resolve();
  let opens = 0;
  const { database, gateway, own, other, finish } = await start(t, (real) => {
    opens += 1;
    if (opens > 1) return real;
    return { read: real.read, transaction: (work) => gate.then(() => real.transaction(work)) };
  });
  own.clock.step(50_000);
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  own.clock.advance(2_000);
  finish();
  other.clock.step(61_000);
  other.clock.advance(2_000);
  await eventually(async () => ((await read(database)).length === 0 ? true : undefined));
  own.clock.step(10_000);
  held.resolve();
  await waitForSettledBudgets(gateway);
});

/** Waits until the hard budget keeps the reservation, and the soft budget contains the cost. */
async function waitForSettledBudgets(gateway: FakeClockGateway): Promise<void> {
  const expected = String([
    [RESERVED, 0],
    [10_000, 0],
  ]);
  await eventually(async () => {
    const { budgets } = await gateway.ruleStatus();
    const counts = budgets.map((budget) => [budget.spent_nano_usd, budget.reserved_nano_usd]);
    return String(counts) === expected ? true : undefined;
  });
}
