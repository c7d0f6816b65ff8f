import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FaultCode } from '@floe/contract/faults';
import { eventually } from '@floe/testkit/eventually';
import { createPaddingHeaders, encodeRawRequest, RawClient, sendPipelined } from '@floe/testkit/raw-client';
import { assertErrorAnswer } from './assert-error-answer.ts';
import {
  assertHealthy,
  buildChatBody,
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

const KEY = `authorization: Bearer ${GATEWAY_KEYS.full}`;
const BODY = JSON.stringify(buildChatBody({ model: 'sandbox/echo' }));
const LENGTH = `content-length: ${BODY.length}`;

/** The bytes of a Chat request with these header lines. */
function chat(lines: readonly string[], body = BODY): string {
  return `POST ${CHAT_COMPLETIONS_PATH} HTTP/1.1\r\nhost: x\r\n${[KEY, ...lines].join('\r\n')}\r\n\r\n${body}`;
}

const NO_HTTP: readonly (readonly [what: string, bytes: string, code: FaultCode])[] = [
  [
    'length and chunks',
    chat(['content-length: 4', 'transfer-encoding: chunked'], '0\r\n\r\n'),
    'invalid_request',
  ],
  [
    'chunks and length',
    chat(['transfer-encoding: chunked', 'content-length: 4'], '0\r\n\r\n'),
    'invalid_request',
  ],
  ['two lengths', chat(['content-length: 4', 'content-length: 5'], 'abcde'), 'invalid_request'],
  ['one length twice', chat([LENGTH, LENGTH]), 'invalid_request'],
  ['a list of lengths', chat(['content-length: 4, 4'], 'abcd'), 'invalid_request'],
  ['a negative length', chat(['content-length: -1']), 'invalid_request'],
  ['a signed length', chat(['content-length: +4'], 'abcd'), 'invalid_request'],
  ['a length in hex', chat(['content-length: 0x4'], 'abcd'), 'invalid_request'],
  ['a length beyond 64 bits', chat([`content-length: ${'9'.repeat(30)}`]), 'invalid_request'],
  ['a space before the colon', chat([`content-length : ${BODY.length}`]), 'invalid_request'],
  [
    'an unknown transfer coding',
    chat(['transfer-encoding: xchunked'], '0\r\n\r\n'),
    'unsupported_media_type',
  ],
  [
    'chunked before another coding',
    chat(['transfer-encoding: chunked, gzip'], '0\r\n\r\n'),
    'invalid_request',
  ],
  ['identity as transfer coding', chat(['transfer-encoding: identity']), 'unsupported_media_type'],
  [
    'chunked twice',
    chat(['transfer-encoding: chunked', 'transfer-encoding: chunked'], '0\r\n\r\n'),
    'invalid_request',
  ],
  ['gzip before chunked', chat(['transfer-encoding: gzip, chunked'], '0\r\n\r\n'), 'unsupported_media_type'],
  [
    'a chunk size of no number',
    chat(['transfer-encoding: chunked'], 'zz\r\nabc\r\n0\r\n\r\n'),
    'invalid_request',
  ],
  [
    'a negative chunk size',
    chat(['transfer-encoding: chunked'], '-1\r\nabc\r\n0\r\n\r\n'),
    'invalid_request',
  ],
  [
    'a chunk size beyond 64 bits',
    chat(['transfer-encoding: chunked'], `${'f'.repeat(17)}\r\na`),
    'invalid_request',
  ],
  [
    'a chunk longer than it says',
    chat(['transfer-encoding: chunked'], '3\r\nabcd\r\n0\r\n\r\n'),
    'invalid_request',
  ],
  ['chunks with bare line feeds', chat(['transfer-encoding: chunked'], '3\nabc\n0\n\n'), 'invalid_request'],
  [
    '70 KB of chunk extension',
    chat(['transfer-encoding: chunked'], `3;${'a'.repeat(70_000)}\r\n`),
    'invalid_request',
  ],
  ['a folded header', chat(['x-a: b', ' c', LENGTH]), 'invalid_request'],
  ['a NUL in a header', chat(['x-a: b\0c', LENGTH]), 'invalid_request'],
  ['a bare CR in a header', chat(['x-a: b\rc', LENGTH]), 'invalid_request'],
  ['a space in a header name', chat(['x a: b', LENGTH]), 'invalid_request'],
  ['a header without a colon', chat(['nonsense', LENGTH]), 'invalid_request'],
  ['bare line feeds', 'GET /healthz HTTP/1.1\nhost: x\n\n', 'invalid_request'],
  ['a space in the path', 'GET /health z HTTP/1.1\r\nhost: x\r\n\r\n', 'invalid_request'],
  ['a byte above ASCII in the path', 'GET /h\xe9 HTTP/1.1\r\nhost: x\r\n\r\n', 'invalid_request'],
  ['no method', ' /healthz HTTP/1.1\r\nhost: x\r\n\r\n', 'invalid_request'],
  ['an unknown method', 'FROB /healthz HTTP/1.1\r\nhost: x\r\n\r\n', 'invalid_request'],
  ['a method in lower case', 'get /healthz HTTP/1.1\r\nhost: x\r\n\r\n', 'invalid_request'],
  ['HTTP/3', 'GET /healthz HTTP/3.0\r\nhost: x\r\n\r\n', 'invalid_request'],
  ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'invalid_request'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc', 'invalid_request'],
  ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 'invalid_request'],
  ['two hosts', 'GET /healthz HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n', 'invalid_request'],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n', 'method_not_allowed'],
  [
    '200 KB of headers',
    chat([...Array(200)].map((_, n) => `x-${n}: ${'p'.repeat(1000)}`)),
    'headers_too_large',
  ],
  ['20,000 small headers', chat(Array(20_000).fill('a:b')), 'headers_too_large'],
  ['a path of 100 KB', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 'headers_too_large'],
];

