import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { FakeClock } from '@floe/testkit/fake-clock';
import { findInjectedFault, INJECTED_FAULTS } from '@floe/testkit/fault-table';
import { silentLog } from '../../core/log.ts';
import { chatReply } from '../test/chat-replies.ts';
import { startFakeClockGateway } from '../test/fake-clock-gateway.ts';
import { createTestOverloadManager } from '../test/test-overload-manager.ts';
import { ExchangeCapacity, type OverloadLimits, OverloadManager } from './overload-manager.ts';

const PROMPT = { model: 'smart', messages: [{ role: 'user', content: 'hello' }] };
const LIMITS: OverloadLimits = {
  maxConcurrentExchanges: 2,
  maxBodyBytes: 10_000,
  maxBodyDiskBytes: 1 << 30,
  maxEventLoopDelayMs: 0,
};

async function start(t: TestContext, limits: Partial<OverloadLimits> = {}) {
  const gateway = await startFakeClockGateway({
    upstreams: { a: (isStream) => chatReply('an answer', isStream) },
    routes: [{ model: 'smart', targets: ['a/m'], retries: 0 }],
    overload: { ...LIMITS, ...limits },
  });
  t.after(() => gateway.close());
  return gateway;
}

test('each rejection has its own fault, so that none keeps the memory of a rejected request', () => {
  const manager = new OverloadManager(LIMITS, {
    clock: new FakeClock(),
    log: silentLog,
    random: () => 0,
    recordRejection: () => undefined,
    countOrgs: () => 1,
  });
  const faults = new Set(Array.from({ length: 1_000 }, () => manager.reject('body_memory')));
  assert.equal(faults.size, 1_000);
});

test('a request above the maximum gets 503 with retry-after, and no row; the next one is served', async (t) => {
  const gateway = await start(t);
  await gateway.upstream('a').setFaults(findInjectedFault('stall-mid-answer'));
  const heard = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const open = heard.map(({ resolve }) =>
    gateway.send('chat', { ...PROMPT, stream: true }, { onChunk: () => resolve() }),
  );
  for (const { promise } of heard) await gateway.settled(promise, 0);
  for (const [surface, type] of [
    ['chat', 'service_unavailable_error'],
    ['messages', 'overloaded_error'],
  ] as const) {
    const body = surface === 'messages' ? { ...PROMPT, max_tokens: 9 } : PROMPT;
    const rejected = await gateway.settled(gateway.send(surface, body), 50);
    assert.equal(rejected.status, 503);
    assert.equal(rejected.headers['retry-after'], '1');
    assert.match(rejected.text, new RegExp(`"type":"${type}"`));
    assert.match(rejected.text, /too many requests are in progress/);
  }
  assert.equal(gateway.upstream('a').requests.length, 2);
  gateway.changeKey(null);
  await gateway.settled(Promise.all(open));
  assert.equal(gateway.rows.length, 2);
  gateway.changeKey({});
  await gateway.upstream('a').setFaults();
  assert.equal((await gateway.settled(gateway.send('chat', PROMPT))).status, 200);
});

test('a body above the available memory is rejected, and its memory is available again', async (t) => {
  const gateway = await start(t);
  const large = { ...PROMPT, messages: [{ role: 'user', content: 'x'.repeat(20_000) }] };
  for (let n = 0; n < 3; n++) {
    const rejected = await gateway.settled(gateway.send('chat', large), 50);
    assert.equal(rejected.status, 503);
    assert.match(
      rejected.text,
      /the bodies of the requests in progress and of their responses have reached the memory limit/,
    );
    const small = { ...PROMPT, messages: [{ role: 'user', content: 'x'.repeat(9_000) }] };
    assert.equal((await gateway.settled(gateway.send('chat', small))).status, 200);
  }
});

test('memory for bodies can be given back before and at the end of an exchange, but only once', () => {
  const manager = createTestOverloadManager(new FakeClock());
  const capacity = manager.admit('acme', {});
  assert.ok(capacity instanceof ExchangeCapacity);
  capacity.tryTakeBodyBytes(100);
  capacity.releaseBodyBytes(40);
  assert.equal(manager.load.bodyBytes, 60);
  capacity.release();
  capacity.releaseBodyBytes(60);
  assert.equal(capacity.tryTakeBodyBytes(1), false);
  assert.equal(manager.load.bodyBytes, 0);
});

