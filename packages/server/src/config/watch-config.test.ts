import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs, {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { ConfigError } from './config-problem.ts';
import { readEnvironment } from './environment.ts';
import { loadConfig } from './load-config.ts';
import { type ConfigFileChange, watchConfig } from './watch-config.ts';

/** Time that moves only when a test says so. */
function handClock(): Clock & { advance(ms: number): Promise<void> } {
  let nowMs = 0;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    after(ms, run) {
      const timer = { at: nowMs + ms, run };
      timers.push(timer);
      return {
        cancel: () => {
          timers = timers.filter((other) => other !== timer);
        },
      };
    },
    async advance(ms) {
      const end = nowMs + ms;
      while (true) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timers = timers.filter((other) => other !== next);
        nowMs = next.at;
        next.run();
        // The file is read in the background.
        await nextTurn();
      }
      nowMs = end;
    },
  };
}

function setUp(t: TestContext, clock: Clock, onChange: (change: ConfigFileChange) => void) {
  const directory = mkdtempSync(join(tmpdir(), 'floe-watch-'));
  const path = join(directory, 'floe.yaml');
  writeFileSync(path, 'server: { port: 1 }');
  const load = async () => loadConfig({ path, env: readEnvironment({}) });
  const running = loadConfig({ path, env: readEnvironment({}) });
  const watching = watchConfig({ path, current: running, load, onChange, log: silentLog, clock });
  t.after(() => {
    watching.close();
    rmSync(directory, { recursive: true });
  });
  return { directory, path, watching, running };
}

function lineOf(error: unknown): number | undefined {
  assert.ok(error instanceof ConfigError);
  return error.problems[0]?.position?.line;
}

/** Changes as short words: the new port and what needs a restart, or the line of the error. */
function recorder() {
  const seen: string[] = [];
  const onChange = (change: ConfigFileChange) =>
    seen.push(
      'error' in change
        ? `error line ${lineOf(change.error)}`
        : [change.loaded.config.server.port, ...change.restart].join(' '),
    );
  return { seen, onChange };
}

test('a changed file is applied, and changes that require a restart are reported', async (t) => {
  const { seen, onChange } = recorder();
  const { path, watching } = setUp(t, handClock(), onChange);
  writeFileSync(path, 'server: { port: 1 }\nretention: { audit_days: 9 }');
  await watching.reload();
  writeFileSync(path, 'server: { port: 2, host: "::" }\nstorage: { shared: "redis://r" }');
  await watching.reload();
  assert.deepEqual(seen, ['1', '2 server.host server.port storage.shared']);
});

test('changed overload limits require a restart, and a changed metrics token does not', async (t) => {
  const { seen, onChange } = recorder();
  const { path, watching } = setUp(t, handClock(), onChange);
  const overload = 'overload: { max_concurrent_requests: 7 }';
  writeFileSync(path, `server: { port: 1, ${overload} }\ntelemetry: { metrics_token: new }`);
  await watching.reload();
  assert.deepEqual(seen, ['1 server.overload']);
});

test('a file with the same content is not a change', async (t) => {
  const { seen, onChange } = recorder();
  const { path, watching } = setUp(t, handClock(), onChange);
  writeFileSync(path, 'server: { port: 1 }');
  await watching.reload();
  assert.deepEqual(seen, []);
});

test('an invalid file is reported once and at each SIGHUP, and the corrected file is applied', async (t) => {
  const { seen, onChange } = recorder();
  const clock = handClock();
  const { path, watching } = setUp(t, clock, onChange);
  writeFileSync(path, '\nserver: { prot: 1 }');
  await clock.advance(6_000);
  await clock.advance(60_000);
  assert.deepEqual(seen, ['error line 2']);
  await watching.reload();
  writeFileSync(path, 'server: { port: 3 }');
  await watching.reload();
  assert.deepEqual(seen, ['error line 2', 'error line 2', '3 server.port']);
});

test('a file that cannot be read for a moment is applied at the next check', async (t) => {
  const { seen, onChange } = recorder();
  const clock = handClock();
  const { path, watching } = setUp(t, clock, onChange);
  writeFileSync(path, 'server: { port: 3 }');
  const failing = t.mock.method(fs, 'readFileSync', () => {
    throw new Error('EMFILE');
  });
  syncBuiltinESMExports();
  try {
    await watching.reload();
  } finally {
    failing.mock.restore();
    syncBuiltinESMExports();
  }
  assert.deepEqual(seen, []);
  await clock.advance(6_000);
  assert.deepEqual(seen, ['3 server.port']);
});

test('a file that is missing or empty for a moment changes nothing', async (t) => {
  const { seen, onChange } = recorder();
  const { path, watching } = setUp(t, handClock(), onChange);
  unlinkSync(path);
  await watching.reload();
  writeFileSync(path, '\n');
  await watching.reload();
  writeFileSync(path, 'server: { port: 1 }');
  await watching.reload();
  assert.deepEqual(seen, []);
  writeFileSync(path, 'server: { port: 4 }');
  await watching.reload();
  assert.deepEqual(seen, ['4 server.port']);
});

test('a file that appears after the start is loaded, and events without a file are ignored', async (t) => {
  const { seen, onChange } = recorder();
  const clock = handClock();
  const directory = mkdtempSync(join(tmpdir(), 'floe-watch-'));
  const path = join(directory, 'floe.yaml');
  const env = readEnvironment({});
  const warnings: string[] = [];
  const watching = watchConfig({
    path,
    current: loadConfig({ text: '', env }),
    load: async () => loadConfig({ path, env }),
    onChange,
    log: { ...silentLog, warn: (_, message) => warnings.push(message) },
    clock,
  });
  t.after(() => {
    watching.close();
    rmSync(directory, { recursive: true });
  });
  await watching.reload();
  writeFileSync(path, '\nserver: { prot: 1 }');
  await clock.advance(6_000);
  writeFileSync(path, 'server: { port: 6 }');
  await clock.advance(6_000);
  assert.deepEqual(seen, ['error line 2', '6 server.port']);
  assert.deepEqual(warnings, []);
});

