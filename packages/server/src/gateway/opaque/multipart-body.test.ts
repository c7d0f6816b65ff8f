// Multipart bodies that arrive slowly, and the models in them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { nextEventLoopTurn } from '@floe/testkit/fake-clock';
import { callHttp } from '@floe/testkit/http-client';
import { RawClient } from '@floe/testkit/raw-client';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { ExchangeCapacity, type OverloadLimits } from '../overload/overload-manager.ts';
import type { SharedGatewayDependencies } from '../shared-gateway-dependencies.ts';
import { chatReply } from '../test/chat-replies.ts';
import { type FakeClockGateway, startFakeClockGateway } from '../test/fake-clock-gateway.ts';

const LIMITS: OverloadLimits = {
  maxConcurrentExchanges: 1,
  maxBodyBytes: 1 << 20,
  maxBodyDiskBytes: 1 << 30,
  maxEventLoopDelayMs: 0,
};
const AUTHORIZATION = 'Bearer eis_0';
const FORM_TYPE = 'multipart/form-data; boundary=b0';
const PATHS = ['audio/transcriptions', 'images/edits'];
const PROMPT = { model: 'a/m', messages: [{ role: 'user', content: 'hi' }] };

async function start(
  t: TestContext,
  limits: Partial<OverloadLimits> = {},
  dependencies: Partial<SharedGatewayDependencies> = {},
): Promise<FakeClockGateway> {
  const gateway = await startFakeClockGateway({
    upstreams: {
      a: (isStream, { path }) =>
        path.includes('chat')
          ? chatReply('hello', isStream)
          : createJsonReply({ id: 'file-1', text: 'hello' }),
    },
    routes: [],
    providers: { a: { kind: 'openai' } },
    overload: { ...LIMITS, ...limits },
    dependencies,
  });
  t.after(() => gateway.close());
  return gateway;
}

/** A form whose audio is at a URL, and that has a small file too. */
const REMOTE_FORM = `--b0\r\ncontent-disposition: form-data; name="url"\r\n\r\nhttps://audio.test/a\r\n`;

const formOf = (model: string | Buffer) =>
  Buffer.concat([
    Buffer.from('--b0\r\ncontent-disposition: form-data; name="model"\r\n\r\n'),
    Buffer.from(model),
    Buffer.from(
      '\r\n--b0\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\nx\r\n--b0--\r\n',
    ),
  ]);

/** Sends the head of a form. Floe then waits for the form. */
async function startForm({ url, clock }: FakeClockGateway, path: string) {
  const form = formOf('a/m');
  const head = `POST /v1/${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${AUTHORIZATION}\r\nx-floe-provider: a\r\ncontent-type: ${FORM_TYPE}\r\ncontent-length: ${form.length}\r\n\r\n`;
  const client = await RawClient.connect(url);
  await client.send(head);
  // The deadline of the body starts when Floe starts to read it.
  await eventually(() => clock.pending().includes(30_000) || undefined);
  return { client, form };
}

const isIdle = ({ overload }: FakeClockGateway) =>
  eventually(() => (overload.load.inFlight === 0 && overload.load.bodyBytes === 0) || undefined);

test('a form that arrives slowly leaves its place to other requests, and is served when it is complete', async (t) => {
  for (const path of PATHS) {
    const gateway = await start(t);
    const { client, form } = await startForm(gateway, path);
    await client.send(form.subarray(0, 100));
    assert.equal(gateway.overload.load.inFlight, 0, path);
    assert.equal((await gateway.settled(gateway.send('chat', PROMPT))).status, 200, path);
    await client.send(form.subarray(100));
    assert.equal((await gateway.settled(client.readAnswer())).status, 200, path);
    client.hangUp();
    await isIdle(gateway);
  }
});

test('a form that stops arriving is rejected with 408 after 30 seconds, and does not return a place that it does not have', async (t) => {
  for (const path of PATHS) {
    const gateway = await start(t);
    const { client } = await startForm(gateway, path);
    gateway.clock.advance(29_999);
    await nextEventLoopTurn();
    assert.equal(gateway.rows.length, 0, path);
    gateway.clock.advance(1);
    const answer = await client.readAnswer();
    client.hangUp();
    assert.equal(answer.status, 408, path);
    assert.match(answer.body.toString(), /"request_timeout"/);
    assert.equal(gateway.upstream('a').requests.length, 0);
    await isIdle(gateway);
    const other = gateway.overload.admit('acme', {});
    assert.ok(other instanceof ExchangeCapacity);
    assert.equal(gateway.overload.load.inFlight, 1);
    other.release();
  }
});

test('a form that is complete while too many requests are in progress is rejected with 503 and not sent', async (t) => {
  for (const path of PATHS) {
    const gateway = await start(t);
    const { client, form } = await startForm(gateway, path);
    const other = gateway.overload.admit('acme', {});
    assert.ok(other instanceof ExchangeCapacity);
    await client.send(form);
    const answer = await client.readAnswer();
    client.hangUp();
    assert.equal(answer.status, 503, path);
    assert.match(answer.body.toString(), /too many requests are in progress/);
    assert.equal(gateway.upstream('a').requests.length, 0);
    assert.equal(gateway.overload.load.inFlight, 1);
    other.release();
    await isIdle(gateway);
  }
});

