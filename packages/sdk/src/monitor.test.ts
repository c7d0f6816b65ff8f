import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { Floe } from './floe.ts';
import { createFakeRuntime, FakeFloeServer } from './test/fake-server.ts';

function setUp() {
  const clock = new FakeClock();
  const server = new FakeFloeServer();
  const around = createFakeRuntime(clock, server);
  return { clock, server, around, floe: new Floe({ apiKey: 'eis_test_key' }, around) };
}

test('a job that succeeds sends one beat with how long it took, and returns its own value', async () => {
  const { clock, server, floe } = setUp();
  const { promise, resolve } = Promise.withResolvers<string>();
  const job = floe.monitor('job', () => promise, { metadata: { host: 'a' } });
  await clock.advanceAsync(1_234);
  assert.equal(server.requests.length, 0);
  resolve('done');
  assert.equal(await job, 'done');
  assert.equal(await floe.flush(), true);
  assert.deepEqual(server.bodies(), [{ monitor_id: 'job', metadata: { host: 'a', duration_ms: 1234 } }]);
});

test('metadata that cannot be read or is not an object does not prevent the beat', async () => {
  const get = () => thrown(new Error('no'));
  const broken = Object.defineProperty({ rows: 3 }, 'host', { enumerable: true, get });
  for (const [metadata, sent, line] of [
    [broken, { rows: 3 }, /cannot be serialized as JSON: host$/],
    ['text', {}, /metadata was not sent, because it is not a JSON object$/],
    [['a'], {}, /metadata was not sent, because it is not a JSON object$/],
    [new Proxy({}, { ownKeys: get }), {}, /metadata was not sent: no$/],
    [Object.freeze({ rows: 3, duration_ms: -1 }), { rows: 3 }, null],
    [null, {}, null],
  ] as const) {
    const { server, around, floe } = setUp();
    Reflect.apply(floe.monitor, floe, ['job', () => 1, { metadata }]);
    assert.equal(await floe.flush(), true);
    assert.deepEqual(server.bodies(), [{ monitor_id: 'job', metadata: { ...sent, duration_ms: 0 } }]);
    if (line) assert.match(around.lines[0] ?? '', line);
    assert.equal(around.lines.length, line ? 1 : 0);
  }
});

test('a job that fails sends nothing, for the heartbeat endpoint knows only success', async () => {
  const { server, floe } = setUp();
  const mine = new Error('mine');
  assert.throws(() => floe.monitor('job', () => thrown(mine)), mine);
  await assert.rejects(
    floe.monitor('job', async () => thrown(mine)),
    mine,
  );
  assert.equal(await floe.flush(), true);
  assert.equal(server.requests.length, 0);
});

test('without a response, the start and the end of a run together delay the exit by at most 20 seconds', async () => {
  const { clock, server, floe } = setUp();
  server.answer = () => new Promise(() => undefined);
  floe.monitor('job', () => 1, { beatUrl: 'https://floe.example.com/beat/secret-token' });
  let isSent = false;
  void floe.flush({ timeoutSeconds: 60 }).then((all) => {
    isSent = all;
  });
  await clock.advanceAsync(20_000);
  await clock.advanceAsync(0);
  assert.equal(isSent, true);
  const signals = server.requests.map(({ url }) => url.slice(url.lastIndexOf('/') + 1).split('?')[0]);
  assert.deepEqual(new Set(signals), new Set(['start', 'secret-token']));
  assert.ok(signals.filter((signal) => signal !== 'start').length > 1, 'the end is retried');
});

test('a start without a response leaves half of the time to the end of the run', async () => {
  const clock = new FakeClock();
  const server = new FakeFloeServer();
  const floe = new Floe({ apiKey: 'eis_test_key', timeoutSeconds: 20 }, createFakeRuntime(clock, server));
  const answeredAt: number[] = [];
  server.answer = ({ url }) => {
    if (url.includes('/start')) return new Promise(() => undefined);
    answeredAt.push(clock.monotonic());
    return new Response('OK');
  };
  const startedAt = clock.monotonic();
  floe.monitor('job', () => 1, { beatUrl: 'https://floe.example.com/beat/secret-token' });
  await clock.advanceAsync(20_000);
  assert.equal(await floe.flush(), true);
  assert.deepEqual(
    answeredAt.map((at) => at - startedAt),
    [10_000],
  );
});

test('a rejection nobody handles stays unhandled: watching a job does not swallow its error', async (t) => {
  const { floe } = setUp();
  const mine = new Error('mine');
  const unhandled = new Promise((resolve) => {
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.once('unhandledRejection', resolve);
    t.after(() => {
      for (const listener of listeners) process.on('unhandledRejection', listener);
    });
  });
  void floe.monitor('job', async () => thrown(mine));
  assert.equal(await unhandled, mine);
});