test('clients retry after 1 to 3 seconds, and the log has one line in 10 seconds', () => {
  const clock = new FakeClock();
  const lines: unknown[] = [];
  let random = 0;
  const manager = new OverloadManager(
    { ...LIMITS, maxConcurrentExchanges: 1 },
    {
      clock,
      log: { ...silentLog, warn: (fields: unknown) => void lines.push(fields) },
      random: () => random,
      countOrgs: () => 1,
      recordRejection: () => undefined,
    },
  );
  assert.ok(manager.admit('acme', {}) instanceof ExchangeCapacity);
  const reject = () => {
    let retryAfterMs: number | undefined;
    assert.throws(
      () => manager.admit('acme', {}),
      (fault) => {
        retryAfterMs = fault instanceof Fault ? fault.detail.retryAfterMs : undefined;
        return fault instanceof Fault;
      },
    );
    return retryAfterMs;
  };
  assert.equal(reject(), 1_000);
  random = 0.999_999;
  assert.equal(reject(), 2_999);
  assert.equal(lines.length, 1);
  clock.advance(10_000);
  reject();
  const fields = { reason: 'concurrent_requests', in_flight: 1, limit: 1, body_bytes: 0, body_disk_bytes: 0 };
  assert.deepEqual(lines, [
    { ...fields, rejected: 1 },
    { ...fields, rejected: 2 },
  ]);
});

test('capacity is returned however an exchange ends', async (t) => {
  const gateway = await start(t, { maxConcurrentExchanges: 1 });
  const bodies = [PROMPT, { ...PROMPT, stream: true }, { model: 'unknown', messages: [] }, { model: 1 }];
  for (const fault of INJECTED_FAULTS)
    for (const body of bodies) {
      await gateway.upstream('a').setFaults(fault);
      // Some faults close the connection to the client.
      const status = await gateway.settled(
        gateway.send('chat', body).then(
          (answer) => answer.status,
          () => null,
        ),
        3_600_000,
      );
      assert.notEqual(status, 503, `before ${fault.name}`);
      await gateway.upstream('a').setFaults();
      // A breaker that opened is closed again after this time.
      await gateway.advance(120_000);
      const next = await gateway.settled(gateway.send('chat', PROMPT));
      assert.equal(next.status, 200, `after ${fault.name}: ${next.text}`);
    }
});

test('an exchange whose body is arriving leaves its place to others, and takes one again when it is complete', () => {
  const rejections: string[] = [];
  const manager = new OverloadManager(
    { ...LIMITS, maxConcurrentExchanges: 1 },
    {
      clock: new FakeClock(),
      log: silentLog,
      random: () => 0,
      countOrgs: () => 1,
      recordRejection: (reason) => void rejections.push(reason),
    },
  );
  const admit = () => {
    const exchange = manager.admit('acme', {});
    assert.ok(exchange instanceof ExchangeCapacity);
    return exchange;
  };
  const fail = () => assert.fail('the exchange was rejected');
  const slow = admit();
  slow.beginBody(fail);
  assert.equal(manager.load.inFlight, 0);
  const other = admit();
  assert.equal(slow.endBody()?.code, 'overloaded', 'the other exchange has the only place');
  slow.release();
  other.release();
  const next = admit();
  next.beginBody(fail);
  assert.equal(next.endBody(), null);
  assert.equal(manager.load.inFlight, 1);
  next.release();
  const aborted = admit();
  aborted.beginBody(fail);
  aborted.release();
  assert.equal(manager.load.inFlight, 0);
  assert.deepEqual(rejections, ['concurrent_requests']);
});

test('a request whose body arrives slowly is rejected only if the bodies of too many requests are arriving', () => {
  const manager = new OverloadManager(LIMITS, {
    clock: new FakeClock(),
    log: silentLog,
    random: () => 0,
    countOrgs: () => 1,
    recordRejection: () => undefined,
  });
  const evicted: number[] = [];
  for (let n = 0; n < 4_098; n++) {
    const exchange = manager.admit('acme', {});
    assert.ok(exchange instanceof ExchangeCapacity);
    exchange.beginBody(({ code }) => {
      assert.equal(code, 'overloaded');
      evicted.push(n);
      exchange.release();
    });
  }
  assert.deepEqual(evicted, [0, 1]);
  assert.equal(manager.load.inFlight, 0);
});