test('an ambiguous or invalid HTTP/1.1 request is rejected in JSON, and the connection ends', async () => {
  for (const [what, bytes, code] of NO_HTTP) {
    const client = await RawClient.connect(gateway.floe.url);
    await client.send(Buffer.from(bytes, 'latin1'));
    const answer = await client.readAnswer();
    assertErrorAnswer({ ...answer, text: answer.body.toString() }, { code }, what);
    if (code !== 'unsupported_media_type') {
      assert.equal(answer.headers['connection'], 'close', what);
      await client.waitForEnd();
    }
    client.hangUp();
  }
  await assertHealthy(gateway, 'bad HTTP');
});

/** Everything the connection carries once nonsense follows the first bytes of a streamed answer. */
async function withNonsenseBehind(request: string): Promise<string> {
  const client = await RawClient.connect(gateway.floe.url);
  await client.send(request);
  const seen = [await client.readBytes(65_536)];
  await client.send('FROB / HTTP/1.1\r\n\r\n');
  for (let bytes = seen[0]; bytes && bytes.length > 0; seen.push(bytes))
    bytes = await client.readBytes(65_536);
  client.hangUp();
  return Buffer.concat(seen).toString();
}

const SLOW = JSON.stringify(buildChatBody({ model: 'sandbox/slow', stream: true }));

test('invalid data after a request is rejected after its response, and never inside it', async () => {
  const text = await withNonsenseBehind(chat([`content-length: ${SLOW.length}`], SLOW));
  const [, answer, refusal, more] = text.split(/^HTTP\/1\.1 /m);
  assert.match(answer ?? '', /^200 OK[\s\S]*data: \[DONE\]\n\n\r\n0\r\n\r\n$/);
  assert.match(refusal ?? '', /^400 Bad Request[\s\S]*"code":"invalid_request"/);
  assert.equal(more, undefined, text);
  await assertHealthy(gateway, 'nonsense behind a request');
});