test('a generator counts from its first to its last step', async () => {
  const { clock, server, floe } = setUp();
  const steps = floe.monitor('job', function* () {
    const told: string = yield 1;
    yield told;
    return 'end';
  });
  assert.deepEqual(steps.next(), { done: false, value: 1 });
  await clock.advanceAsync(500);
  assert.deepEqual(steps.next('two'), { done: false, value: 'two' });
  assert.equal(server.requests.length, 0);
  assert.deepEqual(steps.next(), { done: true, value: 'end' });
  const later = floe.monitor('job', async function* () {
    yield 1;
    throw new Error('mine');
  });
  await assert.rejects(async () => {
    for await (const step of later) assert.equal(step, 1);
  }, /mine/);
  await floe.flush();
  assert.deepEqual(server.bodies(), [{ monitor_id: 'job', metadata: { duration_ms: 500 } }]);
});

test('with the secret URL start, success and failure are told, in this order, without the key', async () => {
  const { clock, server, floe } = setUp();
  server.answer = () => new Response('OK');
  const beatUrl = 'https://floe.example.com/beat/secret-token/';
  floe.monitor('job', () => 1, { beatUrl });
  await floe.flush();
  await assert.rejects(
    floe.monitor('job', async () => thrown(new RangeError('secret detail')), { beatUrl, metadata: { a: 1 } }),
  );
  await clock.advanceAsync(0);
  await floe.flush();
  const seen = server.requests.map(({ url, body }) => [url.replace(/^.*secret-token/, ''), body]);
  assert.deepEqual(seen, [
    ['/start?rid=beat-1', ''],
    ['?rid=beat-1', '{"duration_ms":0}'],
    ['/start?rid=beat-2', '{"a":1}'],
    ['/fail?rid=beat-2', '{"a":1,"duration_ms":0,"error":"RangeError"}'],
  ]);
  for (const { headers } of server.requests) assert.equal(headers['x-api-key'], undefined);
  assert.equal(new Set(server.requests.map(({ headers }) => headers['idempotency-key'])).size, 4);
});

test('no line names the secret URL', async () => {
  const { clock, server, around, floe } = setUp();
  server.answer = ({ url }) => Promise.reject(new TypeError(`Failed to parse ${url}`));
  floe.monitor('job', () => 1, { beatUrl: 'https://floe.example.com/beat/secret-token' });
  floe.monitor('job', () => 1, { beatUrl: 'secret-token' });
  await clock.advanceAsync(60_000);
  assert.equal(await floe.flush(), true);
  assert.ok(around.lines.length >= 2);
  for (const line of around.lines) assert.doesNotMatch(line, /secret-token/);
});

test('a dead server does not hold the job, and flush says so when its time is over', async () => {
  const { clock, server, floe } = setUp();
  server.answer = () => new Promise(() => undefined);
  assert.equal(await floe.monitor('job', async () => 'done'), 'done');
  const flushing = floe.flush({ timeoutSeconds: 2 });
  await clock.advanceAsync(2_000);
  assert.equal(await flushing, false);
  await clock.advanceAsync(30_000);
  assert.equal(await floe.flush(), true);
});

test('a dead server is not piled upon: beyond a hundred beats under way more are dropped, and told', async () => {
  const { clock, server, floe } = setUp();
  server.answer = () => new Promise(() => undefined);
  const errors: string[] = [];
  const job = floe.wrap('job', () => 42, { onError: (error) => errors.push(error.code) });
  for (let run = 0; run < 103; run++) assert.equal(job(), 42);
  assert.deepEqual(errors, ['dropped', 'dropped', 'dropped']);
  await clock.advanceAsync(60_000);
  assert.equal(await floe.flush(), true);
});

test('a wrapped function keeps its this, its arguments and its value', async () => {
  const { server, floe } = setUp();
  const counter = {
    count: 1,
    add: floe.wrap('job', function (this: { count: number }, by: number) {
      this.count += by;
      return this.count;
    }),
  };
  assert.equal(counter.add(2), 3);
  assert.equal(counter.add(4), 7);
  await floe.flush();
  assert.equal(server.requests.length, 2);
});

function thrown(error: Error): never {
  throw error;
}

test('a failure that a result reports before it throws is not also a success', async () => {
  const { server, floe } = setUp();
  const result = {
    // biome-ignore lint/suspicious/noThenProperty: a thenable that does not catch errors of its callbacks
    then: (_: unknown, onError: (error: Error) => unknown) => onError(new Error('the job failed')),
  };
  const isUnchanged = floe.monitor('job', () => result) === result;
  assert.equal(isUnchanged, true);
  await floe.flush();
  assert.deepEqual(server.requests, []);
});

test('a result that cannot be examined is returned unchanged', async () => {
  const { server, floe } = setUp();
  const get = () => thrown(new Error('the getter of the job'));
  const results = [Symbol.toStringTag, 'then'].map((name) => Object.defineProperty({}, name, { get }));
  for (const result of results) {
    const isUnchanged = floe.monitor('job', () => result) === result;
    assert.equal(isUnchanged, true);
  }
  await floe.flush();
  assert.equal(server.requests.length, results.length);
});
