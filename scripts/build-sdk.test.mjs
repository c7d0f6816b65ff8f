// The TypeScript SDK as it is published, on the Node of this run, and with FLOE_TEST_FULL on every Node it is for.
// Tier: ci. Builds and installs the SDK.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { SDK_VERSION } from '../packages/sdk/src/beat-request.ts';
import { startFakeUpstream } from '../packages/testkit/src/fake-upstream.ts';
import { startHostileServer } from '../packages/testkit/src/hostile-server.ts';
import { createJsonReply } from '../packages/testkit/src/upstream-reply.ts';
import { buildSdk } from './build-sdk.mjs';
import { ensureNode, root } from './setup.mjs';

const current = Number(process.versions.node.split('.')[0]);
const others = process.env.FLOE_TEST_FULL ? [18, 20, 22, 24, 26].filter((major) => major !== current) : [];
const hostile = JSON.parse(
  readFileSync(join(root, 'packages/testkit/golden/heartbeat/hostile.json'), 'utf8'),
);

const home = mkdtempSync(join(tmpdir(), 'floe-sdk-'));
after(() => rmSync(home, { recursive: true, force: true }));
buildSdk(join(home, 'node_modules', '@floe', 'sdk'));
cpSync(join(root, 'packages/sdk/consumer'), home, { recursive: true });

test('the package says its own version to the server', () => {
  const { version } = JSON.parse(readFileSync(join(home, 'node_modules/@floe/sdk/package.json'), 'utf8'));
  assert.equal(version, SDK_VERSION);
});

test('its types serve ESM and CommonJS programs, without Node’s types', () => {
  const typed = readFileSync(join(home, 'typed.txt'), 'utf8');
  const options = { strict: true, noEmit: true, target: 'es2022', lib: ['es2022', 'dom'], types: [] };
  writeFileSync(join(home, 'typed.mts'), typed);
  writeFileSync(join(home, 'typed.cts'), typed);
  writeFileSync(
    join(home, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { ...options, module: 'nodenext' },
      files: ['typed.mts', 'typed.cts'],
    }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const run = spawnSync(process.execPath, [tsc, '-p', home], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stdout);
});

for (const major of [current, ...others]) {
  const node = major === current ? process.execPath : ensureNode(major);
  suite(`on Node ${major}`, { concurrency: 4 }, () => {
    for (const format of ['mjs', 'cjs'])
      test(`${format}: every hostile server ends in the result that is written down`, async (t) => {
        // Those that wait for real are played from the sources, where time is injected.
        const cases = hostile.filter(
          ({ name, host }) => !['rate-limited', 'unavailable'].includes(name) && !host,
        );
        const quick = format === 'mjs' ? cases : cases.slice(0, 1);
        const servers = await Promise.all(quick.map((one) => startHostileServer(one)));
        t.after(() => Promise.all(servers.map((server) => server.close())));
        const told = await consume(
          node,
          format,
          'beats',
          quick.map((one, index) => ({ url: servers[index].url, timeoutSeconds: one.timeout_seconds })),
        );
        assert.deepEqual(
          told.lines,
          quick.map(({ expect }) => expect),
        );
        for (const { requests } of servers)
          for (const { path } of requests) assert.equal(path, '/api/monitoring/heartbeat');
      });

    test('a process in which only a loop is left ends, its first beat sent', async (t) => {
      const server = await healthy(t);
      const { code, lines } = await consume(node, 'cjs', 'loop', [server]);
      assert.equal(code, 0);
      assert.equal(server.requests.length, 1);
      assert.deepEqual(lines, []);
    });

    test('SIGTERM sends the last beat and then has its own effect', async (t) => {
      const server = await healthy(t);
      const child = start(node, 'cjs', 'worker', [server]);
      await server.waitForRequests(1);
      await child.said('ready');
      child.kill('SIGTERM');
      assert.equal((await child.ended).signal, 'SIGTERM');
      assert.deepEqual(JSON.parse(server.requests[1].body.toString()).metadata, { stopped: true });
      assert.equal(server.requests.length, 2);
    });

    test('SIGTERM ends a worker whose server is a black hole', async (t) => {
      const server = await startHostileServer(hostile.find(({ name }) => name === 'black-hole'));
      t.after(() => server.close());
      for (const scenario of ['plain', 'worker']) {
        const child = start(node, 'cjs', scenario, [server]);
        await child.said('ready');
        child.kill('SIGTERM');
        assert.equal((await child.ended).signal, 'SIGTERM');
      }
    });

    test('a failing job still ends its process as Node would', async (t) => {
      const { code } = await consume(node, 'cjs', 'failingJob', [await healthy(t)]);
      assert.equal(code, 1);
    });

    test('an event loop blocked for ten intervals owes one beat', async (t) => {
      const server = await healthy(t);
      const { code, lines } = await consume(node, 'cjs', 'blocked', [server]);
      assert.equal(code, 0);
      assert.deepEqual(lines, ['blocking']);
      const beats = new Set(server.requests.map(({ headers }) => headers['idempotency-key']));
      assert.ok(beats.size <= 4, `${beats.size} beats`);
    });
  });
}

async function healthy(t) {
  const server = await startFakeUpstream({
    respond: () => createJsonReply({ ok: true, monitor_id: 'job', beat_id: 'beat_1', status: 'healthy' }),
  });
  t.after(() => server.close());
  return server;
}

/** A program that uses the package. */
function start(node, format, scenario, servers) {
  const list = JSON.stringify(servers.map(({ url, timeoutSeconds }) => ({ url, timeoutSeconds })));
  const child = spawn(node, [join(home, `consumer.${format}`), scenario, list], {
    stdio: ['ignore', 'pipe', scenario === 'failingJob' ? 'ignore' : 'inherit'],
    env: {},
    timeout: 60_000,
  });
  let text = '';
  const output = child.stdout.setEncoding('utf8');
  output.on('data', (part) => {
    text += part;
  });
  const lines = () =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, lines: lines() }));
  return {
    ended,
    kill: (signal) => child.kill(signal),
    async said(word) {
      while (!lines().includes(word)) {
        const [which] = await Promise.race([once(output, 'data'), ended.then(() => ['ended'])]);
        if (which === 'ended') throw new Error(`the program ended without saying ${word}: ${text}`);
      }
    },
  };
}

function consume(node, format, scenario, servers) {
  return start(node, format, scenario, servers).ended;
}
