import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { nextEventLoopTurn } from '@floe/testkit/fake-clock';
import { createSseReply } from '@floe/testkit/upstream-reply';
import { silentLog } from '../../core/log.ts';
import { startFakeClockGateway } from '../test/fake-clock-gateway.ts';
import { createFixedOwners, NO_STORES } from '../test/no-stores.ts';

/** Streams a stored response through a gateway that cannot record its owner. */
async function streamUnrecorded(t: TestContext, events: readonly object[]) {
  const logged: unknown[] = [];
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => createSseReply(events) },
    routes: [],
    org: { passthrough: { a: ['a'] } },
    dependencies: {
      log: { ...silentLog, error: (_: object, text: string) => void logged.push(text) },
      resourceOwners: {
        ...NO_STORES.resourceOwners,
        record: () => Promise.reject(new Error('the database is unavailable')),
      },
    },
  });
  t.after(() => gateway.close());
  const answer = await gateway
    .settled(gateway.sendNative('a/v1/responses', { model: 'm', input: 'hi', stream: true }))
    .catch((error: unknown) => error);
  await nextEventLoopTurn();
  return { answer, logged, row: gateway.rows.at(-1) };
}

const CREATED = { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } };
const DELTA = { type: 'response.output_text.delta', delta: 'hi' };
const COMPLETED = { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [] } };

test('if the owner of a streamed response cannot be recorded, the exchange fails', async (t) => {
  const { row, logged } = await streamUnrecorded(t, [CREATED, DELTA, COMPLETED]);
  assert.equal(row?.state, 'partial');
  assert.deepEqual(logged, ['unexpected error in a gateway request']);
});

test('if the stream fails too, both errors are recorded', async (t) => {
  const { row, logged } = await streamUnrecorded(t, [CREATED, DELTA]);
  assert.equal(row?.state, 'partial');
  assert.equal(row?.error_code, 'upstream_stream_broken');
  assert.deepEqual(logged, ['owner of a stored response could not be recorded']);
});

test('a stream of images or audio that ends without its last event is incomplete', async (t) => {
  const streams = [
    ['image_generation.partial_image', 'image_generation.completed', 'images/generations'],
    ['image_edit.partial_image', 'image_edit.completed', 'images/edits'],
    ['transcript.text.delta', 'transcript.text.done', 'audio/transcriptions'],
    ['speech.audio.delta', 'speech.audio.done', 'audio/speech'],
  ] as const;
  let events: object[] = [];
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => createSseReply(events) },
    routes: [],
    org: { passthrough: { a: ['a'] } },
  });
  t.after(() => gateway.close());
  const send = async (path: string, sent: object[]) => {
    events = sent;
    const answer = gateway.settled(gateway.sendNative(`a/v1/${path}`, { model: 'm', stream: true }));
    await answer.catch(() => undefined);
    return gateway.rows.at(-1)?.state;
  };
  for (const [type, last, path] of streams) {
    const part = { type, b64_json: 'AA==' };
    assert.equal(await send(path, [part, part]), 'partial', path);
    assert.equal(await send(path, [part, part, { type: last }]), 'complete', path);
  }
  assert.equal(await send('images/generations', [{ type: 'another', b64_json: 'AA==' }]), 'complete');
});

test('a stream that a budget ends early is complete for the client, whatever length the provider announced', async (t) => {
  const delta = { choices: [{ index: 0, delta: { content: 'word '.repeat(100) } }] };
  const reply = createSseReply(Array.from({ length: 20 }, () => delta));
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => ({ ...reply, framing: 'content-length' }) },
    providers: { a: { prices: { m: { input: 0, output: 1 } } } },
    routes: [],
    org: {
      passthrough: { a: ['a'] },
      budgets: [{ name: 'hard', scope: 'org', period: 'total', mode: 'hard', limit_usd: 0.0002 }],
    },
  });
  t.after(() => gateway.close());
  const body = { model: 'm', max_tokens: 10, stream: true, messages: [{ role: 'user', content: 'hi' }] };
  const answer = await gateway.settled(gateway.sendNative('a/v1/chat/completions', body));
  assert.match(answer.text, /budget_exceeded/);
  assert.equal(answer.headers['content-length'], undefined);
  assert.equal(answer.isComplete, true);
});

test('a forwarded error has each header once, with the limit of Floe and the request id of the provider', async (t) => {
  const headers = {
    'content-type': 'application/json',
    'request-id': 'req_provider',
    'x-ratelimit-limit-requests': '999',
    'x-other': 'kept',
  };
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => ({ status: 400, headers, body: '{"error":{"message":"no"}}' }) },
    routes: [],
    org: { passthrough: { a: ['a'] }, limits: [{ name: 'few', scope: 'org', rpm: 10 }] },
  });
  t.after(() => gateway.close());
  const { status, headers: received } = await gateway.settled(
    gateway.sendNative('a/v1/responses', { model: 'm', input: 'hi' }),
  );
  assert.equal(status, 400);
  assert.equal(received['x-ratelimit-limit-requests'], '10');
  assert.equal(received['request-id'], 'req_provider');
  assert.equal(received['x-other'], 'kept');
});

test('a batch reads only validated files, even if its key may use every model', async (t) => {
  let kind = 'files';
  const fixed = createFixedOwners('a', 'key_1');
  const find: typeof fixed.find = async (orgId, ids) =>
    new Map(
      [...(await fixed.find(orgId, ids))].map(([id, owners]) => [
        id,
        owners.map((one) => ({ ...one, kind })),
      ]),
    );
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => ({ headers: { 'content-type': 'application/json' }, body: '{"id":"batch_1"}' }) },
    routes: [],
    org: { passthrough: { a: ['a'] } },
    dependencies: { resourceOwners: { ...fixed, find } },
  });
  t.after(() => gateway.close());
  const create = () => gateway.settled(gateway.sendNative('a/v1/batches', { input_file_id: 'file-1' }));
  const refused = await create();
  assert.equal(refused.status, 400);
  assert.match(refused.text, /The lines of the file \\"file-1\\" were not checked/);
  kind = 'batch_input';
  assert.equal((await create()).status, 200);
});
