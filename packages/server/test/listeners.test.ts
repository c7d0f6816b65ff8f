// Several listeners on one process, a base address with a path, both address families.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { type FloeProcess, SERVER_PROGRAM, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { encodeRawRequest, RawClient } from '@floe/testkit/raw-client';
import type { ListenerSurface } from '../src/http/listener-surfaces.ts';
import { runProgramToEnd } from './run-program.ts';
import { buildChatBody, CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

const PREFIX = '/tools/floe';
const home = mkdtempSync(join(tmpdir(), 'floe-listeners-'));
const headers = { authorization: `Bearer ${GATEWAY_KEYS.full}` };
/** The kernel knows IPv6; a container may not. */
const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ family }) => family === 'IPv6'),
);
const HOST = hasIpv6 ? '::' : '0.0.0.0';

/** What each surface answers with when it is there, by a path of its own. */
const DOORS: Readonly<Record<ListenerSurface, readonly [path: string, status: number]>> = {
  gateway: ['/gateway/v1/models', 200],
  relay: ['/relay/v1/nothing', 404],
  // The wrong method: only the routes for beats answer this text.
  beats: ['/api/monitoring/heartbeat', 405],
  management: ['/api/me', 200],
  console: ['/', 200],
  boards: ['/boards/assets/floe.svg', 200],
  metrics: ['/metrics', 200],
  health: ['/healthz', 200],
};
const LISTENERS: readonly (readonly ListenerSurface[])[] = [
  ['gateway', 'relay', 'beats'],
  ['console', 'management'],
  ['management'],
  ['metrics'],
  ['boards', 'health'],
];

let floe: FloeProcess;
let ports: readonly string[];
before(async () => {
  const listeners = LISTENERS.map((surfaces) => ({ port: 0, surfaces }));
  const keys = [{ name: 'full', key: GATEWAY_KEYS.full, scopes: ['gateway', 'management'] }];
  const providers = [{ id: 'sandbox', kind: 'sandbox' }];
  floe = await startFloeProcess({
    yaml: JSON.stringify({
      server: { host: HOST, base_url: `https://floe.example${PREFIX}`, listeners },
      orgs: [{ id: 'acme', keys, providers }],
    }),
  });
  const [line] = await floe.waitForOutput(/^.*"server is listening".*$/m);
  ports = JSON.parse(line).listeners.map(({ url }: { url: string }) => url);
});
after(async () => {
  await floe.stop();
  rmSync(home, { recursive: true });
});

const isUnknown = (text: string) =>
  /"code":"not_found"/.test(text) && /No endpoint exists at this path on this listener/.test(text);

test('a surface is served by its listeners, and is a 404 on others', async () => {
  assert.equal(ports.length, LISTENERS.length);
  for (const [index, surfaces] of LISTENERS.entries())
    for (const [surface, [path, status]] of Object.entries(DOORS)) {
      const what = `${path} on a listener for ${surfaces}`;
      const there = surface === 'health' || surfaces.some((name) => name === surface);
      for (const prefix of ['', PREFIX]) {
        const answer = await callHttp(`${ports[index]}${prefix}${path}`, { headers });
        assert.equal(isUnknown(answer.text), !there, `${what}: ${answer.text.slice(0, 300)}`);
        if (there) assert.equal(answer.status, status, what);
        else assert.equal(answer.status, 404, what);
      }
    }
  for (const [path, status] of Object.values(DOORS)) {
    const due = path === '/metrics' ? 401 : status;
    assert.equal((await callHttp(floe.url + path, { headers })).status, due, `${path} on the main listener`);
  }
});

test('the Location of a created resource is below the path of the base URL', async () => {
  const made = await fetch(`${floe.url}${PREFIX}/api/management/teams`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'placed' }),
  });
  const place = made.headers.get('location');
  assert.deepEqual([made.status, place], [201, `${PREFIX}/api/management/teams/placed`]);
  assert.equal((await callHttp(`${floe.url}${place}`, { headers })).status, 200);
});

test('without a token, /metrics is served only on its own listener if other machines can reach it', async () => {
  const main = await callHttp(`${floe.url}/metrics`);
  assert.equal(main.status, 401);
  assert.match(main.text, /telemetry\.metrics_token.*server\.listeners/);
  const own = ports[LISTENERS.findIndex(([first]) => first === 'metrics')];
  assert.equal((await callHttp(`${own}/metrics`)).status, 200);
});

test('a hidden surface is unreachable in any notation of its path', async () => {
  const [gatewayOnly = ''] = ports;
  for (const path of [
    '/API/me',
    '/%61pi/me',
    '/api%2fme',
    '//api/me',
    '/./api/me',
    '/gateway/../api/me',
    '//gateway//..//api/me',
    `${PREFIX}//api/me`,
    '/gateway/v1/../../api/me',
    '/gateway/..%2fapi/me',
    '/relay/../api/me',
    '/beat/../../api/me',
    '/api/monitoring/heartbeat/../../me',
    '/api/monitoring/heartbeat/',
    'http://x/api/me',
    'http://x?/api/me',
    `${PREFIX}/api/me`,
    `${PREFIX}${PREFIX}/api/me`,
    '/metrics?a=/gateway/v1/models',
    '/metrics/',
  ]) {
    const client = await RawClient.connect(gatewayOnly);
    await client.send(encodeRawRequest({ path, headers: [['x-api-key', GATEWAY_KEYS.full]] }));
    const { status, body } = await client.readAnswer();
    assert.ok(status === 404 || status === 401 || status === 400, `${path}: ${status} ${body}`);
    assert.doesNotMatch(body.toString(), /"scopes"|floe_/, path);
    client.hangUp();
  }
});

