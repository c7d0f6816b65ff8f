// What leaves the process, by every kind of call: through the proxy that is configured, to hosts of a private
// authority, never where nobody allowed it, and nowhere at all when nothing was configured.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { type CorporateNetwork, startCorporateNetwork } from './corporate-network.ts';
import { buildChatBody, CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

const headers = { authorization: `Bearer ${GATEWAY_KEYS.full}` };
let network: CorporateNetwork;

before(async () => {
  network = await startCorporateNetwork();
  const { cert, key } = network.certificate('inside.corp.test');
  const completion = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'from inside' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
  const inside = createHttpsServer({ cert, key }, (request, response) => {
    request.resume();
    const body = request.url?.endsWith('/models') ? { data: [] } : completion;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  network.routeHost('inside.corp.test', await network.listen(inside));
});
after(() => network.close());

/** An org whose every outgoing call goes to one host that only the proxy knows. */
function corporate(server: JsonObject): string {
  return JSON.stringify({
    ...server,
    orgs: [
      {
        id: 'acme',
        keys: [{ name: 'full', key: GATEWAY_KEYS.full, scopes: ['gateway', 'management', 'monitoring'] }],
        providers: [
          {
            id: 'inside',
            kind: 'openai-compatible',
            base_url: 'https://inside.corp.test/v1',
            api_key: 'k',
            models: ['m'],
          },
        ],
        channels: [{ name: 'hook', kind: 'webhook', url: 'https://inside.corp.test/hook' }],
      },
    ],
  });
}

async function tested(floe: FloeProcess, body: object): Promise<JsonObject> {
  const answer = await callHttp(`${floe.url}/api/monitoring/channels/test`, { headers, body });
  assert.equal(answer.status, 200, answer.text);
  const result = answer.json();
  assert.ok(isJsonObject(result));
  return result;
}

const WAYS: readonly (readonly [
  what: string,
  server: () => JsonObject,
  env: () => Record<string, string>,
])[] = [
  [
    'outbound of floe.yaml',
    () => ({ outbound: { proxy: network.proxyUrl, ca_file: network.caFile } }),
    () => ({}),
  ],
  [
    'the usual variables',
    () => ({}),
    () => ({
      HTTPS_PROXY: network.proxyUrl,
      NO_PROXY: 'elsewhere.test',
      NODE_EXTRA_CA_CERTS: network.caFile,
    }),
  ],
];

for (const [what, server, env] of WAYS)
  test(`with ${what}, every call uses the proxy and trusts the private authority`, async () => {
    const { tunnels } = network;
    const floe = await startFloeProcess({ yaml: corporate(server()), env: env() });
    tunnels.length = 0;
    const answer = await callHttp(floe.url + CHAT_COMPLETIONS_PATH, {
      headers,
      body: buildChatBody({ model: 'inside/m' }),
    });
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.text, /from inside/);
    assert.deepEqual(new Set(tunnels.splice(0)), new Set(['inside.corp.test:443']));
    const hook = { name: 'x', kind: 'webhook', url: 'https://hooks.corp.test/hook' };
    // The tunnel leads to a host of another name: the proxy was used, and the certificate was looked at.
    assert.match(String((await tested(floe, hook))['error']), /altnames/);
    const inside = { ...hook, url: 'https://inside.corp.test/hook' };
    assert.equal((await tested(floe, inside))['ok'], true);
    assert.deepEqual(tunnels.splice(0), ['hooks.corp.test:443', 'inside.corp.test:443']);
    await floe.stop();
  });

/** A server that counts who reached it, and leads everybody to `location` when that is set. */
async function trap(location?: string) {
  const reached: string[] = [];
  const port = await network.listen(
    createServer((socket) => {
      socket.once('data', (head) => {
        reached.push(head.toString('latin1').split(' ', 2).join(' '));
        const status = location === undefined ? '200 OK' : `307 Elsewhere\r\nlocation: ${location}`;
        socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
      });
    }),
  );
  return { port, reached };
}

test('with several organizations, no channel reaches a private address in any notation', async () => {
  const { port, reached } = await trap();
  const keys = [{ name: 'full', key: GATEWAY_KEYS.full, scopes: ['gateway', 'management', 'monitoring'] }];
  const floe = await startFloeProcess({
    yaml: JSON.stringify({ orgs: [{ id: 'acme', keys }, { id: 'other' }] }),
  });
  const spelled = ['127.0.0.1', '127.1', '0x7f000001', '017700000001', '2130706433', '0', '[::1]', '[::]'];
  spelled.push('[::ffff:7f00:1]', '[64:ff9b::7f00:1]', 'localhost', 'LOCALHOST', '\u2460\u2461\u2466.1');
  const kinds = (base: string) => [
    { name: 'x', kind: 'webhook', url: `${base}/hook` },
    { name: 'x', kind: 'slack', url: `${base}/hook` },
    { name: 'x', kind: 'ntfy', url: `${base}/topic`, token: 'secret' },
    { name: 'x', kind: 'pagerduty', routing_key: 'k', base_url: base },
    { name: 'x', kind: 'telegram', bot_token: 't', chat_id: '1', base_url: base },
  ];
  for (const host of spelled)
    for (const body of host === '127.0.0.1'
      ? kinds(`http://${host}:${port}`)
      : kinds(`http://${host}:${port}`).slice(0, 1)) {
      const { ok, error } = await tested(floe, body);
      assert.equal(ok, false, host);
      assert.match(String(error), /not a public address\. .* add it to security\.private_networks/, host);
    }
  for (const host of ['169.254.169.254', '[fd00:ec2::254]', 'metadata.google.internal', '[::ffff:a9fe:a9fe]'])
    assert.match(String((await tested(floe, kinds(`http://${host}`)[0] ?? {}))['error']), /metadata/, host);
  assert.deepEqual(reached, []);
  const withUser = { name: 'x', kind: 'webhook', url: `http://public.example@127.0.0.1:${port}/` };
  const refused = await callHttp(`${floe.url}/api/monitoring/channels/test`, { headers, body: withUser });
  assert.equal(refused.status, 400, refused.text);
  assert.match(refused.text, /"param":"url"/);
  await floe.stop();
});

test('private addresses are rejected as soon as there are two organizations, and after each restart', async (t) => {
  const upstream = await startFakeUpstream({ respond: () => createJsonReply({ data: [] }) });
  t.after(() => upstream.close());
  const home = mkdtempSync(join(tmpdir(), 'floe-second-org-'));
  t.after(() => rmSync(home, { recursive: true }));
  const dataDir = join(home, 'data');
  const configFile = join(home, 'floe.yaml');
  let floe = await startFloeProcess({ dataDir });
  const restart = async (env: Record<string, string> = {}) => {
    await floe.stop();
    floe = await startFloeProcess({ dataDir, env });
  };
  t.after(() => floe.stop());
  const key = await floe.waitForKey();
  const provider = { kind: 'openai-compatible', base_url: `${upstream.url}/v1`, api_key: 'k', models: ['m'] };
  const call = (path: string, body: object, apiKey = key) =>
    callHttp(floe.url + path, { headers: { authorization: `Bearer ${apiKey}` }, body });
  const hook = { name: 'x', kind: 'webhook', url: `${upstream.url}/hook` };
  const chat = () => call(CHAT_COMPLETIONS_PATH, buildChatBody({ model: 'inside/m' }));
  const reachedBy = async (send: () => Promise<unknown>) => {
    const before = upstream.requests.length;
    await send();
    return upstream.requests.length > before;
  };
  const callsOf = (apiKey: string) => [
    () => call('/api/monitoring/channels/test', hook, apiKey),
    () => call('/api/management/providers/test', { ...provider, id: 'draft' }, apiKey),
  ];
  const created = await call('/api/management/providers', { ...provider, id: 'inside' });
  assert.equal(created.status, 201, created.text);
  for (const send of [chat, ...callsOf(key)]) assert.equal(await reachedBy(send), true);

  // The file of the first organization does not add one.
  writeFileSync(configFile, 'orgs: [{ id: default, providers: [{ id: sandbox, kind: sandbox }] }]');
  await restart({ FLOE_CONFIG: configFile });
  for (const send of [chat, ...callsOf(key)]) assert.equal(await reachedBy(send), true);

  const keys = [{ name: 'full', key: GATEWAY_KEYS.full, scopes: ['management', 'monitoring'] }];
  writeFileSync(configFile, JSON.stringify({ orgs: [{ id: 'acme', keys }] }));
  const isAcmeKnown = async () =>
    (await callHttp(`${floe.url}/api/me`, { headers: { 'x-api-key': GATEWAY_KEYS.full } })).status === 200;
  while (!(await isAcmeKnown())) await setTimeout(20);
  const assertNoneReached = async (when: string) => {
    for (const send of [chat, ...callsOf(key), ...callsOf(GATEWAY_KEYS.full)])
      assert.equal(await reachedBy(send), false, `${when}: ${send}`);
  };
  await assertNoneReached('after the second organization was added');
  await restart({ FLOE_CONFIG: configFile });
  await assertNoneReached('after a restart');
  await restart();
  await assertNoneReached('after a restart without the file');
});

test('no call follows a redirect', async () => {
  const target = await trap();
  const leading = await trap(`http://127.0.0.1:${target.port}/stolen`);
  const base = `http://127.0.0.1:${leading.port}`;
  const keys = [{ name: 'full', key: GATEWAY_KEYS.full, scopes: ['gateway', 'management', 'monitoring'] }];
  const provider = {
    id: 'led',
    kind: 'openai-compatible',
    base_url: `${base}/v1`,
    api_key: 'k',
    models: ['m'],
  };
  const floe = await startFloeProcess({
    yaml: JSON.stringify({ orgs: [{ id: 'acme', keys, providers: [provider] }] }),
  });
  const answer = await callHttp(floe.url + CHAT_COMPLETIONS_PATH, {
    headers,
    body: buildChatBody({ model: 'led/m' }),
  });
  assert.equal(answer.status, 502, answer.text);
  assert.equal(answer.headers['location'], undefined);
  const { ok, error } = await tested(floe, { name: 'x', kind: 'webhook', url: `${base}/hook` });
  assert.equal(ok, false);
  assert.match(String(error), /redirect/);
  assert.ok(leading.reached.includes('POST /hook'));
  assert.deepEqual(target.reached, []);
  await floe.stop();
});

/** Loaded into every thread of the server: writes down each outgoing connection and each name that is resolved. */
const OBSERVER = `
import { createHook } from 'node:async_hooks';
import { writeSync } from 'node:fs';
const watched = new Set(['TCPCONNECTWRAP', 'PIPECONNECTWRAP', 'GETADDRINFOREQWRAP', 'GETNAMEINFOREQWRAP', 'QUERYWRAP', 'UDPSENDWRAP']);
createHook({ init(_, type) { if (watched.has(type)) writeSync(1, 'observed ' + type + '\\n'); } }).enable();
`;

test('only configured destinations are called: a first start needs no network', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'floe-ways-out-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'observer.mjs'), OBSERVER);
  const floe = await startFloeProcess({ env: { NODE_OPTIONS: `--import ${join(folder, 'observer.mjs')}` } });
  const key = await floe.waitForKey();
  const withKey = { authorization: `Bearer ${key}` };
  const chat = await callHttp(floe.url + CHAT_COMPLETIONS_PATH, {
    headers: withKey,
    body: buildChatBody({ model: 'sandbox/echo' }),
  });
  assert.equal(chat.status, 200);
  for (const path of ['/', '/readyz', '/metrics', '/api/openapi.json', '/api/me', '/gateway/v1/models'])
    assert.equal((await callHttp(floe.url + path, { headers: withKey })).status, 200, path);
  assert.doesNotMatch(floe.output(), /observed/);
  // The observer does see what is configured.
  const { port } = await trap();
  const body = { name: 'x', kind: 'webhook', url: `http://127.0.0.1:${port}/` };
  const told = await callHttp(`${floe.url}/api/monitoring/channels/test`, { headers: withKey, body });
  assert.match(told.text, /"ok":true/);
  await floe.waitForOutput(/observed TCPCONNECTWRAP/);
  await floe.stop();
});
