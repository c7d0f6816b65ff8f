// The access log of the real server: which lines it has, their fields, and what is in none of them.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, SERVER_PROGRAM, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp, type HttpCallOptions, type HttpCallResponse } from '@floe/testkit/http-client';
import { MINIMAL_ENVIRONMENT } from '@floe/testkit/minimal-environment';
import { sendAndDisconnect } from '@floe/testkit/raw-client';
import { createJsonReply, createSseReply } from '@floe/testkit/upstream-reply';

const KEY = `eis_access${'0'.repeat(32)}`;
const LIMITED = `eis_limited${'0'.repeat(32)}`;
/** In every prompt, answer, query, header and error of an upstream, and in no line. */
const MARKER = 'zebra-marker-7351';
const CHAT = '/gateway/v1/chat/completions';
const USAGE = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };
const MESSAGES = [{ role: 'user', content: `say ${MARKER}` }];

const chunk = (delta: JsonObject, finish: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const STREAM = [
  chunk({ role: 'assistant', content: `${MARKER} ` }),
  chunk({ content: MARKER }, 'stop'),
  { ...chunk({}), choices: [], usage: USAGE },
  'data: [DONE]\n\n',
];

function startUpstream(): Promise<FakeUpstream> {
  return startFakeUpstream({
    respond({ method, body }) {
      if (method === 'GET') return createJsonReply({ object: 'list', data: [] });
      if (body.includes('"model":"broken"'))
        return { status: 500, body: `{"error":{"message":"${MARKER}"}}` };
      if (body.includes('"model":"paced"')) return { ...createSseReply(STREAM), isPaced: true };
      if (body.includes('"stream":true')) return createSseReply(STREAM);
      const message = { role: 'assistant', content: MARKER };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      return createJsonReply({ id: 'c', object: 'chat.completion', model: 'm', choices, usage: USAGE });
    },
  });
}

function buildConfig(upstreamUrl: string, access: JsonObject = {}): string {
  const fake = { kind: 'openai-compatible', base_url: `${upstreamUrl}/v1`, api_key: 'upstream-secret-1' };
  return JSON.stringify({
    log: { access },
    orgs: [
      {
        id: 'acme',
        teams: [{ id: 'core', name: 'Core' }],
        keys: [
          { name: 'my "first" key', key: KEY, scopes: ['gateway', 'management', 'beat'], team: 'core' },
          { name: 'limited', key: LIMITED, scopes: ['gateway'] },
        ],
        providers: [
          {
            ...fake,
            id: 'fake',
            models: ['*'],
            prices: { '*': { input: 2, output: 4 } },
            breaker: { enabled: false },
          },
          { id: 'sandbox', kind: 'sandbox' },
        ],
        routes: [{ model: '*', retries: 1 }],
        limits: [{ name: 'none', scope: 'key', key: 'limited', rpm: 1 }],
        policies: [
          {
            name: 'no-weapons',
            on: 'request',
            when: 'request.model == "fake/forbidden"',
            action: 'deny',
            mode: 'enforce',
          },
        ],
        monitors: [{ id: 'backup', expected_interval_minutes: 5 }],
      },
    ],
  });
}

interface Logged {
  readonly floe: FloeProcess;
  call(path: string, options?: HttpCallOptions): Promise<HttpCallResponse>;
  chat(model: string, more?: JsonObject): Promise<HttpCallResponse>;
  /** Lines with this message so far. */
  lines(msg: string): JsonObject[];
  /** The line of one request, once it is written. */
  line(response: HttpCallResponse): Promise<JsonObject>;
}

async function startLogged(upstream: FakeUpstream, access: JsonObject = {}, env = {}): Promise<Logged> {
  const floe = await startFloeProcess({ yaml: buildConfig(upstream.url, access), env });
  const call: Logged['call'] = (path, options = {}) =>
    callHttp(floe.url + path, {
      ...options,
      headers: { authorization: `Bearer ${KEY}`, ...options.headers },
    });
  const all = () =>
    floe
      .output()
      .split('\n')
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line))
      .filter(isJsonObject);
  return {
    floe,
    call,
    chat: (model, more = {}) => call(CHAT, { body: { model, messages: MESSAGES, ...more } }),
    lines: (msg) => all().filter((line) => line['msg'] === msg),
    line: (response) =>
      eventually(async () => all().find((line) => line['request_id'] === response.headers['x-request-id'])),
  };
}

