// What goes wrong on the way: failing over before content, breaking off after it, slow and leaving ends, long uploads.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { findInjectedFault, INJECTED_FAULTS } from '@floe/testkit/fault-table';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { DISCONNECT_STAGES, RawClient, sendAndDisconnect } from '@floe/testkit/raw-client';
import { createJsonReply, createSseReply } from '@floe/testkit/upstream-reply';
import {
  PASSTHROUGH_A_PATH,
  PASSTHROUGH_B_PATH,
  PASSTHROUGH_KEYS,
  type PassthroughGateway,
  type PassthroughUpstream,
  startPassthroughGateway,
} from './passthrough-gateway.ts';

let harness: PassthroughGateway;
before(async () => {
  harness = await startPassthroughGateway();
});
after(() => harness.close());

const MESSAGE = { model: 'm-2', max_tokens: 5, stream: true, messages: [{ role: 'user', content: 'Hi' }] };
const event = (type: string, more: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const GOOD = [
  event('message_start', { message: { id: 'msg_1', usage: { input_tokens: 4, output_tokens: 1 } } }),
  event('ping'),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hello' } }),
  event('content_block_stop', { index: 0 }),
  event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 6 } }),
  event('message_stop'),
];
const OVERLOADED = [
  event('message_start', { message: { id: 'msg_2' } }),
  event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
];

const ask = (body: object = MESSAGE) => harness.call(`${PASSTHROUGH_B_PATH}/v1/messages`, { body });

async function healthy(after: string): Promise<void> {
  // A connection may have been closed meanwhile: then the other one answers.
  for (const fake of ['b-one', 'b-two'] as const) harness.setReply(fake, createSseReply(GOOD));
  await harness.upstream('b-one').setFaults();
  const answer = await ask();
  assert.equal(answer.status, 200, after);
  assert.equal(answer.text, GOOD.join(''), after);
}

test('if a provider fails before content, the next one responds, with its own model name', async () => {
  for (const failing of [
    createJsonReply({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 529),
    createJsonReply({ error: 'x' }, 503),
    createJsonReply({ error: 'x' }, 429),
    createJsonReply({ error: 'bad key' }, 401),
    createSseReply(OVERLOADED),
  ]) {
    harness.setReply('b-one', failing);
    harness.setReply('b-two', createSseReply(GOOD));
    const answer = await ask();
    assert.equal(answer.text, GOOD.join(''));
    assert.equal(answer.headers['x-floe-provider'], 'b-two');
    assert.equal(answer.headers['x-floe-attempts'], '2');
    // Floe reads the model list of the provider, too.
    const sent = harness.upstream('b-two').requests.findLast(({ method }) => method === 'POST');
    assert.deepEqual(JSON.parse(sent?.body.toString() ?? ''), {
      ...MESSAGE,
      model: 'mapped-2',
    });
  }
});

test("a provider's own failure is forwarded unchanged if no provider is left", async () => {
  const failure = {
    type: 'error',
    error: { type: 'overloaded_error', message: 'Overloaded' },
    request_id: 'req_9',
  };
  harness.setReply('b-one', createJsonReply({ error: 'first' }, 500));
  harness.setReply('b-two', {
    ...createJsonReply(failure, 529),
    headers: { 'content-type': 'application/json', 'retry-after': '7' },
  });
  const answer = await ask();
  assert.equal(answer.status, 529);
  assert.deepEqual(answer.json(), failure);
  assert.equal(answer.headers['retry-after'], '7');
  assert.equal(answer.headers['x-floe-error-source'], 'upstream');
  harness.setReply('b-one', createSseReply(OVERLOADED));
  harness.setReply('b-two', createSseReply(OVERLOADED));
  const stream = await ask();
  assert.equal(stream.text, OVERLOADED.join(''));
  const row = await harness.row(stream);
  assert.deepEqual([row['status'], row['state']], [200, 'failed']);
});

test("an error keeps its message, and a rejected credential is never reported as the caller's", async () => {
  const body = {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 9 > 8' },
  };
  harness.setReply('b-one', createJsonReply(body, 400));
  const refused = await ask();
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.json(), body);
  for (const fake of ['b-one', 'b-two'] as const)
    harness.setReply(fake, createJsonReply({ error: 'key' }, 403));
  const denied = await ask();
  assert.equal(denied.status, 502);
  assert.match(denied.text, /upstream_auth_failed/);
});

