import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startFloeProcess } from './floe-process.ts';
import { callHttp } from './http-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'floe-testkit-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A stand-in with the server's manners: what it prints, the environment it reads, how it ends. */
function program(name: string, source: string): string {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, source);
  return file;
}

const KEY = `eis_${'a1'.repeat(22)}`;
const STANDIN = program(
  'server',
  `import { createServer } from 'node:http';
   import { mkdirSync, existsSync, writeFileSync, readFileSync } from 'node:fs';
   const dir = process.env.FLOE_DATA_DIR;
   const isFirst = !existsSync(dir);
   mkdirSync(dir, { recursive: true });
   const seen = { env: process.env, yaml: process.env.FLOE_CONFIG && readFileSync(process.env.FLOE_CONFIG, 'utf8') };
   const server = createServer((_, response) => response.end(JSON.stringify(seen)));
   server.listen(Number(process.env.FLOE_PORT), '127.0.0.1', () => {
     console.log(JSON.stringify({ local_url: 'http://127.0.0.1:' + server.address().port }));
     if (isFirst) console.log('first key: ${KEY}');
   });
   process.on('SIGTERM', () => { console.error('draining'); server.close(); server.closeAllConnections(); });`,
);

test('a started server is reached by its url, its key is read from the output, TERM ends it', async () => {
  const floe = await startFloeProcess({ program: STANDIN, yaml: 'version: 1\n', env: { FLOE_EXTRA: 'x' } });
  assert.equal(await floe.waitForKey(), KEY);
  const seen = JSON.parse((await callHttp(floe.url)).text);
  assert.equal(seen.yaml, 'version: 1\n');
  assert.equal(seen.env.FLOE_EXTRA, 'x');
  assert.ok(existsSync(floe.dataDir));
  assert.deepEqual(await floe.stop(), { code: 0, signal: null });
  assert.match(floe.output(), /draining/);
  assert.equal(existsSync(floe.dataDir), false);
});

test('nothing of this process’s environment but PATH and the compile cache reaches the server', async () => {
  process.env['TESTKIT_SECRET'] = 'not for children';
  const floe = await startFloeProcess({ program: STANDIN });
  const names = Object.keys(JSON.parse((await callHttp(floe.url)).text).env).sort();
  const own = ['FLOE_DATA_DIR', 'FLOE_DRAIN_TIMEOUT_MS', 'FLOE_PORT', 'FLOE_SHUTDOWN_DELAY_MS'];
  assert.deepEqual(names, [...own, 'HOME', 'NODE_COMPILE_CACHE', 'PATH', 'TMPDIR']);
  await floe.stop();
  delete process.env['TESTKIT_SECRET'];
});

test('a data directory that was given survives kill -9, and the second start prints no key', async () => {
  const dataDir = join(folder, 'kept');
  const first = await startFloeProcess({ program: STANDIN, dataDir });
  assert.deepEqual(await first.kill(), { code: null, signal: 'SIGKILL' });
  assert.ok(existsSync(dataDir));
  const second = await startFloeProcess({ program: STANDIN, dataDir });
  const key = second.waitForKey();
  const failed = assert.rejects(key, /ended \(0\) without printing/);
  await second.stop();
  await failed;
});

test('a server that ends before it listens is an error that shows its output', async () => {
  const broken = program('broken', "console.error('floe.yaml: line 3: unknown key'); process.exit(2);");
  await assert.rejects(startFloeProcess({ program: broken }), /ended \(2\)[\s\S]*unknown key/);
});

test('a server that never listens is ended when its time is up', async () => {
  const silent = program('silent', "console.log('pid ' + process.pid + '.'); setInterval(() => {}, 1000);");
  await assert.rejects(startFloeProcess({ program: silent, startTimeoutMs: 1000 }), (error: unknown) => {
    assert.ok(error instanceof Error);
    assert.match(error.message, /1000 ms passed/);
    const pid = Number(/pid (\d+)\./.exec(error.message)?.[1]);
    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
    return true;
  });
});
