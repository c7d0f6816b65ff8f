// Tier: ci. Starts and ends the server some thirty times.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import {
  type FloeProcess,
  type FloeProcessOptions,
  SERVER_PROGRAM,
  startFloeProcess,
} from '@floe/testkit/floe-process';
import { callHttp, type HttpCallResponse } from '@floe/testkit/http-client';
import { MINIMAL_ENVIRONMENT } from '@floe/testkit/minimal-environment';
import { encodeRawRequest, RawClient } from '@floe/testkit/raw-client';
import { createSseReply } from '@floe/testkit/upstream-reply';
import { formatStartupMessage } from '../src/platform/startup-message.ts';
import { CLI_PROGRAM, REPOSITORY_ROOT } from './run-program.ts';
import { buildChatBody, buildGatewayConfig, CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

const home = mkdtempSync(join(tmpdir(), 'floe-starts-'));
after(() => rmSync(home, { recursive: true, force: true }));

test('a first start prints a key and a sign-in link, and a working curl command on a terminal; a second one prints no key', async (t) => {
  const dataDir = join(home, 'first');
  const first = await startFloeProcess({ dataDir });
  const key = await first.waitForKey();
  const [, link = ''] = await first.waitForOutput(/"console_url":"([^"]+)"/);
  const line = curlLine(first.url, key, link);
  const page = await callHttp(link);
  assert.equal(page.status, 200);
  assert.match(page.headers['content-type'] ?? '', /^text\/html/);
  const answer = await runInShell(line, t.diagnostic.bind(t));
  assert.match(answer, /"content":"Hello, Floe!"/);
  assert.deepEqual(await first.stop(), { code: 0, signal: null });

  const second = await startFloeProcess({ dataDir });
  await second.waitForOutput(/"data_dir":"[^"]+"/);
  assert.doesNotMatch(second.output(), /eis_|sign-in|curl/);
  const headers = { authorization: `Bearer ${key}` };
  assert.equal((await callHttp(`${second.url}/gateway/v1/key`, { headers })).status, 200);
  await second.stop();
});

/** What a terminal shows of this start. */
function curlLine(url: string, key: string, link: string): string {
  const place = {
    version: '0',
    localUrl: url,
    listeners: [],
    url,
    dataDir: home,
    configPath: null,
    providers: [],
  };
  const [, signInToken = ''] = link.split('#token=');
  const text = formatStartupMessage(place, { orgId: '', key, signInToken });
  assert.ok(text.includes(`  console     ${link}\n`), text);
  return /^\s+(curl .*)$/m.exec(text)?.[1] ?? '';
}

async function runInShell(line: string, say: (text: string) => void): Promise<string> {
  try {
    return (await promisify(execFile)('sh', ['-c', line])).stdout;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 127)) throw error;
  }
  say('no curl here: the line was read and its request sent by the test');
  const [, url = ''] = /curl (\S+)/.exec(line) ?? [];
  const [, key = ''] = /Bearer (\S+)'/.exec(line) ?? [];
  const [, body = ''] = /-d '(.*)'/.exec(line) ?? [];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return (await callHttp(url, { body, headers })).text;
}

interface Streaming {
  readonly floe: FloeProcess;
  readonly upstream: FakeUpstream;
  /** The answer of a stream that is half through. */
  readonly answer: Promise<HttpCallResponse>;
}

/** A server in the middle of one stream. */
async function startStreaming(
  options: FloeProcessOptions = {},
  sections: JsonObject = {},
): Promise<Streaming> {
  const event = (content: string, finish: string | null) => ({
    choices: [{ index: 0, delta: { content }, finish_reason: finish }],
  });
  const stream = createSseReply([
    event('one', null),
    event('two', null),
    event('', 'stop'),
    'data: [DONE]\n\n',
  ]);
  const upstream = await startFakeUpstream({
    respond: ({ method }) => (method === 'GET' ? { body: '{"data":[]}' } : { ...stream, isPaced: true }),
  });
  const yaml = JSON.stringify({ ...buildGatewayConfig(upstream.url), ...sections });
  const floe = await startFloeProcess({ yaml, ...options });
  const { promise: half, resolve } = Promise.withResolvers<void>();
  const answer = callHttp(floe.url + CHAT_COMPLETIONS_PATH, {
    body: buildChatBody({ stream: true }),
    headers: { authorization: `Bearer ${GATEWAY_KEYS.full}`, connection: 'keep-alive' },
    onChunk: () => resolve(),
  });
  upstream.gate.release();
  await half;
  return { floe, upstream, answer };
}

