import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, nextEventLoopTurn } from '@floe/testkit/fake-clock';
import { Floe } from './floe.ts';
import type { FloeOptions } from './floe-options.ts';
import { createCommittedBeatResponse, createFakeRuntime, FakeFloeServer } from './test/fake-server.ts';

function setUp(options: Partial<FloeOptions> = {}) {
  const clock = new FakeClock();
  const server = new FakeFloeServer();
  const around = createFakeRuntime(clock, server);
  const errors: string[] = [];
  const onError = (error: Error & { code?: string }) => void errors.push(error.code ?? '');
  const floe = new Floe({ apiKey: 'eis_test_key', ...options }, around);
  return { clock, server, around, errors, onError, floe };
}

test('a loop beats at once and then once per interval, with metadata asked for each time', async () => {
  const { clock, server, floe } = setUp();
  let n = 0;
  const loop = floe.startHeartbeat('job', { everySeconds: 60, metadata: () => ({ n: ++n }) });
  await clock.advanceAsync(0);
  assert.equal(server.requests.length, 1);
  await clock.advanceAsync(180_000);
  assert.deepEqual(
    server.bodies(),
    [1, 2, 3, 4].map((beat) => ({ monitor_id: 'job', metadata: { n: beat } })),
  );
  assert.equal(new Set(server.requests.map(({ headers }) => headers['idempotency-key'])).size, 4);
  await loop.stop();
  await clock.advanceAsync(600_000);
  assert.equal(server.requests.length, 4);
  assert.equal(loop.running, false);
  assert.deepEqual(clock.pending(), []);
});

test('jitter moves a beat within the interval and never adds up', async () => {
  for (const random of [0, 0.5, 0.999]) {
    const { clock, server, around } = setUp();
    const floe = new Floe({ apiKey: 'eis_test_key' }, { ...around, random: () => random });
    floe.startHeartbeat('job', { everySeconds: 60 });
    await clock.advanceAsync(0);
    await clock.advanceAsync(60 * 60_000 + 3_001);
    assert.equal(server.requests.length, 61, `random ${random}`);
  }
});

test('without a beat at the start the first comes after a random part of the interval', async () => {
  const { clock, server, floe } = setUp();
  floe.startHeartbeat('job', { everySeconds: 60, beatAtStart: false });
  await clock.advanceAsync(29_999);
  assert.equal(server.requests.length, 0);
  await clock.advanceAsync(1);
  assert.equal(server.requests.length, 1);
});

test('a blocked event loop or a suspended machine owes one beat, not those it missed', async () => {
  const { clock, server, around, floe } = setUp();
  floe.startHeartbeat('job', { everySeconds: 60 });
  await clock.advanceAsync(30_000);
  around.skewMs = 600_000;
  await clock.advanceAsync(30_000);
  assert.equal(server.requests.length, 2);
  await clock.advanceAsync(59_000);
  assert.equal(server.requests.length, 2);
  await clock.advanceAsync(1_000);
  assert.equal(server.requests.length, 3);
});

test('beats never overlap: while one is under way no other begins, and it ends before the next is due', async () => {
  const { clock, server, floe, errors, onError } = setUp();
  let open = 0;
  server.answer = (request) => {
    assert.equal(++open, 1);
    return new Promise((_, reject) =>
      request.signal.addEventListener('abort', () => {
        open -= 1;
        reject(new Error('aborted'));
      }),
    );
  };
  floe.startHeartbeat('job', { everySeconds: 4, onError });
  await clock.advanceAsync(0);
  await clock.advanceAsync(39_900);
  assert.deepEqual(errors, Array(10).fill('timed_out'));
  const beats = new Set(server.requests.map(({ headers }) => headers['idempotency-key']));
  assert.equal(beats.size, 10);
});

test('a fetch that ignores its signal does not hold the loop', async () => {
  const { clock, server, floe, errors, onError } = setUp();
  server.answer = () => new Promise(() => undefined);
  const loop = floe.startHeartbeat('job', { everySeconds: 60, onError });
  await clock.advanceAsync(59_000);
  assert.deepEqual(errors, ['timed_out']);
  server.answer = () => createCommittedBeatResponse();
  await clock.advanceAsync(10_000);
  assert.equal(loop.lastResult?.ok, true);
});

test('an interval longer than a timer can count is kept', async () => {
  const { clock, server, floe } = setUp();
  floe.startHeartbeat('job', { everySeconds: 31 * 86_400 });
  await clock.advanceAsync(30 * 86_400_000);
  assert.equal(server.requests.length, 1);
  await clock.advanceAsync(2 * 86_400_000);
  assert.equal(server.requests.length, 2);
});