let upstream: FakeUpstream;
let logged: Logged;
before(async () => {
  upstream = await startUpstream();
  logged = await startLogged(upstream);
});
after(async () => {
  await logged?.floe.stop();
  await upstream.close();
});

test('a request that succeeds has a line with all fields', async () => {
  const line = await logged.line(await logged.chat('fake/m'));
  const { time, request_id, key_id, duration_ms, ...rest } = line;
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.match(String(request_id), /^exc_/);
  assert.match(String(key_id), /^key_/);
  assert.ok(typeof duration_ms === 'number' && duration_ms > 0);
  assert.deepEqual(rest, {
    level: 'info',
    msg: 'exchange',
    org: 'acme',
    key_name: 'my "first" key',
    team: 'core',
    surface: 'chat',
    route_mode: 'unified',
    model_requested: 'fake/m',
    model: 'm',
    target: 'fake/m@default',
    stream: false,
    status: 200,
    outcome: 'succeeded',
    error_code: null,
    input_tokens: 1000,
    output_tokens: 500,
    cost_usd: 0.004,
    cache: null,
    attempts: 1,
    client_disconnected: false,
    first_token_ms: null,
  });
});

test('a stream has the time to its first token', async () => {
  const line = await logged.line(await logged.chat('fake/m', { stream: true }));
  assert.equal(line['stream'], true);
  assert.equal(line['output_tokens'], 500);
  assert.ok(Number(line['first_token_ms']) > 0);
  assert.ok(Number(line['first_token_ms']) <= Number(line['duration_ms']));
});

test('a failure has its code and the number of attempts', async () => {
  const line = await logged.line(await logged.chat('fake/broken'));
  assert.equal(line['status'], 502);
  assert.equal(line['outcome'], 'upstream_error');
  assert.equal(line['error_code'], 'upstream_error');
  assert.equal(line['attempts'], 2);
});

test('requests that a limit or a policy blocks, and those without a key, have lines', async () => {
  const headers = { authorization: `Bearer ${LIMITED}` };
  const body = { model: 'fake/m', messages: MESSAGES };
  await logged.call(CHAT, { headers, body });
  const limited = await logged.line(await logged.call(CHAT, { headers, body }));
  assert.equal(limited['status'], 429);
  assert.equal(limited['outcome'], 'blocked');
  assert.equal(limited['error_code'], 'rate_limit_exceeded');
  assert.equal(limited['key_name'], 'limited');
  const denied = await logged.line(await logged.chat('fake/forbidden'));
  assert.equal(denied['error_code'], 'policy_denied');
  assert.equal(denied['attempts'], 0);
  const stranger = await logged.line(
    await logged.call(CHAT, { headers: { authorization: `Bearer eis_${MARKER}` }, body }),
  );
  assert.equal(stranger['status'], 401);
  assert.equal(stranger['org'], null);
  assert.equal(stranger['key_id'], null);
  assert.equal(stranger['error_code'], 'invalid_api_key');
});

test('a client that disconnects during a stream is logged as aborted', async () => {
  const body = JSON.stringify({ model: 'fake/paced', messages: MESSAGES, stream: true });
  const request = {
    method: 'POST',
    path: CHAT,
    headers: [
      ['authorization', `Bearer ${KEY}`],
      ['content-type', 'application/json'],
    ] as [string, string][],
    body,
  };
  upstream.gate.release();
  await sendAndDisconnect(logged.floe.url, 'after-first-answer-byte', request);
  const line = await eventually(async () =>
    logged.lines('exchange').find((one) => one['model_requested'] === 'fake/paced'),
  );
  upstream.gate.open();
  assert.equal(line['status'], 499);
  assert.equal(line['outcome'], 'aborted');
  assert.equal(line['client_disconnected'], true);
});