test('a rejected change is reported again on request only', async (t) => {
  const { seen, onChange } = recorder();
  const clock = handClock();
  const { path, watching, running } = setUp(t, clock, onChange);
  writeFileSync(path, 'server: { port: 2 }');
  await watching.reload();
  watching.rejectChange(running);
  await clock.advance(60_000);
  assert.deepEqual(seen, ['2 server.port']);
  await watching.reload();
  // What needs a restart is told from what runs, and not from what was refused.
  assert.deepEqual(seen, ['2 server.port', '2 server.port']);
  await watching.reload();
  assert.equal(seen.length, 2);
});

test('without file events, the file is polled', async (t) => {
  const { seen, onChange } = recorder();
  const clock = handClock();
  const { path } = setUp(t, clock, onChange);
  writeFileSync(path, 'server: { port: 12345 }');
  await clock.advance(5_100);
  assert.deepEqual(seen, []);
  await clock.advance(200);
  assert.deepEqual(seen, ['12345 server.port']);
});

test('a replaced link to a directory counts as a change, as in a Kubernetes volume', async (t) => {
  const { seen, onChange } = recorder();
  const clock = handClock();
  const { directory, path } = setUp(t, clock, onChange);
  for (const [name, port] of [
    ['one', 1],
    ['two', 2],
  ]) {
    mkdirSync(join(directory, String(name)));
    writeFileSync(join(directory, String(name), 'floe.yaml'), `server: { port: ${port} }`);
  }
  symlinkSync('one', join(directory, '..data'));
  symlinkSync('..data/floe.yaml', join(directory, 'link'));
  renameSync(join(directory, 'link'), path);
  await clock.advance(6_000);
  assert.deepEqual(seen, []);
  symlinkSync('two', join(directory, '..data_tmp'));
  renameSync(join(directory, '..data_tmp'), join(directory, '..data'));
  await clock.advance(6_000);
  assert.deepEqual(seen, ['2 server.port']);
});

test('a save by writing a new file and renaming it is detected', async (t) => {
  const { path } = await new Promise<{ path: string }>((resolve) => {
    const made = setUp(t, systemClock, (change) => {
      assert.ok('loaded' in change);
      assert.equal(change.loaded.config.server.port, 5);
      clearInterval(alive);
      resolve(made);
    });
    // Timers of the clock keep no process alive; this one does until the change has come.
    const alive = setInterval(() => undefined, 1_000);
    writeFileSync(`${made.path}~`, 'server: { port: 5 }');
    renameSync(`${made.path}~`, made.path);
  });
  assert.ok(path.endsWith('floe.yaml'));
});

test('a changed file is applied although another file in its directory changes constantly', async (t) => {
  const clock = handClock();
  const changes: ConfigFileChange[] = [];
  const { directory, path } = setUp(t, clock, (change) => changes.push(change));
  const events = watch(directory);
  t.after(() => events.close());
  writeFileSync(path, 'server: { port: 2 }');
  for (let n = 0; n < 30 && changes.length === 0; n++) {
    const event = once(events, 'change');
    writeFileSync(join(directory, 'floe.db-wal'), String(n));
    await event;
    await clock.advance(100);
  }
  assert.equal(changes.length, 1);
  // Less than the interval of the poll, which is not the reason.
  assert.ok(clock.now() < 4_000);
});

test('any error while loading the file is reported, and the active configuration is kept', async (t) => {
  const clock = handClock();
  const directory = mkdtempSync(join(tmpdir(), 'floe-watch-'));
  const path = join(directory, 'floe.yaml');
  writeFileSync(path, 'server: { port: 1 }');
  const running = loadConfig({ path, env: readEnvironment({}) });
  const seen: unknown[] = [];
  const bug = new TypeError('a bug in a validator');
  let isBroken = true;
  const watching = watchConfig({
    path,
    current: running,
    load: async () => {
      if (isBroken) throw bug;
      return loadConfig({ path, env: readEnvironment({}) });
    },
    onChange: (change) => seen.push('error' in change ? change.error : change.loaded.config.server.port),
    log: silentLog,
    clock,
  });
  t.after(() => {
    watching.close();
    rmSync(directory, { recursive: true });
  });
  writeFileSync(path, 'server: { port: 2 }');
  await clock.advance(10_000);
  isBroken = false;
  writeFileSync(path, 'server: { port: 3 }');
  await clock.advance(10_000);
  assert.deepEqual(seen, [bug, 3]);
});

test('a secret file that changes or appears is a change of the configuration', async (t) => {
  const { seen, onChange } = recorder();
  const clock = handClock();
  const { directory, path, watching } = setUp(t, clock, onChange);
  const secret = join(directory, 'port');
  writeFileSync(path, 'server: { port: "${file:port}" }');
  await watching.reload();
  writeFileSync(secret, '5\n');
  await clock.advance(6_000);
  writeFileSync(secret, '66\n');
  await watching.reload();
  await watching.reload();
  writeFileSync(`${secret}.new`, '7');
  renameSync(`${secret}.new`, secret);
  await clock.advance(6_000);
  await clock.advance(60_000);
  assert.deepEqual(seen, ['error line 1', '5 server.port', '66 server.port', '7 server.port']);
});