test('a job that stops touching its loop is kept from looking alive, once told, until it touches again', async () => {
  const { clock, server, floe, errors, onError } = setUp();
  const loop = floe.startHeartbeat('job', { everySeconds: 60, stallAfterSeconds: 150, onError });
  await clock.advanceAsync(0);
  await clock.advanceAsync(360_000);
  assert.equal(server.requests.length, 3);
  assert.deepEqual(errors, ['stalled']);
  loop.touch();
  await clock.advanceAsync(60_000);
  assert.equal(server.requests.length, 4);
  await clock.advanceAsync(240_000);
  assert.deepEqual(errors, ['stalled', 'stalled']);
});

test('anything but a timely true from healthy keeps the beat back', async () => {
  const never = () => new Promise<boolean>(() => undefined);
  const throws = () => {
    throw new Error('no database');
  };
  const rejects = () => Promise.reject(new Error('no database'));
  for (const healthy of [() => false, throws, rejects, never]) {
    const { clock, server, floe, errors, onError } = setUp();
    floe.startHeartbeat('job', { everySeconds: 60, healthy, onError });
    await clock.advanceAsync(200_000);
    assert.equal(server.requests.length, 0);
    assert.deepEqual(errors, ['unhealthy']);
  }
  const { clock, server, floe } = setUp();
  floe.startHeartbeat('job', { everySeconds: 60, healthy: async () => true });
  await clock.advanceAsync(0);
  assert.equal(server.requests.length, 1);
});

test('metadata that throws or never comes costs the metadata, not the beat', async () => {
  const throws = () => {
    throw new Error('no');
  };
  for (const metadata of [
    throws,
    () => new Promise(() => undefined),
    () => Promise.reject(new Error('no')),
  ]) {
    const { clock, server, around, floe } = setUp();
    const loop = floe.startHeartbeat('job', { everySeconds: 60, metadata });
    await clock.advanceAsync(10_000);
    assert.deepEqual(server.bodies(), [{ monitor_id: 'job' }]);
    assert.equal(loop.lastResult?.ok, true);
    assert.match(loop.lastResult?.metadataDropped ?? '', /^metadata\(\) /);
    assert.equal(around.lines.length, 1);
  }
});

test('an onError that throws or rejects changes nothing', async () => {
  const bad = [
    () => {
      throw new Error('mine');
    },
    () => Promise.reject(new Error('mine')),
  ];
  for (const onError of bad) {
    const { clock, server, floe } = setUp();
    server.answer = () => new Response('', { status: 404 });
    floe.startHeartbeat('job', { everySeconds: 60, onError });
    await clock.advanceAsync(0);
    await clock.advanceAsync(60_000);
    assert.equal(server.requests.length, 2);
  }
});

test('an unknown monitor is logged once in ten minutes and asked for at the usual pace', async () => {
  const { clock, server, around, floe } = setUp();
  server.answer = () => new Response('', { status: 404 });
  floe.startHeartbeat('job', { everySeconds: 60 });
  await clock.advanceAsync(0);
  await clock.advanceAsync(9 * 60_000);
  assert.equal(server.requests.length, 10);
  assert.equal(around.lines.length, 1);
  assert.match(around.lines[0] ?? '', /^floe: job: .*404 http_404.*Check the monitor id/);
  await clock.advanceAsync(60_000);
  assert.equal(around.lines.length, 2);
});

test('no line and no error names the key, even when the server says it back', async () => {
  const { around, server, floe, clock } = setUp();
  server.answer = (request) =>
    Response.json({ error: { code: 'x', message: `bad ${request.headers['x-api-key']}` } }, { status: 400 });
  const result = await floe.heartbeat('job');
  assert.match(result.error?.message ?? '', /bad \[key\]/);
  server.answer = () => Promise.reject(new TypeError('fetch failed', { cause: new Error('reset') }));
  const sending = floe.heartbeat('job');
  await clock.advanceAsync(20_000);
  assert.match((await sending).error?.message ?? '', /reset$/);
  for (const line of around.lines) assert.doesNotMatch(line, /eis_test_key/);
});

test('a loop as slow as its monitor expects is told to be quicker', async () => {
  const { clock, server, around, floe } = setUp();
  server.answer = () => createCommittedBeatResponse(60_000);
  floe.startHeartbeat('job', { everySeconds: 60 });
  await clock.advanceAsync(120_000);
  assert.equal(around.lines.length, 1);
  assert.match(around.lines[0] ?? '', /expects the next beat within 60 s; set everySeconds to half/);
});