test('repeated slashes in a gateway path neither hide the endpoint nor reveal it on another listener', async () => {
  for (const path of [
    '//gateway/v1//models',
    `${PREFIX}//gateway/v1/models`,
    `//${PREFIX}/gateway//v1/models`,
  ]) {
    const answers = await Promise.all(ports.map((port) => callHttp(port + path, { headers })));
    assert.deepEqual(
      answers.map(({ status }) => status),
      LISTENERS.map((surfaces) => (surfaces.includes('gateway') ? 200 : 404)),
      path,
    );
  }
});

test('errors of a hidden surface have the dialect of their path', async () => {
  const answer = await callHttp(`${ports[3]}/gateway/v1/messages`, { body: {}, headers });
  assert.equal(answer.status, 404);
  assert.match(answer.text, /^\{"type":"error","error":\{"type":"not_found_error"/);
});

test('every surface responds below the path of the base URL, and also if a proxy removed the path', async () => {
  for (const [path, status] of Object.values(DOORS)) {
    const due = path === '/metrics' ? 401 : status;
    assert.equal((await callHttp(`${floe.url}${PREFIX}${path}`, { headers })).status, due, path);
  }
  const body = buildChatBody({ model: 'sandbox/echo' });
  assert.equal((await callHttp(floe.url + PREFIX + CHAT_COMPLETIONS_PATH, { headers, body })).status, 200);
  const page = await callHttp(`${floe.url}${PREFIX}?a=b`);
  assert.equal(page.status, 308);
  assert.equal(page.headers['location'], `${PREFIX}/`);
  for (const path of [`${PREFIX}x/healthz`, `${PREFIX}${PREFIX}/healthz`, '/tools/healthz'])
    assert.equal((await callHttp(floe.url + path)).status, 404, path);
});

test('returned URLs contain the path, and never the host of the request', async () => {
  await floe.waitForOutput(/"gateway_url":"https:\/\/floe\.example\/tools\/floe\/gateway\/v1"/);
  for (const path of ['/', '/api/openapi.json', '/boards/nobody', '/nowhere', PREFIX]) {
    const answer = await callHttp(floe.url + path, {
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
    });
    assert.doesNotMatch(answer.text + JSON.stringify(answer.headers), /evil\.example/, path);
  }
});

test('`::` is reachable with IPv4 and IPv6', { skip: !hasIpv6 && 'this machine has no IPv6' }, async () => {
  for (const url of [floe.url, ...ports]) {
    const { port } = new URL(url);
    for (const host of ['127.0.0.1', '[::1]'])
      assert.equal((await callHttp(`http://${host}:${port}/healthz`)).status, 200, host);
  }
});

test('every listener drains: requests in progress finish, and no port remains open', async () => {
  const one = await startFloeProcess({
    yaml: JSON.stringify({
      server: { host: '[::1]', listeners: [{ port: 0, host: '127.0.0.1', surfaces: ['gateway'] }] },
      orgs: [
        {
          id: 'acme',
          keys: [{ name: 'full', key: GATEWAY_KEYS.full, scopes: ['gateway'] }],
          providers: [{ id: 'sandbox', kind: 'sandbox' }],
        },
      ],
    }),
  });
  assert.match(one.url, /^http:\/\/\[::1\]:/);
  const [, second = ''] = await one.waitForOutput(/"listeners":\[\{"url":"([^"]+)","surfaces":\["gateway"\]/);
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const answer = callHttp(second + CHAT_COMPLETIONS_PATH, {
    headers,
    body: buildChatBody({
      model: 'sandbox/slow',
      stream: true,
      messages: [{ role: 'user', content: 'a b c' }],
    }),
    onChunk: () => resolve(),
  });
  await begun;
  const exit = one.stop();
  await one.waitForOutput(/"server is shutting down"/);
  for (const url of [one.url, second])
    await eventually(() =>
      reach(url).then(
        () => undefined,
        () => true,
      ),
    );
  assert.match((await answer).text, /\[DONE\]/);
  assert.deepEqual(await exit, { code: 0, signal: null });
});

async function reach(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port) });
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}

test('a port that is in use stops the whole start, and the message names the setting', async () => {
  const other = createServer();
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const file = JSON.stringify({ server: { port: 0, listeners: [{ port, surfaces: ['metrics'] }] } });
  const env = { FLOE_DATA_DIR: join(home, 'data'), FLOE_CONFIG: join(home, 'floe.yaml') };
  writeFileSync(env.FLOE_CONFIG, file);
  const ended = await runProgramToEnd(SERVER_PROGRAM, [], env, home);
  other.close();
  assert.equal(ended.code, 1);
  assert.match(ended.stderr, /^floe: 127\.0\.0\.1:\d+ is in use .*server\.listeners\[0\]\.port\.\n$/);
  assert.equal(ended.stdout.replaceAll(/^\{.*\}\n/gm, ''), '');
});