test('a broken response never looks finished, whatever broke it', async () => {
  for (const { name } of INJECTED_FAULTS) {
    // Those that only wait are judged with a clock of their own; a coding passes as it is.
    if (/accepts-|silent|silence|stall|slow|hang|gzip/.test(name)) continue;
    if (name.startsWith('huge') && !process.env['FLOE_TEST_FULL']) continue;
    harness.setReply('b-one', createSseReply(GOOD));
    harness.setReply('b-two', createJsonReply({ error: 'x' }, 500));
    await harness.upstream('b-one').setFaults(findInjectedFault(name));
    const answer = await ask();
    const whole = answer.status === 200 && answer.isComplete;
    if (whole) assert.match(answer.text, /message_stop|"type":"error"|"error"/, name);
    else if (answer.status === 200) assert.doesNotMatch(answer.text, /event: message_stop/, name);
    await healthy(name);
  }
});

test('a stream that breaks after content breaks for the client, and is counted as far as it was received', async () => {
  const cut = GOOD.slice(0, 4).join('');
  for (const framing of ['close', 'chunked'] as const) {
    harness.setReply('b-one', { ...createSseReply([cut]), framing });
    const answer = await ask();
    assert.equal(answer.status, 200);
    assert.equal(answer.isComplete, false, framing);
    assert.equal(answer.text, cut);
    const row = await harness.row(answer);
    assert.deepEqual([row['state'], row['error_code']], ['partial', 'upstream_stream_broken']);
  }
  await healthy('cut streams');
});

test('a redirect is neither followed nor forwarded', async () => {
  for (const fake of ['b-one', 'b-two'] as const)
    harness.setReply(fake, {
      status: 307,
      headers: { location: `${harness.upstream('a-one').url}/x` },
      body: '',
    });
  const before = harness.requestCount('a-one');
  const answer = await ask();
  assert.equal(answer.status, 502);
  assert.equal(answer.headers['location'], undefined);
  assert.equal(harness.requestCount('a-one'), before);
});

test('a client can disconnect at every stage', async () => {
  harness.setReply('b-one', { ...createSseReply(GOOD), framing: 'chunked' });
  for (const stage of DISCONNECT_STAGES)
    for (const reset of [false, true]) {
      const headers: [string, string][] = [
        ['x-api-key', PASSTHROUGH_KEYS.ours],
        ['content-type', 'application/json'],
      ];
      const body = JSON.stringify(MESSAGE);
      await sendAndDisconnect(
        harness.url,
        stage,
        { path: `${PASSTHROUGH_B_PATH}/v1/messages`, headers, body },
        reset,
      );
    }
  await healthy('clients that left');
});

test('a client that disconnects during an upload ends it at the provider', async () => {
  const client = await RawClient.connect(harness.url);
  const before = harness.requestCount('a-one');
  await client.send(uploadHead(1_000_000));
  await client.send(Buffer.alloc(100_000, 'x'));
  const requests = await harness.upstream('a-one').waitForRequests(before + 1);
  client.reset();
  await requests.at(-1)?.settled;
  await healthy('an upload that was left');
  const [row] = await eventually(async () => {
    const answer = await harness.call(
      '/api/analytics/requests?state=aborted&route_mode=passthrough-a&limit=1',
    );
    const { data } = JSON.parse(answer.text);
    return Array.isArray(data) && data.length > 0 ? data : undefined;
  });
  assert.equal(row.surface, 'files');
});

