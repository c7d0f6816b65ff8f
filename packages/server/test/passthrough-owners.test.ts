// Files, batches and stored answers belong to whoever made them, with the official clients as witnesses.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import { createJsonReply, createSseReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { toFile } from 'openai';
import {
  PASSTHROUGH_A_PATH,
  PASSTHROUGH_B_PATH,
  type PassthroughGateway,
  type PassthroughUpstream,
  startPassthroughGateway,
} from './passthrough-gateway.ts';

let harness: PassthroughGateway;
before(async () => {
  harness = await startPassthroughGateway();
});
after(() => harness.close());

/** What a fake keeps, of any collection, in the order it was made. */
interface Thing {
  readonly id: string;
  readonly [member: string]: unknown;
}

let made = 0;
const kept = new Map<string, Thing[]>();
beforeEach(() => {
  kept.clear();
  for (const fake of ['a-one', 'b-one'] as const) harness.setReply(fake, (request) => serve(fake, request));
});

function serve(fake: PassthroughUpstream, { method, path, headers }: ReceivedRequest): UpstreamReply {
  const url = new URL(path, 'http://fake');
  const [, collection = '', id, what] =
    /^\/v1\/(messages\/batches|\w+)(?:\/([^/]+))?(?:\/(.+))?$/.exec(url.pathname) ?? [];
  const things = kept.get(fake + collection) ?? [];
  kept.set(fake + collection, things);
  if (id === undefined && method === 'POST') {
    made += 1;
    const type = fake === 'a-one' ? { object: collection.slice(0, -1) } : { type: collection };
    const thing = { id: `${collection.replace(/\W/g, '')}_${made}`, ...type, agent: headers['user-agent'] };
    things.unshift(thing);
    return createJsonReply(thing);
  }
  if (id === undefined)
    return createJsonReply(page(things, url.searchParams, fake === 'a-one' ? 'after' : 'after_id'));
  const thing = things.find((one) => one.id === id);
  if (!thing) return createJsonReply({ error: { message: 'gone upstream' } }, 404);
  if (what === 'content' || what === 'results')
    return { headers: { 'content-type': 'application/octet-stream' }, body: RESULTS };
  if (what === 'finish') Object.assign(thing, { output_file_id: `out-of-${id}` });
  if (method === 'DELETE')
    kept.set(
      fake + collection,
      things.filter((one) => one !== thing),
    );
  return createJsonReply(method === 'DELETE' ? { id, deleted: true } : thing);
}

const RESULTS = [
  {
    custom_id: '1',
    response: { status_code: 200, body: { usage: { prompt_tokens: 10, completion_tokens: 4 } } },
  },
  {
    custom_id: '2',
    response: { status_code: 200, body: { usage: { prompt_tokens: 5, completion_tokens: 1 } } },
  },
  {
    custom_id: '3',
    result: { type: 'succeeded', message: { usage: { input_tokens: 2, output_tokens: 2 } } },
  },
]
  .map((line) => JSON.stringify(line))
  .join('\n');