test('invalid data after a request is rejected after its complete response, for both forms of a body', async () => {
  const chunked = `${SLOW.length.toString(16)}\r\n${SLOW}\r\n0\r\n\r\n`;
  for (const request of [
    chat([`content-length: ${SLOW.length}`], SLOW),
    chat(['transfer-encoding: chunked'], chunked),
  ]) {
    const text = await withNonsenseBehind(request);
    const [, answer, refusal, more] = text.split(/^HTTP\/1\.1 /m);
    assert.match(answer ?? '', /^200 OK[\s\S]*data: \[DONE\]\n\n\r\n0\r\n\r\n$/);
    assert.match(refusal ?? '', /^400 Bad Request[\s\S]*"code":"invalid_request"/);
    assert.equal(more, undefined, text);
  }
  await assertHealthy(gateway, 'nonsense behind a request');
});

const DOTTED = [
  '/gateway/v1/../../healthz',
  '/./healthz',
  '/healthz/..',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/\\healthz',
];

test('dot segments in a path are not resolved', async () => {
  for (const path of DOTTED) {
    const client = await RawClient.connect(gateway.floe.url);
    await client.send(encodeRawRequest({ path }));
    const answer = await client.readAnswer();
    assertErrorAnswer({ ...answer, text: answer.body.toString() }, { code: 'not_found' }, path);
    client.hangUp();
  }
});

test('data after a rejected request on its connection is not parsed as another request', async () => {
  const body = JSON.stringify(buildChatBody({ model: 'sandbox/smuggled' }));
  const smuggled = chat([`content-length: ${body.length}`], body);
  const client = await RawClient.connect(gateway.floe.url);
  await client.send(chat(['content-length: 4', 'transfer-encoding: chunked'], `0\r\n\r\n${smuggled}`));
  assert.equal((await client.readAnswer()).status, 400);
  await assert.rejects(client.readAnswer(), /ended before an answer/);
  client.hangUp();
  await assertHealthy(gateway, 'a smuggled request');
  // Rows come in their order: one of the same request sent openly is the only one.
  const open = await RawClient.connect(gateway.floe.url);
  await open.send(smuggled);
  assert.equal((await open.readAnswer()).status, 404);
  open.hangUp();
  const rows = await eventually(async () => {
    const found = await gateway.rows('model=sandbox/smuggled');
    return found.length > 0 ? found : undefined;
  });
  assert.equal(rows.length, 1);
});

test('a client that sends endless headers can read the 431', async () => {
  const client = await RawClient.connect(gateway.floe.url);
  await client.send('GET /healthz HTTP/1.1\r\nhost: x\r\n');
  for (const [name, value] of createPaddingHeaders(10 << 20, 60_000))
    await client.send(`${name}: ${value}\r\n`);
  const answer = await client.readAnswer();
  assertErrorAnswer({ ...answer, text: answer.body.toString() }, { code: 'headers_too_large' }, 'a flood');
  client.hangUp();
});

test('a reset after CONNECT or during invalid data affects no other client', async () => {
  for (const bytes of ['CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n', 'FROB', 'FROB / HTTP/1.1\r\n\r\n'])
    for (let round = 0; round < 5; round++) {
      const client = await RawClient.connect(gateway.floe.url);
      await client.send(bytes);
      client.reset();
    }
  await assertHealthy(gateway, 'resets');
  await eventually(async () => ((await gateway.openSockets()) === 0 ? true : undefined));
});