/** The port takes no connection any more. */
function refusesConnections(url: string): Promise<true> {
  const { hostname, port } = new URL(url);
  return eventually(
    () =>
      new Promise<true | undefined>((resolve) => {
        const socket = connect({ host: hostname, port: Number(port) });
        socket.on('connect', () => resolve(undefined)).on('error', () => resolve(true));
        socket.on('connect', () => socket.destroy());
      }),
  );
}

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`${signal}: a stream in progress finishes, new connections are rejected, the exit code is 0`, async () => {
    const { floe, upstream, answer } = await startStreaming();
    const idle = await RawClient.connect(floe.url);
    await idle.send(encodeRawRequest({ path: '/healthz' }));
    assert.equal((await idle.readAnswer()).status, 200);
    const exit = floe.stop(signal);
    await refusesConnections(floe.url);
    await idle.waitForEnd();
    upstream.gate.open();
    const whole = await answer;
    assert.equal(whole.isComplete, true);
    assert.match(whole.text, /two[\s\S]*"finish_reason":"stop"[\s\S]*\[DONE\]\n\n$/);
    assert.deepEqual(await exit, { code: 0, signal: null });
    assert.doesNotMatch(floe.output(), /still under way|"level":"error"/);
    await upstream.close();
  });

test('a listener for metrics only remains open until the last request has ended', async () => {
  const { floe, upstream, answer } = await startStreaming(
    {},
    {
      server: { listeners: [{ port: 0, surfaces: ['metrics'] }] },
    },
  );
  const [, metricsUrl = ''] = await floe.waitForOutput(/"listeners":\[\{"url":"([^"]+)"/);
  const exit = floe.stop();
  await refusesConnections(floe.url);
  const during = await callHttp(`${metricsUrl}/metrics`);
  assert.equal(during.status, 200);
  assert.match(during.text, /^floe_exchanges_in_flight\{\} 1$/m);
  assert.equal((await callHttp(`${metricsUrl}/readyz`)).status, 503);
  upstream.gate.open();
  assert.equal((await answer).isComplete, true);
  assert.deepEqual(await exit, { code: 0, signal: null });
  await upstream.close();
});

test('a connection that is in use when the drain begins is closed after its response', async () => {
  const { floe, upstream, answer } = await startStreaming();
  const client = await RawClient.connect(floe.url);
  const headers: [string, string][] = [['x-api-key', GATEWAY_KEYS.full]];
  await client.send(
    encodeRawRequest({
      path: CHAT_COMPLETIONS_PATH,
      headers,
      body: JSON.stringify(buildChatBody({ stream: true })),
    }),
  );
  await upstream.gate.arrivalCount(3);
  const exit = floe.stop();
  await refusesConnections(floe.url);
  upstream.gate.open();
  assert.equal((await client.readAnswer()).isComplete, true);
  await client.waitForEnd();
  assert.equal((await answer).isComplete, true);
  assert.doesNotMatch(floe.output(), /still under way/);
  assert.deepEqual(await exit, { code: 0, signal: null });
  await upstream.close();
});

/** Sends TERM to the process at the moment at which it begins to accept connections. */
const TERM_AT_LISTEN = `data:text/javascript,import { Server } from 'node:net';
const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  return listen.apply(this.once('listening', () => process.kill(process.pid, 'SIGTERM')), args);
};`;

test('TERM drains as soon as connections are accepted', async (t) => {
  const env = { HOME: home, FLOE_DATA_DIR: join(home, 'early'), FLOE_PORT: '0', FLOE_SHUTDOWN_DELAY_MS: '0' };
  const child = spawn(process.execPath, ['--import', TERM_AT_LISTEN, SERVER_PROGRAM], {
    cwd: home,
    env: { ...MINIMAL_ENVIRONMENT, ...env },
    stdio: 'ignore',
  });
  t.after(() => child.kill('SIGKILL'));
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('a second TERM ends the process immediately', async () => {
  const { floe, upstream, answer } = await startStreaming();
  const exit = floe.stop();
  await floe.waitForOutput(/"server is shutting down"/);
  // One press is heard once, however often it comes; a later one counts.
  const insist = eventually(async () => {
    void floe.stop();
    return Promise.race([exit, Promise.resolve(undefined)]);
  });
  assert.deepEqual(await insist, { code: 1, signal: null });
  assert.deepEqual(await exit, { code: 1, signal: null });
  assert.equal((await answer).isComplete, false);
  await upstream.close();
});

test('after TERM, requests are served for the shutdown delay, readiness fails, and responses have connection: close', async () => {
  const env = { FLOE_SHUTDOWN_DELAY_MS: '120000' };
  const floe = await startFloeProcess({
    yaml: JSON.stringify(buildGatewayConfig('http://127.0.0.1:1')),
    env,
  });
  const headers = { authorization: `Bearer ${GATEWAY_KEYS.full}`, connection: 'keep-alive' };
  const chat = () =>
    callHttp(floe.url + CHAT_COMPLETIONS_PATH, { headers, body: buildChatBody({ model: 'sandbox/echo' }) });
  assert.equal((await chat()).headers['connection'], 'keep-alive');
  const exit = floe.stop();
  await floe.waitForOutput(/"server is shutting down"/);
  for (let n = 0; n < 3; n += 1) {
    const answer = await chat();
    assert.deepEqual([answer.status, answer.headers['connection']], [200, 'close'], answer.text);
  }
  const me = await callHttp(`${floe.url}/api/me`, { headers });
  assert.deepEqual([me.status, me.headers['connection']], [200, 'close']);
  const ready = await callHttp(`${floe.url}/readyz`);
  assert.deepEqual([ready.status, ready.text], [503, 'shutting down\n']);
  assert.equal((await callHttp(`${floe.url}/healthz`)).status, 200);
  // A second signal, later than the copies of the first, skips the rest of the delay.
  const insist = eventually(async () => {
    void floe.stop();
    return Promise.race([exit, Promise.resolve(undefined)]);
  });
  await insist;
  assert.notEqual((await exit).code, null, 'it ended, and was not killed');
});

test('a request that is incomplete at the drain timeout ends with an error in its dialect', async () => {
  const { floe, upstream, answer } = await startStreaming({ env: { FLOE_DRAIN_TIMEOUT_MS: '300' } });
  const exit = floe.stop();
  const whole = await answer;
  assert.match(whole.text, /one/);
  assert.match(whole.text, /"code":"shutting_down"/);
  assert.doesNotMatch(whole.text, /\[DONE\]|"finish_reason":"stop"/);
  assert.deepEqual(await exit, { code: 0, signal: null });
  await upstream.close();
});

test('HUP without a file changes nothing', async () => {
  const floe = await startFloeProcess();
  process.kill(floe.pid, 'SIGHUP');
  assert.equal((await callHttp(`${floe.url}/readyz`)).text, 'ready\n');
  assert.deepEqual(await floe.stop(), { code: 0, signal: null });
});

test('the server starts 16 threads for files, passwords and host names', {
  skip: process.platform !== 'linux' && 'needs /proc',
}, async () => {
  const floe = await startFloeProcess();
  const threads = `/proc/${floe.pid}/task`;
  const names = readdirSync(threads).map((id) => readFileSync(`${threads}/${id}/comm`, 'utf8').trim());
  assert.equal(names.filter((name) => name === 'libuv-worker').length, 16, names.join(', '));
  assert.deepEqual(await floe.stop(), { code: 0, signal: null });
});

test('a stop writes every row: the next start shows the previous requests', async () => {
  const dataDir = join(home, 'rows');
  const options = { dataDir, yaml: JSON.stringify(buildGatewayConfig('http://127.0.0.1:1')) };
  const headers = { authorization: `Bearer ${GATEWAY_KEYS.full}` };
  const first = await startFloeProcess(options);
  const ids: (string | undefined)[] = [];
  for (let n = 0; n < 20; n++) {
    const answer = await callHttp(first.url + CHAT_COMPLETIONS_PATH, {
      headers,
      body: buildChatBody({ model: 'sandbox/echo' }),
    });
    ids.push(answer.headers['x-request-id']);
  }
  await first.stop();
  const second = await startFloeProcess(options);
  for (const id of ids)
    assert.equal((await callHttp(`${second.url}/api/analytics/requests/${id}`, { headers })).status, 200);
  await second.stop();
});

test('readiness is reported while the server runs, and the metrics count requests', async () => {
  const floe = await startFloeProcess();
  for (const path of ['/healthz', '/readyz']) assert.equal((await callHttp(floe.url + path)).status, 200);
  const headers = { authorization: `Bearer ${await floe.waitForKey()}` };
  await callHttp(floe.url + CHAT_COMPLETIONS_PATH, {
    headers,
    body: buildChatBody({ model: 'sandbox/echo' }),
  });
  const { text } = await callHttp(`${floe.url}/metrics`);
  assert.match(
    text,
    /floe_exchanges_total\{surface="chat",provider="sandbox",code="200",state="complete"\} 1/,
  );
  const me = (await callHttp(`${floe.url}/api/me`, { headers })).json();
  assert.ok(isJsonObject(me) && isJsonObject(me.org));
  assert.equal(me.org.id, 'default');
  await floe.stop();
});

const WRAPPERS = [
  ['npm start', join(REPOSITORY_ROOT, 'scripts/start.mjs'), []],
  ['floe serve', CLI_PROGRAM, ['serve']],
] as const;

for (const [name, program, args] of WRAPPERS) {
  test(`${name}: TERM reaches the server, which drains`, async () => {
    const { floe, upstream, answer } = await startStreaming({ program, args, ownGroup: true });
    const exit = floe.stop();
    await refusesConnections(floe.url);
    upstream.gate.open();
    assert.equal((await answer).isComplete, true);
    assert.deepEqual(await exit, { code: 0, signal: null });
    await upstream.close();
  });

  test(`${name}: Ctrl-C, which a terminal sends to the whole process group, drains too`, async () => {
    const { floe, upstream, answer } = await startStreaming({ program, args, ownGroup: true });
    process.kill(-floe.pid, 'SIGINT');
    await floe.waitForOutput(/"server is shutting down"/);
    await refusesConnections(floe.url);
    upstream.gate.open();
    assert.equal((await answer).isComplete, true);
    assert.deepEqual(await floe.exited, { code: 0, signal: null });
    await upstream.close();
  });

  test(`${name}: kill -9 of the wrapper ends the server, which releases the data directory`, async () => {
    const dataDir = join(home, name.replace(' ', '-'));
    const first = await startFloeProcess({ program, args, dataDir });
    // Resolves when the last process that has this output has ended.
    assert.deepEqual(await first.kill(), { code: null, signal: 'SIGKILL' });
    assert.match(first.output(), /"server is shutting down"/);
    const second = await startFloeProcess({ program, args, dataDir });
    assert.deepEqual(await second.stop(), { code: 0, signal: null });
  });
}

test('CPU seconds in /metrics are those of the whole process since its start, and never decrease', async () => {
  const floe = await startFloeProcess({ dataDir: join(home, 'cpu') });
  const scrape = async () => {
    const { text } = await callHttp(`${floe.url}/metrics`);
    return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]);
  };
  // proc_pid_stat(5), fields 14 and 15: hundredths of a second of all its threads.
  const spent = () => {
    const fields = readFileSync(`/proc/${floe.pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  };
  let last = 0;
  for (let i = 0; i < 3; i++) {
    const before = spent();
    const told = await scrape();
    assert.ok(told >= before - 0.05 && told <= spent() + 0.05, `${before} <= ${told} <= ${spent()}`);
    assert.ok(told >= last);
    last = told;
  }
  await floe.stop();
});
