import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { eventually } from '@floe/testkit/eventually';
import { startDedicatedRedis } from '@floe/testkit/redis';
import { Redis } from 'ioredis';
import { systemClock } from '../../core/clock.ts';
import { createLogSpy } from '../test/log-spy.ts';
import { ManualClock } from '../test/manual-clock.ts';
import { startTestRedis } from '../test/redis-server.ts';
import {
  countersSuite,
  testLeaseClaim,
  testSettlement,
  testSpendClaim,
  testWindowClaim,
} from './counters.suite.ts';
import { openRedisCounters, type SharedStoreCounters } from './redis-counters.ts';
import { ResilientCounters } from './resilient-counters.ts';

async function open(t: TestContext) {
  const url = await startTestRedis();
  let offset = 0;
  const counters = await openRedisCounters({ url, clock: systemClock, offsetMs: () => offset });
  const admin = new Redis(url);
  t.after(async () => {
    await counters.close();
    await admin.flushall();
    admin.disconnect();
  });
  return {
    counters,
    admin,
    slackMs: 20_000,
    flush: () => admin.flushall(),
    advance: async (ms: number) => {
      offset += ms;
    },
  };
}

countersSuite('redis', open);

const CLAIMS = [
  testWindowClaim('tpm', 10_000, 800),
  testLeaseClaim('at-once', 5),
  testSpendClaim('month', 10_000, 400),
];

test('a settlement that is repeated because its response was lost counts once', async (t) => {
  const { counters, advance } = await open(t);
  const taken = await counters.acquire('acme', 'a', CLAIMS);
  await advance(2_000);
  await counters.acquire('acme', 'b', CLAIMS);
  for (let times = 0; times < 3; times++)
    await counters.settle('acme', testSettlement('a', taken, CLAIMS, [300, 0, 70]));
  const levels = await counters.peek('acme', CLAIMS);
  assert.deepEqual(
    levels.map(({ used }) => used),
    [300 + 800, 1, 70 + 400],
  );
});

test('reservations from before the store was emptied do not reduce later counters', async (t) => {
  const { counters, flush } = await open(t);
  const taken = await counters.acquire('acme', 'a', CLAIMS);
  await flush();
  await counters.acquire('acme', 'b', CLAIMS);
  await counters.settle('acme', testSettlement('a', taken, CLAIMS, [300, 0, 70]));
  const levels = await counters.peek('acme', CLAIMS);
  assert.deepEqual(
    levels.map(({ used }) => used),
    [800, 1, 400],
    'the database says what was spent, as the minimum of the next claim',
  );
});

test('a claim whose response was lost is returned completely', async (t) => {
  const { counters } = await open(t);
  const unheard = await counters.acquire('acme', 'a', CLAIMS);
  await counters.settle('acme', {
    ...testSettlement('a', unheard, CLAIMS, [0, 0, 0]),
    second: 0,
    localSecond: 0,
  });
  const levels = await counters.peek('acme', CLAIMS);
  assert.deepEqual(
    levels.map(({ used }) => used),
    [0, 0, 0],
  );
});

test('every counter expires, also one of a budget without an end', async (t) => {
  const { counters, admin } = await open(t);
  const claims = [...CLAIMS, testSpendClaim('settled', 10_000, 400)];
  const taken = await counters.acquire('acme', 'a', claims);
  await counters.settle('acme', testSettlement('a', taken, claims, [300, 0, 0, 70]));
  await counters.acquire('acme', 'b', CLAIMS);
  await counters.peek('acme', [testSpendClaim('known', 10_000, 0, { minimumUsed: 5 })]);
  const keys = await admin.keys('*');
  assert.ok(keys.length >= 6, `${keys}`);
  for (const key of keys) {
    const days = (await admin.pttl(key)) / 86_400_000;
    assert.ok(days > 0 && days <= 30, `${key}: ${days} days`);
  }
});

test('the name of an end user never collides with other keys of the counters', async (t) => {
  const { counters } = await open(t);
  const names = ['alice', 'alice:open', 'open:alice', 'alice:slots', 'alice:slots:slots'];
  for (const order of [names, names.toReversed()])
    for (const name of order) {
      const claims = [testWindowClaim(`t:limit:${name}`, 100, 10), testLeaseClaim(`c:limit:${name}`, 5)];
      const taken = await counters.acquire('acme', `${name}-${order[0]}`, claims);
      assert.equal(taken.refusedIndex, null);
      await counters.settle('acme', testSettlement(`${name}-${order[0]}`, taken, claims, [7, 0]));
    }
  for (const name of names) {
    const [level] = await counters.peek('acme', [testWindowClaim(`t:limit:${name}`, 100)]);
    assert.equal(level?.used, 14, name);
  }
});