function page(things: readonly Thing[], query: URLSearchParams, after: string) {
  const from = things.findIndex(({ id }) => id === query.get(after)) + 1;
  const data = things.slice(from, from + Number(query.get('limit') ?? 2));
  const has_more = from + data.length < things.length;
  return { object: 'list', data, has_more, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

test('a file is available to the key that created it, and to no other', async () => {
  const ours = await harness
    .openai()
    .files.create({ file: await toFile(Buffer.from('text'), 'a.txt'), purpose: 'assistants' });
  const sent = harness.lastRequest('a-one');
  assert.match(sent.headers['content-type'] ?? '', /^multipart\/form-data; boundary=/);
  assert.match(sent.body.toString(), /name="file"; filename="a.txt"[\s\S]*text/);
  assert.equal((await harness.openai().files.retrieve(ours.id)).id, ours.id);
  const before = harness.requestCount('a-one');
  for (const key of ['colleague', 'stranger'] as const)
    for (const [method, path] of [
      ['GET', `/files/${ours.id}`],
      ['GET', `/files/${ours.id}/content`],
      ['DELETE', `/files/${ours.id}`],
    ] as const) {
      const answer = await harness.call(PASSTHROUGH_A_PATH + path, { method, key });
      assert.equal(answer.status, 404, `${key} ${method} ${path}`);
      assert.match(answer.text, /"code":"not_found"/);
    }
  const borrowed = await harness.call(`${PASSTHROUGH_A_PATH}/responses`, {
    key: 'colleague',
    body: { model: 'm-1', input: [{ role: 'user', content: [{ type: 'input_file', file_id: ours.id }] }] },
  });
  assert.equal(borrowed.status, 404);
  assert.equal(harness.requestCount('a-one'), before, 'nothing of this reached the provider');
  assert.equal((await harness.openai().files.delete(ours.id)).deleted, true);
});

test("a list contains only the caller's own objects, and its pages are filled from further pages", async () => {
  const mine: string[] = [];
  for (let n = 0; n < 9; n += 1) {
    const key = n % 3 === 0 ? 'ours' : 'colleague';
    const batch = await harness.openai(key).batches.create({
      input_file_id: await fileOf(key),
      endpoint: '/v1/responses',
      completion_window: '24h',
    });
    if (key === 'ours') mine.unshift(batch.id);
  }
  const seen: string[] = [];
  for await (const batch of harness.openai().batches.list({ limit: 2 })) seen.push(batch.id);
  assert.deepEqual(seen, mine);
  const answer = await harness.call(`${PASSTHROUGH_A_PATH}/batches`, { key: 'stranger' });
  assert.deepEqual(answer.json(), {
    object: 'list',
    data: [],
    has_more: false,
    first_id: null,
    last_id: null,
  });
});

test('another spelling of a path has the same owner, list and rules', async () => {
  const ours = await fileOf('ours');
  const batch = await harness.anthropic().messages.batches.create({ requests: [] });
  const before = [harness.requestCount('a-one'), harness.requestCount('b-one')];
  for (const [method, path] of [
    ['GET', `${PASSTHROUGH_A_PATH}/%66iles/${ours}`],
    ['GET', `${PASSTHROUGH_A_PATH}/Files/${ours}/content`],
    ['DELETE', `${PASSTHROUGH_A_PATH}/%66%69les/%66${ours.slice(1)}`],
    ['POST', `${PASSTHROUGH_B_PATH}/v1/messages/%62atches/${batch.id}/cancel`],
    ['GET', `${PASSTHROUGH_A_PATH}/%6Dessages/Batches/${batch.id}`],
  ] as const)
    assert.equal((await harness.call(path, { method, key: 'colleague' })).status, 404, `${method} ${path}`);
  const disguised = await harness.call(`${PASSTHROUGH_B_PATH}/v1/%6dessages`, {
    body: '{"model":"m-1"}',
    headers: { 'content-type': 'application/octet-stream' },
  });
  assert.deepEqual([harness.requestCount('a-one'), harness.requestCount('b-one')], before, disguised.text);
  for (const path of ['%66iles', 'FILES', 'files/'])
    assert.deepEqual(
      (await harness.call(`${PASSTHROUGH_A_PATH}/${path}`, { key: 'colleague' })).json(),
      { object: 'list', data: [], has_more: false, first_id: null, last_id: null },
      path,
    );
  assert.equal((await harness.call(`${PASSTHROUGH_A_PATH}/%66iles/${ours}`)).status, 200);
  assert.equal(harness.lastRequest('a-one').path, `/v1/files/${ours}`);
});

test('objects of every other kind have an owner too', async () => {
  for (const [base, fake, paths] of [
    [PASSTHROUGH_A_PATH, 'a-one', ['threads', 'vaults', 'assistants', 'new_things', 'messages/batches']],
    [`${PASSTHROUGH_B_PATH}/v1`, 'b-one', ['sessions', 'memory_stores', 'responses', 'batches']],
  ] as const)
    for (const path of paths) {
      const made = await harness.call(`${base}/${path}`, { body: {} });
      const { id } = made.json() as { id: string };
      const before = harness.requestCount(fake);
      for (const [method, below] of [
        ['GET', ''],
        ['DELETE', ''],
        ['GET', '/events'],
        ['POST', '/cancel'],
      ] as const) {
        const answer = await harness.call(`${base}/${path}/${id}${below}`, { method, key: 'colleague' });
        assert.equal(answer.status, 404, `${method} ${path}/{id}${below}`);
      }
      assert.equal(harness.requestCount(fake), before, path);
      assert.equal((await harness.call(`${base}/${path}/${id}`)).status, 200, path);
      const list = await harness.call(`${base}/${path}`, { key: 'colleague' });
      assert.ok(list.status === 200 && !list.text.includes(id), list.text);
    }
});

test('the account at a provider is not administered through Floe', async () => {
  const before = harness.requestCount('a-one') + harness.requestCount('b-one');
  for (const [method, path] of [
    ['GET', `${PASSTHROUGH_A_PATH}/organization/projects`],
    ['GET', `${PASSTHROUGH_B_PATH}/v1/%6Frganizations/me`],
    ['DELETE', `${PASSTHROUGH_A_PATH}/models/m-1`],
    ['POST', `${PASSTHROUGH_A_PATH}/models/m-1`],
    ['POST', `${PASSTHROUGH_A_PATH}/realtime/calls/rtc_1/hangup`],
    ['GET', `${PASSTHROUGH_A_PATH}/batch/jobs/job_1`],
  ] as const)
    assert.equal((await harness.call(path, { method })).status, 404, path);
  assert.match((await harness.call(`${PASSTHROUGH_A_PATH}/organization/users`)).text, /whole account/);
  assert.equal(harness.requestCount('a-one') + harness.requestCount('b-one'), before);
});

test('a list with page tokens is read to its end, once', async () => {
  const made: string[] = [];
  for (const key of ['colleague', 'ours', 'colleague', 'ours', 'ours'] as const) {
    const answer = await harness.call(`${PASSTHROUGH_B_PATH}/v1/skills`, { key, body: {} });
    const { id } = answer.json() as { id: string };
    if (key === 'ours') made.push(id);
  }
  const all = (kept.get('b-oneskills') ?? []).toReversed().map(({ id }) => ({ id }));
  harness.setReply('b-one', ({ path }) => {
    const from = Number(new URL(path, 'http://fake').searchParams.get('page') ?? 0);
    const has_more = from + 2 < all.length;
    return createJsonReply({
      data: all.slice(from, from + 2),
      has_more,
      next_page: has_more ? `${from + 2}` : null,
    });
  });
  const before = harness.requestCount('b-one');
  const answer = await harness.call(`${PASSTHROUGH_B_PATH}/v1/skills?limit=2`);
  assert.deepEqual(answer.json(), {
    data: all.filter(({ id }) => made.slice(0, 2).includes(id)),
    has_more: true,
    next_page: '4',
  });
  assert.equal(harness.requestCount('b-one') - before, 2);
  const rest = await harness.call(`${PASSTHROUGH_B_PATH}/v1/skills?limit=2&page=4`);
  assert.deepEqual(rest.json(), {
    data: all.filter(({ id }) => id === made[2]),
    has_more: false,
    next_page: null,
  });
});

test('all objects of a request must belong to the caller at the same provider', async () => {
  harness.setReply('a-one', createJsonReply({ id: 'file-one' }));
  harness.setReply('b-one', createJsonReply({ id: 'file-victim' }));
  const create = (path: string, key: 'ours' | 'colleague') => harness.call(path, { key, body: {} });
  await create(`${PASSTHROUGH_A_PATH}/files`, 'ours');
  await create(`${PASSTHROUGH_B_PATH}/v1/files`, 'ours');
  const before = harness.requestCount('a-one');
  const body = { file_ids: ['file-one', 'file-victim'] };
  const answer = await harness.call(`${PASSTHROUGH_A_PATH}/vector_stores`, { body });
  assert.equal(answer.status, 404, answer.text);
  assert.equal(harness.requestCount('a-one'), before);
});

test('a model in the query does not replace the model of a request', async () => {
  const before = harness.requestCount('a-one');
  for (const path of ['vector_stores', 'images/generations', 'realtime/client_secrets']) {
    const answer = await harness.call(`${PASSTHROUGH_A_PATH}/${path}?model=m-1`, { key: 'narrow', body: {} });
    assert.equal(answer.status, 403, `${path}: ${answer.text}`);
  }
  assert.equal(harness.requestCount('a-one'), before);
  const refused = await harness.call(`${PASSTHROUGH_A_PATH}/files?model=m-2`, {
    key: 'narrow',
    method: 'GET',
  });
  assert.equal(refused.status, 403, 'a model that the key may not use');
  harness.setReply('a-one', { headers: { 'content-type': 'application/sdp' }, body: 'v=0' });
  const call = await harness.call(`${PASSTHROUGH_A_PATH}/realtime/calls?model=m-1`, {
    key: 'narrow',
    body: 'v=0',
    headers: { 'content-type': 'application/sdp' },
  });
  assert.equal(call.status, 200, call.text);
});

test('a list whose resources cannot be read is not forwarded', async () => {
  const foreign = { id: 'file-foreign', filename: 'caf~' };
  const list = Buffer.from(JSON.stringify({ object: 'list', data: [foreign], has_more: false }));
  const path = `${PASSTHROUGH_A_PATH}/files`;
  const setList = (body: Buffer | string, type = 'application/json') =>
    harness.setReply('a-one', { headers: { 'content-type': type }, body });
  setList(Buffer.from(list.map((byte) => (byte === 0x7e ? 0xe9 : byte))));
  const replaced = await harness.call(path);
  assert.deepEqual([replaced.status, replaced.json()], [200, { object: 'list', data: [], has_more: false }]);
  setList(list, 'text/plain');
  assert.equal((await harness.call(path)).text.includes('foreign'), false, 'another content type');
  for (const body of [`${list}}`, JSON.stringify({ data: foreign }), JSON.stringify({ files: [foreign] })]) {
    setList(body);
    const rejected = await harness.call(path);
    assert.equal(rejected.status, 502, rejected.text);
    assert.ok(!rejected.text.includes('foreign'), rejected.text);
  }
});

test('a stored response with too many JSON values has an owner and usage', async () => {
  const usage = { input_tokens: 3, output_tokens: 8_000 };
  const output = [{ type: 'message', content: Array.from({ length: 1_000_001 }, () => ({})) }];
  harness.setReply('a-one', createJsonReply({ id: 'resp_large', status: 'completed', output, usage }));
  const answer = await harness.call(`${PASSTHROUGH_A_PATH}/responses`, {
    body: { model: 'm-1', input: 'Hi' },
  });
  assert.equal(answer.status, 200, answer.text.slice(0, 300));
  const row = await harness.row(answer);
  assert.ok(isJsonObject(row['usage']));
  assert.equal(row['usage']['output_tokens'], 8_000);
  const path = `${PASSTHROUGH_A_PATH}/responses/resp_large`;
  assert.equal((await harness.call(path, { key: 'colleague' })).status, 404);
  assert.equal((await harness.call(path)).status, 200);
});

async function fileOf(key: 'ours' | 'colleague'): Promise<string> {
  const file = await toFile(Buffer.from('{}'), 'x.jsonl');
  return (await harness.openai(key).files.create({ file, purpose: 'batch' })).id;
}

test('an organization can share what its keys create', async () => {
  const made = await harness.anthropic('stranger').messages.batches.create({
    requests: [
      {
        custom_id: '1',
        params: { model: 'm-1', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] },
      },
    ],
  });
  assert.equal((await harness.anthropic('stranger').messages.batches.retrieve(made.id)).id, made.id);
  const foreign = await harness.call(`${PASSTHROUGH_B_PATH}/v1/messages/batches/${made.id}`);
  assert.equal(foreign.status, 404);
  assert.match(foreign.text, /"not_found_error"/);
});

test('the files that a batch writes belong to the creator of the batch', async () => {
  const batch = await harness.openai().batches.create({
    input_file_id: await fileOf('ours'),
    endpoint: '/v1/responses',
    completion_window: '24h',
  });
  await harness.call(`${PASSTHROUGH_A_PATH}/batches/${batch.id}/finish`, { method: 'POST' });
  kept.get('a-onefiles')?.push({ id: `out-of-${batch.id}` });
  const results = await harness.openai().files.content(`out-of-${batch.id}`);
  assert.equal(await results.text(), RESULTS);
  const foreign = await harness.call(`${PASSTHROUGH_A_PATH}/files/out-of-${batch.id}/content`, {
    key: 'colleague',
  });
  assert.equal(foreign.status, 404);
});

test('batch results are counted once, when they are forwarded', async () => {
  const batch = await harness.anthropic().messages.batches.create({
    requests: [
      {
        custom_id: '1',
        params: { model: 'm-1', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] },
      },
    ],
  });
  const used: unknown[] = [];
  for (let turn = 0; turn < 2; turn += 1) {
    const answer = await harness.call(`${PASSTHROUGH_B_PATH}/v1/messages/batches/${batch.id}/results`);
    assert.equal(answer.text, RESULTS);
    const { usage, cost_source: source } = await harness.row(answer);
    used.push(isJsonObject(usage) && [usage['input_tokens'], usage['output_tokens'], source]);
  }
  assert.deepEqual(used, [
    [17, 7, 'incomplete'],
    [null, null, 'free'],
  ]);
});