test('stop ends what is under way, a final beat is marked, and stopping twice is stopping once', async () => {
  const { clock, server, errors, onError, floe } = setUp();
  let aborted = 0;
  server.answer = (request) =>
    new Promise((_, reject) =>
      request.signal.addEventListener('abort', () => {
        aborted += 1;
        reject(new Error('aborted'));
      }),
    );
  const loop = floe.startHeartbeat('job', { everySeconds: 60, metadata: { host: 'a' }, onError });
  await clock.advanceAsync(0);
  server.answer = () => createCommittedBeatResponse();
  const stopping = loop.stop({ final: true });
  assert.equal(loop.stop(), stopping);
  await stopping;
  assert.equal(aborted, 1);
  assert.deepEqual(server.bodies()[1], { monitor_id: 'job', metadata: { host: 'a', stopped: true } });
  assert.equal(server.requests.length, 2);
  assert.deepEqual(errors, []);
});

test('a final beat to a dead server is given up after two seconds', async () => {
  const { clock, server, floe } = setUp();
  const loop = floe.startHeartbeat('job', { beatAtStart: false });
  server.answer = () => new Promise(() => undefined);
  let stopped = false;
  void loop.stop({ final: true }).then(() => {
    stopped = true;
  });
  await clock.advanceAsync(1_999);
  await nextEventLoopTurn();
  assert.equal(stopped, false);
  await clock.advanceAsync(1);
  await nextEventLoopTurn();
  assert.equal(stopped, true);
});

test('stop does not wait for a callback that hangs, and a last beat without metadata takes two seconds', async () => {
  const never = () => new Promise<never>(() => undefined);
  for (const callbacks of [{ healthy: never }, { metadata: never }]) {
    const { clock, server, floe } = setUp();
    server.answer = never;
    const loop = floe.startHeartbeat('job', { everySeconds: 60, ...callbacks });
    await clock.advanceAsync(0);
    await loop.stop();
    assert.deepEqual(clock.pending(), []);
    assert.equal(server.requests.length, 0);
  }
  const { clock, server, floe } = setUp();
  server.answer = never;
  const loop = floe.startHeartbeat('job', { beatAtStart: false, metadata: never });
  let isStopped = false;
  void loop.stop({ final: true }).then(() => {
    isStopped = true;
  });
  await clock.advanceAsync(1_000);
  assert.deepEqual(server.bodies(), [{ monitor_id: 'job', metadata: { stopped: true } }]);
  await clock.advanceAsync(1_000);
  await nextEventLoopTurn();
  assert.equal(isStopped, true);
});

test('no final beat is sent for a job that hangs or is not healthy', async () => {
  const never = () => new Promise<never>(() => undefined);
  for (const [options, code] of [
    [{ stallAfterSeconds: 5 }, 'stalled'],
    [{ healthy: () => false }, 'unhealthy'],
    [{ healthy: never }, 'unhealthy'],
  ] as const) {
    const { clock, server, errors, onError, floe } = setUp();
    const loop = floe.startHeartbeat('job', { everySeconds: 60, beatAtStart: false, onError, ...options });
    await clock.advanceAsync(10_000);
    const stopping = loop.stop({ final: true });
    await clock.advanceAsync(2_000);
    await stopping;
    assert.deepEqual(server.requests, []);
    assert.deepEqual(errors, [code]);
  }
});

test('options that an object inherits apply', async () => {
  class Options {
    readonly everySeconds = 30;
    healthy(): boolean {
      return false;
    }
  }
  const { clock, server, around, floe } = setUp();
  floe.startHeartbeat('job', new Options());
  await clock.advanceAsync(60_000);
  assert.equal(server.requests.length, 0);
  assert.match(around.lines.join(), /healthy\(\) did not return true/);
});

test('a last beat is sent without metadata that cannot be read or is not an object', async () => {
  const unreadable = {
    get host(): string {
      throw new Error('no');
    },
  };
  for (const metadata of [unreadable, ['a'], unreadableProxy()]) {
    const { server, floe } = setUp();
    await floe.startHeartbeat('job', { beatAtStart: false, metadata }).stop({ final: true });
    assert.deepEqual(server.bodies(), [{ monitor_id: 'job', metadata: { stopped: true } }]);
  }
});

test('metadata that cannot be examined does not prevent a beat', async () => {
  const { clock, server, floe } = setUp();
  const { ok, metadataDropped } = await floe.heartbeat('job', unreadableProxy());
  assert.equal(ok, true);
  assert.match(metadataDropped ?? '', /cannot be serialized as JSON: no$/);
  floe.startHeartbeat('job', { metadata: unreadableProxy() });
  await clock.advanceAsync(0);
  assert.deepEqual(server.bodies(), [{ monitor_id: 'job' }, { monitor_id: 'job' }]);
});