test('gateway requests that call no model have lines, and so do those to unknown paths', async () => {
  const list = await logged.line(await logged.call(`/gateway/v1/models?after=${MARKER}`));
  const { time, request_id, key_id, duration_ms, ...rest } = list;
  assert.ok(time && request_id && Number(duration_ms) >= 0);
  assert.match(String(key_id), /^key_/);
  assert.deepEqual(rest, {
    level: 'info',
    msg: 'gateway_call',
    org: 'acme',
    key_name: 'my "first" key',
    team: 'core',
    route_mode: 'unified',
    operation: 'models.list',
    method: 'GET',
    status: 200,
    error_code: null,
    client_disconnected: false,
  });
  const headers = { authorization: `Bearer eis_${MARKER}` };
  const cases = [
    [`/gateway/v1/models/${MARKER}`, {}, ['models.get', 'unified', 404, 'model_not_found']],
    [`/gateway/v1/responses/resp_${MARKER}`, {}, ['responses.get', 'unified', 404, 'not_found']],
    ['/gateway/v1/key', {}, ['key.get', 'unified', 200, null]],
    ['/gateway/v1/key', { headers }, ['key.get', 'unified', 401, 'invalid_api_key']],
    ['/gateway/passthrough-a/v1/models', {}, ['models.list', 'passthrough-a', 200, null]],
    ['/gateway/ide-adapter/models', {}, ['models.list', 'ide', 200, null]],
    [`/gateway/ide-adapter/${MARKER}`, {}, [null, 'ide', 404, 'not_found']],
    [`/gateway/${MARKER}`, {}, [null, 'unified', 404, 'not_found']],
    ['/gateway/v1/chat/completions', {}, [null, 'unified', 405, 'method_not_allowed']],
  ] as const;
  for (const [path, options, expected] of cases) {
    const line = await logged.line(await logged.call(path, options));
    const { operation, route_mode: mode, status, error_code: code } = line;
    assert.equal(line['msg'], 'gateway_call');
    assert.deepEqual([operation, mode, status, code], expected, path);
  }
});

test('requests for files and batches have lines of exchanges', async () => {
  for (const path of ['/gateway/v1/files', '/gateway/v1/batches']) {
    const line = await logged.line(await logged.call(path));
    assert.equal(line['msg'], 'exchange');
    assert.equal(line['surface'], path.slice('/gateway/v1/'.length));
  }
});

test('an API call has a line with the template of its path', async () => {
  const found = await logged.line(await logged.call(`/api/monitoring/monitors/backup`));
  const { time, request_id, actor_id, duration_ms, ...rest } = found;
  assert.ok(time && request_id && Number(duration_ms) > 0);
  assert.match(String(actor_id), /^key_/);
  assert.deepEqual(rest, {
    level: 'info',
    msg: 'api_call',
    org: 'acme',
    actor_kind: 'key',
    operation: 'monitors.get',
    method: 'GET',
    path: '/api/monitoring/monitors/{id}',
    status: 200,
    client_disconnected: false,
  });
  const refused = await logged.line(await logged.call(`/api/management/keys?search=${MARKER}`));
  assert.equal(refused['path'], '/api/management/keys');
  const unknown = await logged.line(await logged.call(`/api/${MARKER}`));
  assert.equal(unknown['path'], null);
  assert.equal(unknown['status'], 404);
  const headers = { authorization: `Bearer eis_${MARKER}` };
  const stranger = await logged.line(await logged.call('/api/management/keys', { headers }));
  assert.equal(stranger['actor_kind'], 'anonymous');
  assert.equal(stranger['operation'], 'keys.list');
  assert.equal(stranger['status'], 401);
});

test('health checks, metrics, the console and beats have no lines', async () => {
  const before = logged.lines('exchange').length + logged.lines('api_call').length;
  for (const path of ['/healthz', '/readyz', '/metrics', '/', '/boards/none']) await logged.call(path);
  const beat = await logged.call('/api/monitoring/heartbeat', { body: { monitor_id: 'backup' } });
  assert.equal(beat.status, 200);
  await logged.line(await logged.call('/api/management/keys'));
  assert.equal(logged.lines('exchange').length + logged.lines('api_call').length, before + 1);
});