const GOOD_HTTP: readonly (readonly [what: string, bytes: string])[] = [
  ['HTTP/1.0', `POST ${CHAT_COMPLETIONS_PATH} HTTP/1.0\r\n${KEY}\r\n${LENGTH}\r\n\r\n${BODY}`],
  ['an absolute target', `GET http://example.com/gateway/v1/models HTTP/1.1\r\nhost: x\r\n${KEY}\r\n\r\n`],
  ['an absolute target of the API', `GET http://example.com/api/me HTTP/1.1\r\nhost: x\r\n${KEY}\r\n\r\n`],
  [
    'a query',
    `POST ${CHAT_COMPLETIONS_PATH}?a=b%zz&c HTTP/1.1\r\nhost: x\r\n${KEY}\r\n${LENGTH}\r\n\r\n${BODY}`,
  ],
  ['a slash at the end', `GET /gateway/v1/models/ HTTP/1.1\r\nhost: x\r\n${KEY}\r\n\r\n`],
  [
    'an upgrade to HTTP/2',
    chat(['connection: upgrade, http2-settings', 'upgrade: h2c', 'http2-settings: AAMAAABk', LENGTH]),
  ],
  [
    'an upgrade on the API',
    `GET /api/me HTTP/1.1\r\nhost: x\r\n${KEY}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
  ],
  ['Expect: 100-continue', chat(['expect: 100-continue', LENGTH])],
  ['another expectation', chat(['expect: wonders', LENGTH])],
  [
    'chunks with extensions and trailers',
    chat(
      ['transfer-encoding: chunked'],
      `${BODY.length.toString(16)};a=b\r\n${BODY}\r\n0\r\nx-trailer: y\r\n\r\n`,
    ),
  ],
  [
    'chunks of one byte',
    chat(['transfer-encoding: chunked'], `${[...BODY].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`),
  ],
  ['a header given twice', chat(['x-a: b', 'x-a: c', 'accept: a', 'accept: b', LENGTH])],
  ['empty lines before the request', `\r\n\r\n${chat([LENGTH])}`],
  [
    'names in capitals',
    chat([LENGTH]).replace('authorization', 'AUTHORIZATION').replace('content-length', 'CONTENT-LENGTH'),
  ],
];

test('unusual but valid HTTP has a normal response', async () => {
  for (const [what, bytes] of GOOD_HTTP) {
    const client = await RawClient.connect(gateway.floe.url);
    await client.send(bytes);
    const answer = await client.readAnswer();
    assert.equal(answer.status, 200, `${what}: ${answer.body}`);
    assert.equal(answer.isComplete, true, what);
    client.hangUp();
  }
});

test('HTTP/0.9 is answered or closed, and does not hang', async () => {
  const client = await RawClient.connect(gateway.floe.url);
  await client.send('GET /healthz\r\n\r\n');
  await client.waitForEnd();
  client.hangUp();
});

test('pipelined requests are answered in order, including rejected ones', async () => {
  const headers: [string, string][] = [['authorization', `Bearer ${GATEWAY_KEYS.full}`]];
  const ask = (content: string, model = 'sandbox/echo') => ({
    path: CHAT_COMPLETIONS_PATH,
    headers,
    body: JSON.stringify(buildChatBody({ model, messages: [{ role: 'user', content }] })),
  });
  const answers = await sendPipelined(gateway.floe.url, [
    ask('one'),
    { path: '/healthz' },
    ask('two', 'nobody/x'),
    { path: '/gateway/v1/models', headers },
    { path: CHAT_COMPLETIONS_PATH, headers, body: '{' },
    { path: '/api/me', headers },
    ask('three'),
  ]);
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [200, 200, 404, 200, 400, 200, 200],
  );
  assert.match(answers[0]?.body.toString() ?? '', /"content":"one"/);
  assert.match(answers[6]?.body.toString() ?? '', /"content":"three"/);
  const ids = answers.map((answer) => answer.headers['x-request-id']);
  assert.equal(new Set(ids).size, answers.length);
});

test('two hundred pipelined requests on one connection are all answered', async () => {
  const requests = Array.from({ length: 200 }, (_, n) => ({
    path: CHAT_COMPLETIONS_PATH,
    headers: [['authorization', `Bearer ${GATEWAY_KEYS.full}`]] as [string, string][],
    body: JSON.stringify(
      buildChatBody({ model: 'sandbox/echo', messages: [{ role: 'user', content: `n${n}.` }] }),
    ),
  }));
  const answers = await sendPipelined(gateway.floe.url, requests);
  for (const [n, answer] of answers.entries()) assert.match(answer.body.toString(), new RegExp(`"n${n}\\."`));
});

test('a request in chunks of one byte has the same response', async () => {
  const client = await RawClient.connect(gateway.floe.url);
  const bytes = encodeRawRequest({
    path: CHAT_COMPLETIONS_PATH,
    headers: [['x-api-key', GATEWAY_KEYS.full]],
    body: BODY,
  });
  for (const byte of bytes) await client.send(Buffer.of(byte));
  assert.equal((await client.readAnswer()).status, 200);
  client.hangUp();
});