function unreadableProxy(): object {
  const ownKeys = () => {
    throw new Error('no');
  };
  return new Proxy({}, { ownKeys });
}

test('options that do not exist or are not valid are reported, and the others apply', async () => {
  const { clock, server, around, floe } = setUp();
  const heard: string[] = [];
  const onError = ({ message }: Error) => void heard.push(message);
  const options = { everySeconds: 30, stallAfter: 300, stallAfterSeconds: '300', onError };
  Reflect.apply(floe.startHeartbeat, floe, ['job', options]);
  await clock.advanceAsync(0);
  await clock.advanceAsync(30_000);
  assert.equal(server.requests.length, 2);
  assert.equal(heard.length, 1);
  assert.match(heard[0] ?? '', /the option "stallAfter" does not exist.*stallAfterSeconds/);
  assert.match(heard[0] ?? '', /; stallAfterSeconds must be a positive number, got 300;/);
  assert.equal(Reflect.apply(floe.monitor, floe, ['job', () => 7, { beat_url: 'x', onError }]), 7);
  assert.match(heard[1] ?? '', /the option "beat_url" does not exist.*beatUrl/);
  for (const none of [null, undefined]) {
    assert.equal(Reflect.apply(floe.monitor, floe, ['job', () => 7, none]), 7);
    assert.equal(Reflect.apply(floe.startHeartbeat, floe, ['job', none]).running, true);
    assert.equal(await Reflect.apply(floe.flush, floe, [none]), true);
  }
  assert.deepEqual(around.lines, []);
  Reflect.apply(floe.startHeartbeat, floe, ['logged', { beatAtStart: false, every: 5, everySeconds: 0 }]);
  assert.match(
    around.lines.join(),
    /the option "every" does not exist.*everySeconds must be a positive number/,
  );
  around.lines.length = 0;
  Reflect.construct(Floe, [{ apiKey: 'eis_test_key', baseURL: 'https://floe.example' }, around]);
  assert.match(around.lines[0] ?? '', /the option "baseURL" does not exist.*baseUrl/);
});

test('a loop’s timers do not keep the process alive unless asked to; a single beat’s retries do', async () => {
  const { clock, server, around, floe } = setUp();
  server.answer = () => new Response('', { status: 503 });
  floe.startHeartbeat('job', { everySeconds: 60 });
  await clock.advanceAsync(120_000);
  assert.ok(around.waits.length > 8);
  assert.deepEqual(around.waits[0], { ms: 0, keepsAlive: true });
  assert.ok(around.waits.slice(1).every(({ keepsAlive }) => !keepsAlive));
  around.waits.length = 0;
  floe.startHeartbeat('job', { everySeconds: 60, keepAlive: true, beatAtStart: false });
  assert.deepEqual(around.waits, [{ ms: 30_000, keepsAlive: true }]);
  const alone = setUp();
  alone.server.answer = server.answer;
  const sending = alone.floe.heartbeat('job');
  await alone.clock.advanceAsync(10_000);
  await sending;
  const kept = alone.around.waits.filter(({ keepsAlive }) => keepsAlive);
  assert.deepEqual(
    kept.map(({ ms }) => ms),
    [250, 500, 1000],
  );
});

test('wrong arguments throw in the constructor only; elsewhere they are reported', async () => {
  const bad = [
    {},
    { apiKey: '' },
    { apiKey: 'eis_a\nb' },
    { apiKey: 'eis_a', baseUrl: 'floe.example.com' },
    { apiKey: 'eis_a', baseUrl: 'https://user:word@floe.example.com' },
    { apiKey: 'eis_a', baseUrl: 'https://floe.example.com/?x=1' },
    { apiKey: 'eis_a', timeoutSeconds: 0 },
  ];
  for (const options of bad)
    assert.throws(() => Reflect.construct(Floe, [options]), { name: 'FloeInvalidArgumentError' });
  assert.throws(() => Reflect.construct(Floe, []), { name: 'FloeInvalidArgumentError' });
  const { clock, server, errors, onError, floe } = setUp({ onError: () => undefined });
  assert.equal((await floe.heartbeat('')).error?.code, 'invalid_argument');
  const loop = floe.startHeartbeat('', { onError });
  assert.equal(loop.running, false);
  const odd = floe.startHeartbeat('job', { everySeconds: Number.NaN, onError });
  await clock.advanceAsync(0);
  await clock.advanceAsync(60_000);
  assert.equal(server.requests.length, 2);
  assert.equal(
    floe.monitor('', () => 7),
    7,
  );
  await odd.stop();
  assert.deepEqual(errors, ['invalid_argument', 'invalid_argument']);
});