test('a stored response belongs to its key from its first event', async () => {
  harness.setReply('a-one', ({ method, path }) =>
    method === 'POST'
      ? createSseReply(
          [
            { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
            { type: 'response.output_text.delta', delta: 'Hi' },
            {
              type: 'response.completed',
              response: {
                id: 'resp_1',
                status: 'completed',
                output: [],
                usage: { input_tokens: 3, output_tokens: 2 },
              },
            },
          ].map(
            (event, sequence_number) =>
              `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
          ),
        )
      : createJsonReply({
          id: path,
          object: 'response',
          output: [],
          usage: { input_tokens: 3, output_tokens: 2 },
        }),
  );
  const stream = await harness.openai().responses.create({ model: 'm-1', input: 'Hi', stream: true });
  const types: string[] = [];
  for await (const event of stream) types.push(event.type);
  assert.deepEqual(types, ['response.created', 'response.output_text.delta', 'response.completed']);
  await harness.openai().responses.retrieve('resp_1');
  assert.equal(
    (await harness.call(`${PASSTHROUGH_A_PATH}/responses/resp_1`, { key: 'colleague' })).status,
    404,
  );
  const next = { model: 'm-1', input: 'And?', previous_response_id: 'resp_1' };
  const theirs = await harness.call(`${PASSTHROUGH_A_PATH}/responses`, { key: 'colleague', body: next });
  assert.equal(theirs.status, 400);
  assert.match(theirs.text, /previous_response_not_found/);
  assert.equal(
    (await harness.call(`${PASSTHROUGH_A_PATH}/responses`, { body: { ...next, stream: true } })).status,
    200,
  );
});

test('a key that is restricted to models can use other paths only if it lists them', async () => {
  const file = await harness
    .openai('narrow')
    .files.create({ file: await toFile(Buffer.from('x'), 'x'), purpose: 'user_data' });
  assert.equal((await harness.openai('narrow').files.retrieve(file.id)).id, file.id);
  const spelled = `/gateway//passthrough-a//v1///files//${file.id}`;
  assert.equal((await harness.call(spelled, { key: 'narrow' })).status, 200);
  assert.equal(harness.lastRequest('a-one').path, `/v1/files/${file.id}`);
  for (const path of [
    `${PASSTHROUGH_A_PATH}/batches`,
    '/gateway/passthrough-a//v1//batches',
    `${PASSTHROUGH_A_PATH}/filesystem`,
    `${PASSTHROUGH_B_PATH}/v1/files`,
  ]) {
    const answer = await harness.call(path, { key: 'narrow' });
    assert.equal(answer.status, 403, path);
    assert.match(answer.text, /paths/);
  }
});

test('a model inside a body must be allowed too', async () => {
  const requests = (model: string) => [{ custom_id: '1', params: { model, max_tokens: 5, messages: [] } }];
  const before = harness.requestCount('b-one') + harness.requestCount('a-one');
  for (const [path, body] of [
    [`${PASSTHROUGH_B_PATH}/v1/messages/batches`, { requests: requests('elsewhere') }],
    [
      `${PASSTHROUGH_A_PATH}/responses`,
      { model: 'm-1', input: 'x', tools: [{ type: 'image_generation', model: 'other' }] },
    ],
    [`${PASSTHROUGH_A_PATH}/realtime/client_secrets`, { session: { type: 'realtime', model: 'other' } }],
  ] as const) {
    const answer = await harness.call(path, { body });
    assert.equal(answer.status, 403, path);
    assert.match(answer.text, /model_not_allowed|permission_error/);
  }
  assert.equal(harness.requestCount('b-one') + harness.requestCount('a-one'), before);
});

test('a batch file with a model that is not allowed is never complete at the provider', async () => {
  const line = (model: string) =>
    JSON.stringify({ custom_id: 'x', method: 'POST', url: '/v1/responses', body: { model } });
  const upload = (...models: string[]) =>
    harness.openai().files.create({
      file: new File([models.map(line).join('\n')], 'batch.jsonl'),
      purpose: 'batch',
    });
  await upload('m-1', 'm-2');
  await assert.rejects(upload('m-1', 'elsewhere'), { status: 403, code: 'model_not_allowed' });
  assert.equal(kept.get('a-onefiles')?.length, 1);
  const broken = new File([`${line('m-1')}\n{"body":{"model":"elsewhere","n":NaN}}`], 'batch.jsonl');
  await assert.rejects(harness.openai().files.create({ file: broken, purpose: 'batch' }), {
    status: 400,
    message: /Line 2/,
  });
  assert.equal(kept.get('a-onefiles')?.length, 1);
});

test('a batch reads only files that were checked as its input', async () => {
  const text = 'no JSON\n{"body":{"model":"elsewhere"}}';
  const other = await harness
    .openai()
    .files.create({ file: new File([text], 'x.txt'), purpose: 'user_data' });
  const before = harness.requestCount('a-one');
  const make = (input_file_id: string) =>
    harness.openai().batches.create({ input_file_id, endpoint: '/v1/responses', completion_window: '24h' });
  await assert.rejects(make(other.id), { status: 403, code: 'model_not_allowed' });
  for (const body of [
    { requests: [{ body: { model: 'elsewhere' } }] },
    { batch_requests: [{ batch_request: { chat: { model: 'elsewhere' } } }] },
  ])
    assert.equal((await harness.call(`${PASSTHROUGH_A_PATH}/batches`, { body })).status, 403);
  const doubled = '{"requests":[{"params":{"model":"m-1","model":"elsewhere"}}]}';
  const answer = await harness.call(`${PASSTHROUGH_B_PATH}/v1/messages/batches`, { body: doubled });
  assert.equal(answer.status, 400);
  assert.match(answer.text, /requests\[0\]/);
  assert.equal(harness.requestCount('a-one'), before, 'nothing of this reached the provider');
  await make(await fileOf('ours'));
});
