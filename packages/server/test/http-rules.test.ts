// Rules of HTTP on every surface: whose request it is, where one request ends and the next begins, and which methods
// a path has.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { IncomingMessage, request } from 'node:http';
import { after, before, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { callHttp } from '@floe/testkit/http-client';
import { RawClient } from '@floe/testkit/raw-client';
import { assertErrorAnswer } from './assert-error-answer.ts';
import {
  CHAT_COMPLETIONS_PATH,
  GATEWAY_KEYS,
  type RunningGateway,
  startRunningGateway,
} from './running-gateway.ts';

let gateway: RunningGateway;
before(async () => {
  gateway = await startRunningGateway();
});
after(() => gateway.stop());

const A = GATEWAY_KEYS.full;
const B = GATEWAY_KEYS.narrow;
/** One path of each way a request can be authenticated. */
const DOORS = [
  '/gateway/v1/models',
  '/gateway/passthrough-a/v1/models',
  '/gateway/ide-adapter/models',
  '/api/me',
];

const ONE_CALLER: readonly (readonly string[])[] = [
  [`authorization: Bearer ${A}`],
  [`authorization: bEARER  ${A}`],
  [`X-API-KEY: ${A}`],
  [`x-api-key:\t${A} `],
  [`authorization: Bearer ${A}`, `x-api-key: ${A}`],
  [`authorization: Bearer sk-${A}`, `api-key: ${A}`, `x-floe-key: ${A}`],
];

const NO_CALLER: readonly (readonly string[])[] = [
  [],
  [`authorization: Bearer ${A}`, `authorization: Bearer ${B}`],
  [`authorization: Bearer ${A}, Bearer ${B}`],
  [`authorization: Bearer ${A},${A}`],
  [`x-api-key: ${A}`, `x-api-key: ${B}`],
  [`x-api-key: ${A}, ${B}`],
  [`authorization: Bearer ${A}`, `x-api-key: ${B}`],
  [`x-api-key: ${B}`, `authorization: Bearer ${A}`],
  [`authorization: Bearer ${A}`, `x-floe-key: ${B}`],
  [`authorization: Basic ${Buffer.from(`${A}:`).toString('base64')}`],
  [`authorization: ${A}`],
  [`authorization: Bearer${A}`],
  [`cookie: authorization=Bearer ${A}`],
  [`x-api-key: ${A}\u00e9`],
  [`x-api-key: ${A.slice(0, -1)}`],
  [`x-api-key: ${A}0`],
];

async function ask(bytes: string) {
  const client = await RawClient.connect(gateway.floe.url);
  await client.send(Buffer.from(bytes, 'latin1'));
  const answer = await client.readAnswer();
  client.hangUp();
  return { ...answer, text: answer.body.toString() };
}

test('one key in several headers identifies the caller', async () => {
  for (const path of DOORS)
    for (const lines of ONE_CALLER) {
      const { status, text } = await ask(`GET ${path} HTTP/1.1\r\nhost: x\r\n${lines.join('\r\n')}\r\n\r\n`);
      assert.equal(status, 200, `${path} ${lines}: ${text}`);
    }
});

test('the API returns the name of the organization as in floe.yaml', async () => {
  const { text } = await ask(`GET /api/me HTTP/1.1\r\nhost: x\r\nx-api-key: ${A}\r\n\r\n`);
  assert.match(text, /"org":\{"id":"acme","name":"Acme"\}/);
});

test('two different keys, or an almost valid one, identify no one', async () => {
  for (const path of DOORS)
    for (const lines of NO_CALLER) {
      const head = ['host: x', ...lines].join('\r\n');
      const { status, text } = await ask(`GET ${path} HTTP/1.1\r\n${head}\r\n\r\n`);
      assert.equal(status, 401, `${path} ${lines}: ${text}`);
    }
});

const SMUGGLED = `GET /gateway/v1/key HTTP/1.1\r\nhost: x\r\nx-api-key: ${A}\r\n\r\n`;
/** Heads that two readers may understand in two ways; each is followed by a body that is a request. */
const SHAPES: readonly (readonly string[])[] = [
  [`content-length: ${SMUGGLED.length}`, 'transfer-encoding: chunked'],
  ['transfer-encoding: chunked', 'content-length: 0'],
  ['transfer-encoding : chunked', 'content-length: 0'],
  ['transfer-encoding:\x0bchunked', 'content-length: 0'],
  ['transfer-encoding: \x00chunked'],
  ['transfer-encoding:\r\n chunked'],
  ['transfer-encoding: chunked', 'transfer-encoding: identity'],
  ['transfer-encoding: "chunked"'],
  ['transfer-encoding: chunked;q=1'],
  ['Transfer-Encoding: xchunked'],
  ['transfer_encoding: chunked', 'content-length: 5', 'content-length: 0'],
  ['content-length: 0, 5'],
  ['content-length: 5', 'Content-Length: 0'],
  ['content-length: 0x5'],
  ['content-length: 5 5'],
  ['content-length:'],
  ['content-length: \u00b2'],
  ['content-length: 1e1'],
  ['content-length: 00000000000000000000000000000000'],
  ['\x00content-length: 5'],
  ['x: y\ncontent-length: 5'],
  ['x: y\rcontent-length: 5'],
  [' content-length: 5'],
  ['content-length 5'],
];

test('an ambiguous request head cannot smuggle in a second request', async () => {
  for (const lines of SHAPES)
    for (const path of [
      CHAT_COMPLETIONS_PATH,
      '/api/management/keys',
      '/api/monitoring/heartbeat',
      '/beat/none',
    ]) {
      const what = `${path} ${JSON.stringify(lines)}`;
      const client = await RawClient.connect(gateway.floe.url);
      const head = [`POST ${path} HTTP/1.1`, 'host: x', `x-api-key: ${A}`, 'content-type: application/json'];
      const bytes = `${[...head, ...lines].join('\r\n')}\r\n\r\n${SMUGGLED}`;
      await client.send(Buffer.from(bytes, 'latin1'));
      const first = await client.readAnswer();
      assert.ok(first.status >= 400 && first.status < 500, `${what}: ${first.status} ${first.body}`);
      const second = await client.readAnswer().catch(() => null);
      // What has no length has no body: the bytes behind it are a request of the same sender, seen by everybody.
      if (second !== null)
        assert.ok(lines.join().startsWith('content-length: 0000'), `${what}: ${second.status}`);
      client.hangUp();
    }
});

const READ = [
  '/',
  '/healthz',
  '/gateway/v1/models',
  '/gateway/v1/key',
  '/api/me',
  '/api/openapi.json',
  '/metrics',
];

test('HEAD responds like GET without the body, wherever GET is allowed', async () => {
  const headers = { authorization: `Bearer ${A}` };
  for (const path of [...READ, '/boards/assets/floe.svg', '/boards/none', '/nowhere', '/api/nowhere']) {
    const got = await callHttp(gateway.floe.url + path, { headers });
    const head = await callHttp(gateway.floe.url + path, { headers, method: 'HEAD' });
    assert.equal(head.status, got.status, path);
    assert.equal(head.text, '', path);
    assert.equal(head.headers['content-type'], got.headers['content-type'], path);
  }
});

test('a method that a path does not support is a 405 that lists the supported ones', async () => {
  const headers = { authorization: `Bearer ${A}`, origin: 'https://elsewhere.example' };
  const paths: readonly (readonly [string, RegExp])[] = [
    ...READ.map((path) => [path, /^GET, HEAD\b/] as const),
    [CHAT_COMPLETIONS_PATH, /^POST$/],
    ['/api/monitoring/heartbeat', /^POST$/],
    [`/beat/${'a'.repeat(30)}`, /^GET, HEAD, POST$/],
    ['/api/management/keys', /^(GET, HEAD, POST|POST, GET, HEAD)$/],
  ];
  for (const [path, allowed] of paths)
    for (const method of ['OPTIONS', 'TRACE', 'PUT', 'PROPFIND']) {
      const answer = await callHttp(gateway.floe.url + path, { headers, method });
      assertErrorAnswer(answer, { code: 'method_not_allowed' }, `${method} ${path}`);
      assert.match(answer.headers['allow'] ?? '', allowed, `${method} ${path}`);
      assert.equal(answer.headers['access-control-allow-origin'], undefined, path);
    }
});

const EXCHANGES = [
  'chat/completions',
  'responses',
  'responses/input_tokens',
  'messages',
  'messages/count_tokens',
  'embeddings',
];
const STORED = ['models/fake%2Fmodel', 'responses/resp_none', 'responses/resp_none/input_items'];

test('Allow lists exactly the methods of a path, for every path', async () => {
  const document = await callHttp(`${gateway.floe.url}/api/openapi.json`);
  const description = document.json();
  assert.ok(isJsonObject(description) && isJsonObject(description.paths));
  const { paths } = description;
  const described = Object.keys(paths).map((path) => path.replaceAll(/\{\w+\}/g, 'none'));
  const unified = [...EXCHANGES, ...STORED, 'responses/resp_none/cancel'].map(
    (path) => `/gateway/v1/${path}`,
  );
  for (const path of new Set([...READ, '/boards/none', ...described, ...unified])) {
    const refused = await callHttp(gateway.floe.url + path, { method: 'PROPFIND' });
    assert.equal(refused.status, 405, path);
    const allowed = new Set(refused.headers['allow']?.split(', '));
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status } = await callHttp(gateway.floe.url + path, { method });
      assert.equal(status !== 405, allowed.has(method), `${method} ${path}: ${status}, ${[...allowed]}`);
    }
  }
});