function uploadHead(length: number): string {
  const lines = [
    `POST ${PASSTHROUGH_A_PATH}/files HTTP/1.1`,
    'host: x',
    `authorization: Bearer ${PASSTHROUGH_KEYS.ours}`,
    'content-type: multipart/form-data; boundary=b0',
    `content-length: ${length}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

test('a body larger than 512 MB is rejected before any of it is read', async () => {
  const client = await RawClient.connect(harness.url);
  await client.send(uploadHead(512 * 1024 * 1024 + 1));
  const { status, body } = await client.readAnswer();
  client.hangUp();
  assert.equal(status, 413);
  assert.match(body.toString(), /request_too_large/);
});

test('uploads are streamed in both directions without being held in memory', async () => {
  const length = (process.env['FLOE_TEST_FULL'] ? 512 : 256) * 1024 * 1024;
  let received = 0;
  const sink = createServer((req, res) => {
    req.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    req.on('end', () => {
      res.setHeader('content-type', 'application/json');
      res.end('{"id":"file-1","object":"file"}');
    });
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  const address = sink.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const floe = await startFloeProcess({
    yaml: JSON.stringify({
      orgs: [
        {
          id: 'acme',
          keys: [{ name: 'ours', key: PASSTHROUGH_KEYS.ours, scopes: ['gateway'] }],
          providers: [{ id: 'a', kind: 'openai', base_url: `http://127.0.0.1:${port}/v1`, api_key: 'k' }],
        },
      ],
    }),
  });
  try {
    const client = await RawClient.connect(floe.url);
    const opening = '--b0\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n';
    const closing = '\r\n--b0--\r\n';
    const total = opening.length + length + closing.length;
    await client.send(uploadHead(total) + opening);
    const piece = Buffer.alloc(1024 * 1024, 'x');
    let peak = 0;
    const start = residentMb(floe.pid);
    for (let sent = 0; sent < length; sent += piece.length) {
      await client.send(piece);
      peak = Math.max(peak, residentMb(floe.pid));
    }
    await client.send(closing);
    const { status } = await client.readAnswer();
    client.hangUp();
    assert.equal(status, 200);
    assert.equal(received, total);
    // Garbage is collected later on a busy machine.
    assert.ok(peak - start < 160, `${peak - start} MB more than before while ${length >> 20} MB passed`);
  } finally {
    await floe.stop();
    sink.closeAllConnections();
    sink.close();
  }
});

function residentMb(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return (pages * 4096) / (1024 * 1024);
}

test('a slow reader receives everything, and its provider waits', async () => {
  const fake: PassthroughUpstream = 'a-one';
  const body = Buffer.alloc(24 * 1024 * 1024, 'y');
  harness.setReply(fake, createJsonReply({ id: '1' }));
  await harness.call(`${PASSTHROUGH_A_PATH}/blobs`, { body: {} });
  harness.setReply(fake, {
    headers: { 'content-type': 'application/octet-stream' },
    body,
    framing: 'content-length',
  });
  const client = await RawClient.connect(harness.url);
  await client.send(
    `GET ${PASSTHROUGH_A_PATH}/blobs/1 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${PASSTHROUGH_KEYS.ours}\r\n\r\n`,
  );
  const first = await client.readBytes(1);
  assert.equal(first.length, 1);
  // Nobody reads now; what the process holds is a few buffers, not the answer.
  const held = residentMb(harness.floe.pid);
  let taken = 0;
  for (
    let bytes = await client.readBytes(1 << 20);
    bytes.length > 0;
    bytes = await client.readBytes(1 << 20)
  ) {
    taken += bytes.length;
    if (taken >= body.length) break;
  }
  client.hangUp();
  assert.ok(taken >= body.length);
  assert.ok(residentMb(harness.floe.pid) - held < 64);
  await healthy('a slow reader');
});

test('a request that the provider rejects because of a signature or a beta feature is sent once', async () => {
  const thinking = { type: 'thinking', thinking: 'T', signature: 'S' };
  const body = { ...MESSAGE, messages: [{ role: 'assistant', content: [thinking] }, ...MESSAGE.messages] };
  for (const message of ['Invalid `signature` in `thinking` block', 'invalid beta flag']) {
    harness.setReply('b-one', createJsonReply({ type: 'error', error: { message } }, 400));
    const before = harness.requestCount('b-one');
    const answer = await harness.call(`${PASSTHROUGH_B_PATH}/v1/messages`, {
      body,
      headers: { 'anthropic-beta': 'one' },
    });
    assert.deepEqual([answer.status, harness.requestCount('b-one') - before], [400, 1], message);
  }
});