test('a counter whose data cannot be used affects no counter of another organization', async (t) => {
  const { counters: remote, admin } = await open(t);
  const log = createLogSpy();
  const counters = new ResilientCounters({
    remote,
    clock: systemClock,
    log,
    replicaRank: () => ({ replicaCount: 1, rank: 0 }),
    timeoutMs: 2_000,
    refreshSpend: async () => undefined,
  });
  t.after(() => counters.close());
  await admin.set('floe:{evil}:month', 'not a hash');
  const claims = [testSpendClaim('month', 10_000, 400)];
  const other = await counters.acquire('acme', 'other', claims);
  for (let times = 0; times < 5; times++) {
    const taken = await counters.acquire('evil', `evil ${times}`, claims);
    assert.equal(taken.countedLocally, true);
    await counters.settle('evil', {
      ...testSettlement(`evil ${times}`, taken, claims, [1]),
      countedLocally: false,
    });
  }
  assert.equal(counters.isStoreUnavailable, false);
  await counters.settle('acme', testSettlement('other', other, claims, [70]));
  const lines = log.lines.map(({ message }) => message);
  assert.deepEqual(lines, [
    'shared store rejected a call because of the data in a counter; this process counted the request locally',
  ]);
  await eventually(async () => (await remote.peek('acme', claims))[0]?.used === 70 || undefined);
  await counters.close();
  assert.equal(log.lines.length, 1, 'nothing is left to send');
});

async function waitUntilAvailable(counters: SharedStoreCounters): Promise<void> {
  await eventually(() =>
    counters.ping().then(
      () => true,
      () => undefined,
    ),
  );
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Returns the ids of all connections except that of `admin`. */
async function listConnections(admin: Redis): Promise<readonly string[]> {
  const own = String(await admin.client('ID'));
  const list = String(await admin.client('LIST'));
  return [...list.matchAll(/^id=(\d+)/gm)].map(([, id = '']) => id).filter((id) => id !== own);
}

test('a store that responds but accepts no writes is not available', async (t) => {
  const redis = await startDedicatedRedis();
  const counters = await openRedisCounters({ url: redis.url, clock: systemClock });
  const admin = new Redis(redis.url);
  t.after(async () => {
    await counters.close();
    admin.disconnect();
    await redis.stop();
  });
  await counters.ping();
  await admin.config('SET', 'maxmemory', '1');
  await assert.rejects(counters.ping(), /OOM/);
  await admin.config('SET', 'maxmemory', '0');
  await admin.replicaof('127.0.0.1', '1');
  const before = await listConnections(admin);
  await assert.rejects(counters.ping(), /READONLY/);
  // After a failover, a new connection leads to the current primary server, and the old one to a replica.
  await eventually(async () => {
    const now = await listConnections(admin);
    return (now.length > 0 && before.every((id) => !now.includes(id))) || undefined;
  });
  await admin.replicaof('NO', 'ONE');
  await waitUntilAvailable(counters);
});

test('a store that accepts connections and does not respond delays the start by two seconds', async (t) => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const clock = new ManualClock();
  const opening = openRedisCounters({ url: `redis://127.0.0.1:${portOf(server)}`, clock });
  await once(server, 'connection');
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  clock.advance(2_000);
  const counters = await opening;
  await assert.rejects(counters.ping());
  await counters.close();
});

test('a connection that receives no response is replaced', async (t) => {
  const redis = await startDedicatedRedis();
  const target = Number(new URL(redis.url).port);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = createConnection(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const counters = await openRedisCounters({
    url: `redis://127.0.0.1:${portOf(server)}`,
    clock: systemClock,
  });
  t.after(async () => {
    await counters.close();
    for (const socket of sockets) socket.destroy();
    server.close();
    await redis.stop();
  });
  await counters.ping();
  // As after the loss of a host: nothing arrives on the connection, and nothing closes it.
  for (const socket of sockets) socket.unpipe().pause();
  counters.ping().catch(() => undefined);
  await eventually(() =>
    Promise.race([
      counters.ping().then(
        () => true,
        () => undefined,
      ),
      new Promise<undefined>((resolve) => setTimeout(resolve, 100, undefined)),
    ]),
  );
});

test('the cause of each lost connection is reported once', async (t) => {
  const redis = await startDedicatedRedis();
  const errors: string[] = [];
  const onError = ({ message }: Error) => errors.push(message);
  const counters = await openRedisCounters({ url: redis.url, clock: systemClock, onError });
  t.after(async () => {
    await counters.close();
    await redis.stop();
  });
  for (const outages of [1, 2]) {
    await redis.crash();
    await eventually(async () => errors.length >= outages || undefined);
    // The client connects again every 500 ms.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    assert.equal(errors.length, outages, errors.join());
    assert.match(errors.at(-1) ?? '', /ECONN/);
    await redis.start();
    await waitUntilAvailable(counters);
  }
  const admin = new Redis(redis.url);
  await admin.config('SET', 'requirepass', 'changed');
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await eventually(async () => errors.length >= 3 || undefined);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  assert.equal(errors.length, 3, errors.join());
  assert.match(errors.at(-1) ?? '', /NOAUTH/);
  admin.disconnect();
});
