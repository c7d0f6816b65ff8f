import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { callHttp } from '@floe/testkit/http-client';
import { RawClient } from '@floe/testkit/raw-client';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { createLogSpy } from '../store/test/log-spy.ts';
import { OpenFileMonitor } from './open-file-monitor.ts';
import { createHttpServer } from './server.ts';

function open(limit: number | null) {
  const clock = new FakeClock();
  const log = createLogSpy();
  const state = { openFiles: 10, probes: 0 };
  const probe = () => {
    state.probes += 1;
    return state.openFiles;
  };
  return { clock, state, lines: log.lines, monitor: new OpenFileMonitor({ clock, log, limit, probe }) };
}

test('connections are restricted while less than a tenth of the open files is free', () => {
  const { clock, state, lines, monitor } = open(100);
  assert.equal(monitor.admit(new Socket()), true);
  state.openFiles = 91;
  clock.advance(100);
  assert.equal(monitor.admit(new Socket()), false);
  assert.match(String(Object(lines[0]?.fields)['err']), /open files: 91 of 100/);
  assert.match(JSON.stringify(lines), /increase the limit/);
  state.openFiles = 90;
  clock.advance(100);
  assert.equal(monitor.admit(new Socket()), true);
});

test('a shortage is logged once per minute, even without connections', () => {
  const { clock, state, lines, monitor } = open(null);
  monitor.start();
  state.openFiles = Number.POSITIVE_INFINITY;
  for (let seconds = 0; seconds < 90; seconds++) clock.advance(1_000);
  assert.equal(lines.length, 2);
  monitor.close();
  clock.advance(10_000);
  assert.equal(state.probes, 90);
});

test('many connections at once cause few checks', () => {
  const { state, monitor } = open(10_000);
  for (let n = 0; n < 160; n++) monitor.admit(new Socket());
  assert.ok(state.probes <= 11, `${state.probes}`);
});

async function listen(t: TestContext) {
  const state = { openFiles: 95 };
  const openFiles = new OpenFileMonitor({
    clock: systemClock,
    log: silentLog,
    limit: 100,
    probe: () => state.openFiles,
  });
  const handler = openFiles.restrict({
    onRequest: (req, res) => void res.end(`served ${req.url}`),
    findExchangeRoute: () => undefined,
  });
  const server = createHttpServer(handler, { clock: systemClock, log: silentLog, openFiles });
  const url = `http://127.0.0.1:${await server.listen('127.0.0.1', 0, 'server')}`;
  t.after(() => server.drain(0));
  return { state, url, openFiles };
}

test('a restricted connection serves only a health check or sign-in, and is then closed', async (t) => {
  const { url } = await listen(t);
  for (const path of ['/healthz', '/readyz?for=api', '/api/session', '/api/session/passkey/options']) {
    const { status, text, headers } = await callHttp(url + path);
    assert.deepEqual([status, text, headers['connection']], [200, `served ${path}`, 'close']);
  }
  for (const path of ['/gateway/v1/models', '/api/sessions', '/api/analytics/requests', '/']) {
    const { status, text, headers } = await callHttp(url + path);
    assert.deepEqual([status, headers['connection'], headers['retry-after']], [503, 'close', '1'], path);
    assert.match(text, /"code":"overloaded"/);
  }
});

test('clients that send nothing do not keep health checks out', async (t) => {
  const { url } = await listen(t);
  const silent: RawClient[] = [];
  for (let n = 0; n < 6; n++) silent.push(await RawClient.connect(url));
  t.after(() => {
    for (const client of silent) client.hangUp();
  });
  await silent[0]?.waitForEnd();
  assert.equal((await callHttp(`${url}/healthz`)).status, 200);
});

test('a restricted connection serves all requests when files are free again', async (t) => {
  const { state, url, openFiles } = await listen(t);
  const client = await RawClient.connect(url);
  t.after(() => client.hangUp());
  // Both connections are accepted before the files are free.
  assert.equal((await callHttp(`${url}/gateway/v1/models`)).status, 503);
  state.openFiles = 10;
  assert.equal(openFiles.admit(new Socket()), true);
  await client.send('GET /gateway/v1/models HTTP/1.1\r\nhost: x\r\n\r\n');
  assert.equal((await client.readAnswer()).status, 200);
});