test('the form that has been arriving the longest is rejected with 503 if the bodies of too many requests are arriving', async (t) => {
  const gateway = await start(t);
  const { client } = await startForm(gateway, 'audio/transcriptions');
  const others = Array.from({ length: 4_096 }, () => {
    const other = gateway.overload.admit('acme', {});
    assert.ok(other instanceof ExchangeCapacity);
    other.beginBody(() => assert.fail('a newer body was rejected'));
    return other;
  });
  const answer = await client.readAnswer();
  client.hangUp();
  assert.equal(answer.status, 503);
  assert.match(answer.body.toString(), /too many request bodies are arriving/);
  for (const other of others) other.release();
  await isIdle(gateway);
});

test('an upload that Floe forwards while it arrives counts as in progress, and is rejected with 408 if it stops', async (t) => {
  const gateway = await start(t);
  const { client } = await startForm(gateway, 'files');
  assert.equal(gateway.overload.load.inFlight, 1);
  gateway.clock.advance(30_000);
  const answer = await client.readAnswer();
  client.hangUp();
  assert.equal(answer.status, 408);
  await isIdle(gateway);
});

test('a model id in a form that is too long or not valid is rejected as in JSON, and not recorded', async (t) => {
  const gateway = await start(t);
  const models = ['', 'a/m\u0000', 'a/m\nx', `a/${'m'.repeat(511)}`, `a/${'é'.repeat(256)}`];
  const messages = [{ role: 'user', content: 'hi' }];
  for (const model of models) {
    const { status } = await gateway.settled(gateway.send('chat', { model, messages }));
    assert.ok([400, 404].includes(status), model);
    for (const path of PATHS) {
      const headers = { authorization: AUTHORIZATION, 'content-type': FORM_TYPE };
      const body = formOf(model);
      const answer = await gateway.settled(callHttp(`${gateway.url}/v1/${path}`, { body, headers }));
      assert.deepEqual([answer.status, /model/.test(answer.text)], [status, true], `${path} ${model}`);
    }
  }
  assert.equal(gateway.upstream('a').requests.length, 0);
  assert.deepEqual([...new Set(gateway.rows.map((row) => row.model_requested))], [null]);
});

test('forms in temporary files use no more disk space than permitted', async (t) => {
  const spoolDir = mkdtempSync(join(tmpdir(), 'floe-forms-'));
  t.after(() => rmSync(spoolDir, { recursive: true }));
  const gateway = await start(t, { maxBodyBytes: 8 << 20, maxBodyDiskBytes: 3 << 20 }, { spoolDir });
  const send = (megabytes: number) =>
    gateway.settled(
      callHttp(`${gateway.url}/v1/audio/transcriptions`, {
        headers: { authorization: AUTHORIZATION, 'content-type': FORM_TYPE },
        body: Buffer.concat([
          Buffer.from('--b0\r\ncontent-disposition: form-data; name="file"\r\n\r\n'),
          Buffer.alloc(megabytes << 20, 'x'),
          Buffer.from('\r\n'),
          formOf('a/m'),
        ]),
      }),
    );
  for (let n = 0; n < 2; n++) {
    const rejected = await send(4);
    assert.equal(rejected.status, 503, rejected.text);
    assert.match(rejected.text, /the request bodies in temporary files have reached the disk limit/);
    const { status, text } = await send(2);
    assert.equal(status, 200, text);
    await isIdle(gateway);
    assert.equal(gateway.overload.load.bodyDiskBytes, 0);
  }
});

test('a form with content outside its parts is rejected, because some parsers find a part there', async (t) => {
  const gateway = await start(t);
  const hidden = '--b0\ncontent-disposition: form-data; name="model"\n\nother\n';
  for (const body of [`${hidden}\r\n${formOf('a/m')}`, `${formOf('a/m')}${hidden}`]) {
    const headers = { authorization: AUTHORIZATION, 'content-type': FORM_TYPE };
    const sent = callHttp(`${gateway.url}/v1/audio/transcriptions`, { headers, body });
    const { status, text } = await gateway.settled(sent);
    assert.equal(status, 400, text);
  }
  assert.equal(gateway.upstream('a').requests.length, 0);
});

test('under a hard budget, a transcription of audio at a URL is rejected, because its length is unknown', async (t) => {
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => createJsonReply({ text: 'hello' }) },
    routes: [],
    providers: { a: { kind: 'openai', prices: { m: { input: 0.001, output: 0.001 } } } },
    org: { budgets: [{ name: 'hard', scope: 'org', period: 'total', mode: 'hard', limit_usd: 1 }] },
  });
  t.after(() => gateway.close());
  const send = async (body: string) => {
    const headers = { authorization: AUTHORIZATION, 'content-type': FORM_TYPE };
    const sent = callHttp(`${gateway.url}/v1/audio/transcriptions`, { headers, body });
    return (await gateway.settled(sent)).status;
  };
  assert.equal(await send(String(formOf('a/m'))), 200);
  assert.equal(await send(`${REMOTE_FORM}${formOf('a/m')}`), 403);
});