test('no line has content, a credential or a query', () => {
  const text = logged.floe.output();
  assert.ok(logged.lines('exchange').length >= 7);
  assert.ok(logged.lines('gateway_call').length >= 10);
  for (const secret of [MARKER, KEY, LIMITED, 'upstream-secret-1', 'zebra'])
    assert.ok(!text.includes(secret), secret);
});

test('with `log.access.sample`, a share of the successful requests and every error is logged', async (t) => {
  const sampled = await startLogged(upstream, { sample: 0.5 });
  t.after(() => sampled.floe.stop());
  for (let n = 0; n < 60; n += 1) await sampled.chat('sandbox/echo');
  for (let n = 0; n < 10; n += 1) await sampled.chat('fake/broken');
  await sampled.floe.stop();
  const lines = sampled.lines('exchange');
  assert.equal(lines.filter(({ status }) => status === 502).length, 10);
  const kept = lines.filter(({ status }) => status === 200).length;
  assert.ok(kept > 5 && kept < 55, `${kept} of 60`);
});

test('FLOE_ACCESS_LOG_SAMPLE overrides the file', async (t) => {
  const sampled = await startLogged(upstream, {}, { FLOE_ACCESS_LOG_SAMPLE: '0' });
  t.after(() => sampled.floe.stop());
  await sampled.chat('sandbox/echo');
  await sampled.line(await sampled.chat('fake/broken'));
  assert.equal(sampled.lines('exchange').length, 1);
});

test('`log.access.enabled` switches the access log off and on while the server runs', async (t) => {
  const other = await startLogged(upstream, { enabled: false });
  t.after(() => other.floe.stop());
  await other.chat('fake/broken');
  await other.call('/api/management/keys');
  writeFileSync(other.floe.configFile, buildConfig(upstream.url, { enabled: true }));
  await other.floe.waitForOutput(/configuration was applied/);
  await other.line(await other.chat('sandbox/echo'));
  await other.floe.stop();
  assert.equal(other.lines('exchange').length, 1);
  assert.equal(other.lines('api_call').length, 0);
});

test('at the level warn, there is no access log, but the start line is written', async (t) => {
  const quiet = await startLogged(upstream, {}, { FLOE_LOG_LEVEL: 'warn' });
  t.after(() => quiet.floe.stop());
  await quiet.chat('fake/broken');
  await quiet.floe.stop();
  assert.deepEqual(
    quiet.floe
      .output()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).msg),
    ['server is listening'],
  );
});

test('buffered lines are written when the server stops', async () => {
  const stopped = await startLogged(upstream);
  const response = await stopped.chat('sandbox/echo');
  await stopped.floe.stop();
  assert.equal((await stopped.line(response))['status'], 200);
});

test('a first start writes one line about its migrations and one with its key, all as JSON', async (t) => {
  const first = await startFloeProcess();
  t.after(() => first.stop());
  const lines = first
    .output()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['database was migrated', 'server is listening'],
  );
  assert.match(lines[1].key, /^eis_/);
  assert.match(lines[1].console_url, /\/sign-in#token=/);
});

test('at the level silent, a first start prints nothing', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'floe-silent-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const upstreamPort = await startFakeUpstream({ script: [createJsonReply({})] });
  const port = new URL(upstreamPort.url).port;
  await upstreamPort.close();
  const env = { ...MINIMAL_ENVIRONMENT, HOME: home, FLOE_DATA_DIR: join(home, 'data'), FLOE_PORT: port };
  const child = spawn(process.execPath, [SERVER_PROGRAM], {
    cwd: home,
    env: { ...env, FLOE_LOG_LEVEL: 'silent' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  await eventually(() =>
    callHttp(`http://127.0.0.1:${port}/healthz`).then(
      ({ status }) => status === 200 || undefined,
      () => undefined,
    ),
  );
  const body = { model: 'sandbox/echo', messages: MESSAGES };
  assert.equal((await callHttp(`http://127.0.0.1:${port}${CHAT}`, { body })).status, 401);
  child.kill('SIGTERM');
  await once(child, 'close');
  assert.equal(output, '');
});
