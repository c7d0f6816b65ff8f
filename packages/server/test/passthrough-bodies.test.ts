// Bodies that are forwarded as they arrive, or without a model: the ids in them belong to the caller too.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { toFile } from 'openai';
import {
  PASSTHROUGH_A_PATH,
  PASSTHROUGH_B_PATH,
  type PassthroughGateway,
  startPassthroughGateway,
} from './passthrough-gateway.ts';

let harness: PassthroughGateway;
before(async () => {
  harness = await startPassthroughGateway();
});
after(() => harness.close());

/** Number of requests that were complete at the provider. */
let made = 0;
beforeEach(() => {
  harness.setReply('a-one', ({ path }) => {
    made += 1;
    return createJsonReply({ id: `${path.split('/')[2] ?? ''}_${made}`, object: 'thing', text: '' });
  });
});

type Caller = 'ours' | 'colleague';

async function create(path: string, key: Caller): Promise<string> {
  const answer = await harness.call(`${PASSTHROUGH_A_PATH}/${path}`, { key, body: {} });
  assert.equal(answer.status, 200, answer.text);
  return (answer.json() as { id: string }).id;
}

function send(path: string, type: string, body: string | Buffer) {
  return harness.call(`${PASSTHROUGH_A_PATH}/${path}`, { body, headers: { 'content-type': type } });
}

test('JSON with another content type is not forwarded unread', async () => {
  const foreign = await create('files', 'colleague');
  const json = JSON.stringify({ file_ids: [foreign] });
  const before = made;
  for (const path of [
    'vector_stores',
    'threads/runs',
    'images/edits',
    'sessions',
    'fine_tuning/jobs',
    'evals',
  ])
    for (const type of ['application/octet-stream', 'audio/x', 'image/png'])
      assert.equal((await send(path, type, json)).status, 415, `${path} ${type}`);
  for (const body of [
    `\ufeff\r\n\t ${json}`,
    `{ \n"file_ids":["${foreign}"]}`,
    `[${json}]`,
    Buffer.from(json, 'utf16le'),
    Buffer.from(`\ufeff${json}`, 'utf16le').swap16(),
  ])
    assert.equal((await send('vector_stores', 'application/octet-stream', body)).status, 415, String(body));
  assert.equal(made, before, 'no request was complete at the provider');
  assert.equal((await send('files', 'application/octet-stream', json)).status, 200);
  assert.equal((await send('audio/transcriptions', 'audio/x', Buffer.from([0, 0x7b, 3, 0x5b]))).status, 200);
});

const FORM = 'multipart/form-data; boundary=b0';
const formOf = (fields: Readonly<Record<string, string>>) =>
  `${Object.entries(fields)
    .map(([name, value]) => `--b0\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')}--b0--\r\n`;

test('the objects that the fields of a form refer to belong to the caller', async () => {
  const [ours, foreign] = [await create('files', 'ours'), await create('files', 'colleague')];
  const container = await create('containers', 'ours');
  for (const [path, name] of [
    ['videos', 'input_reference[file_id]'],
    ['videos/edits', 'video[id]'],
    ['audio/transcriptions', 'file_id'],
    [`containers/${container}/files`, 'file_id'],
    ['skills', 'file_ids[]'],
  ] as const) {
    const before = made;
    const refused = await send(path, FORM, formOf({ model: 'm-1', [name]: foreign }));
    assert.equal(refused.status, 404, `${path}: ${refused.text}`);
    assert.equal(made, before, path);
    const allowed = await send(path, FORM, formOf({ model: 'm-1', [name]: ours }));
    assert.equal(allowed.status, 200, `${path}: ${allowed.text}`);
  }
});

test('the objects that the lines of a batch file refer to belong to the caller', async () => {
  const [ours, foreign] = [await create('files', 'ours'), await create('files', 'colleague')];
  const before = made;
  const upload = async (body: object, order: 'first' | 'last') => {
    const lines = ['m-1', 'm-2'].map((model) =>
      JSON.stringify({ custom_id: model, method: 'POST', url: '/v1/responses', body: { model, ...body } }),
    );
    const file = await toFile(Buffer.from(lines.join('\n')), 'x.jsonl');
    return harness
      .openai()
      .files.create(order === 'first' ? { purpose: 'batch', file } : { file, purpose: 'batch' });
  };
  const bodies = (id: string) => [
    { input: [{ role: 'user', content: [{ type: 'input_file', file_id: id }] }] },
    { previous_response_id: id },
    { conversation: { id } },
    { tools: [{ type: 'code_interpreter', container: id }] },
    { agent_id: id },
  ];
  for (const order of ['first', 'last'] as const)
    for (const body of bodies(foreign))
      await assert.rejects(upload(body, order), { status: 404 }, JSON.stringify(body));
  assert.equal(made, before, 'no file was complete at the provider');
  for (const body of bodies(ours)) await upload(body, 'last');
});

test('a batch of requests can contain the file of its caller', async () => {
  harness.setReply('b-one', createJsonReply({ id: 'file_b', type: 'file' }));
  await harness.call(`${PASSTHROUGH_B_PATH}/v1/files`, { body: {} });
  const content = [{ type: 'document', source: { type: 'file', file_id: 'file_b' } }];
  const params = { model: 'm-1', max_tokens: 5, messages: [{ role: 'user', content }] };
  for (const [key, status] of [
    ['ours', 200],
    ['colleague', 404],
  ] as const) {
    const body = { requests: [{ custom_id: '1', params }] };
    const answer = await harness.call(`${PASSTHROUGH_B_PATH}/v1/messages/batches`, { key, body });
    assert.equal(answer.status, status, answer.text);
  }
});