/** Sends the body once it is asked for, as RFC 9110 section 10.1.1 wants. */
async function expecting(path: string, key: string) {
  const headers = {
    authorization: `Bearer ${key}`,
    expect: '100-continue',
    'content-type': 'application/json',
  };
  const outgoing = request(gateway.floe.url + path, { method: 'POST', headers, agent: false });
  let isAsked = false;
  outgoing.on('continue', () => {
    isAsked = true;
    outgoing.end('{}');
  });
  outgoing.flushHeaders();
  const [answer] = await once(outgoing, 'response');
  outgoing.destroy();
  assert.ok(answer instanceof IncomingMessage);
  return { isAsked, status: answer.statusCode };
}

test('100 Continue is sent only if the sender may send the body', async () => {
  const keys: Readonly<Record<string, string>> = {
    [CHAT_COMPLETIONS_PATH]: A,
    '/gateway/passthrough-a/v1/chat/completions': A,
    '/api/management/teams': A,
    '/api/monitoring/heartbeat': GATEWAY_KEYS.monitoring,
  };
  for (const [path, key] of Object.entries(keys)) {
    const known = await expecting(path, key);
    assert.deepEqual([known.isAsked, known.status === 401], [true, false], path);
    assert.deepEqual(await expecting(path, `${key}x`), { isAsked: false, status: 401 }, path);
  }
});

test('other sites can read only the IDE adapter and public boards', async () => {
  const headers = {
    origin: 'https://elsewhere.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization, content-type, x-stainless-os',
  };
  const preflight = await callHttp(`${gateway.floe.url}/gateway/ide-adapter/chat/completions`, {
    method: 'OPTIONS',
    headers,
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers['access-control-allow-origin'], '*');
  assert.match(preflight.headers['access-control-allow-headers'] ?? '', /x-stainless-os/);
  assert.equal(preflight.headers['access-control-allow-credentials'], undefined);
  for (const path of [...READ, CHAT_COMPLETIONS_PATH]) {
    const answer = await callHttp(gateway.floe.url + path, {
      headers: { ...headers, authorization: `Bearer ${A}` },
    });
    const told = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
    assert.deepEqual(told, [], path);
  }
});
