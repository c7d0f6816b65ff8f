import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { createBodyClient } from '../test/body-client.ts';
import { type OpaqueRequest, readOpaqueRequest } from './opaque-request.ts';
import { parseResourcePath } from './resource-reference.ts';

function read(path: string, text: string): Promise<OpaqueRequest> {
  const body = Buffer.from(text);
  return readOpaqueRequest({
    client: createBodyClient({ headers: { 'content-length': String(body.length) }, body }),
    resource: parseResourcePath('a', path.split('/')),
    clock: new FakeClock(),
    spoolDir: '',
    allowsModel: null,
    requireOwned: () => assert.fail('no upload'),
  });
}

test('a JSON body with too many values is rejected on every path', async () => {
  const objects = `[${'{},'.repeat(100_000)}{}]`;
  const numbers = `[${'1.10,'.repeat(100_000)}1]`;
  for (const path of ['responses', 'vector_stores', 'files', 'batches', 'unknown'])
    for (const values of [objects, numbers])
      await assert.rejects(read(path, `{"file_ids":["file-1"],"a":${values}}`), {
        code: 'request_too_large',
      });
});

test('the requests of a batch together may have more values than a single request', async () => {
  const request = `{"params":{"model":"m","a":[${'{},'.repeat(50_000)}{}]}}`;
  const { references } = await read('batch/jobs', `{"requests":[${request},${request},${request}]}`);
  assert.deepEqual(references.models, ['m']);
});

test('models in `requests` are found on every path', async () => {
  const text = '{"requests":[{"params":{"model":"m"}}],"input_file_id":"file-1"}';
  assert.deepEqual((await read('unknown', text)).references.models, ['m']);
  assert.deepEqual((await read('unknown', text)).batchInputs, []);
  assert.deepEqual((await read('batches', text)).batchInputs, ['file-1']);
});

test('the characters to speak are Unicode code points', async () => {
  assert.equal((await read('audio/speech', '{"input":"a\u{1f600}é"}')).characters, 3);
});

test('an evaluation contains its data or the ids of its files', async () => {
  const config = { type: 'custom', item_schema: {} };
  const source = { type: 'file_id', id: 'file-1' };
  assert.deepEqual(
    (await read('evals', JSON.stringify({ data_source_config: config, name: 'x' }))).references.ids,
    [],
  );
  for (const type of ['jsonl', 'completions', 'responses'])
    assert.deepEqual(
      (await read('evals/eval_1/runs', JSON.stringify({ data_source: { type, source } }))).references.ids,
      ['file-1'],
    );
  for (const body of [
    { data_source_config: { type: 'stored_completions', metadata: {} } },
    { data_source_config: { type: 'logs' } },
    { data_source: { type: 'completions', source: { type: 'stored_completions' } } },
    { data_source: { type: 'responses', source: { type: 'responses' } } },
    { data_source: { type: 'responses' } },
    { data_source: [{ source }] },
  ])
    await assert.rejects(read('evals/eval_1/runs', JSON.stringify(body)), { code: 'unsupported_parameter' });
});

test('a batch file is validated and its objects are checked for a key that may use every model', async () => {
  const line = '{"url":"/v1/responses","body":{"model":"m","previous_response_id":"resp_1"}}';
  const field = (head: string, value: string) =>
    `--b0\r\ncontent-disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
  for (const [purpose, expected] of [
    ['batch', [['file-1'], ['resp_1']]],
    ['batch-api', [['file-1'], ['resp_1']]],
    ['user_data', [['file-1']]],
  ] as const) {
    const form = `${field('name="file"; filename="x"', line)}${field('name="file_id"', 'file-1')}${field('name="purpose"', purpose)}--b0--`;
    const checked: (readonly string[])[] = [];
    const headers = { 'content-type': 'multipart/form-data; boundary=b0', 'transfer-encoding': 'chunked' };
    const { body } = await readOpaqueRequest({
      client: createBodyClient({ headers, incoming: Readable.from([Buffer.from(form)]) }),
      resource: parseResourcePath('POST', ['files']),
      clock: new FakeClock(),
      spoolDir: '',
      allowsModel: null,
      requireOwned: async (ids) => void checked.push(ids),
    });
    assert.ok(body.kind === 'upload');
    for await (const _ of body.upload);
    assert.deepEqual(checked, expected);
    assert.equal(body.check?.isBatchInput, purpose !== 'user_data');
  }
});
