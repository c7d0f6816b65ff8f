import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BatchBodyReferences, findBatchBodyReferences } from './batch-body-references.ts';

function find(body: object | string, collection = 'batches'): Promise<BatchBodyReferences> {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return findBatchBodyReferences(bytes, { collection });
}

test('models, resources and input files are found in the requests of a batch and around them', async () => {
  const file = { type: 'input_file', file_id: 'file-2' };
  const found = await find({
    input_file_id: 'file-1',
    model: 'outer',
    requests: [{ params: { model: 'inner', input: [file] } }, { body: { fallbacks: ['inner', 'other'] } }],
  });
  assert.deepEqual(found.models, ['outer', 'inner', 'other']);
  assert.deepEqual(found.ids, ['file-1', 'file-2']);
  assert.deepEqual(found.batchInputs, ['file-1']);
});

test('the agents of requests are found, but not the names of a prompt', async () => {
  const requests = [{ body: { agent_id: 'ag_1', messages: [] } }];
  assert.deepEqual((await find({ requests }, 'batch/jobs')).ids, ['ag_1']);
  assert.deepEqual((await find({ requests }, 'messages/batches')).ids, []);
});

test('a file in the prompt of a request is not the input of the batch', async () => {
  const content = [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }];
  const requests = [{ params: { model: 'm', messages: [{ role: 'user', content }] } }];
  const { ids, batchInputs } = await find({ requests }, 'messages/batches');
  assert.deepEqual({ ids, batchInputs }, { ids: ['file_1'], batchInputs: [] });
});

test('each request of a batch may be as complex as a single request', async () => {
  const content = Array.from({ length: 20_000 }, () => ({ text: '' }));
  const request = { params: { model: 'm', content } };
  const { models } = await find({ requests: Array.from({ length: 5 }, () => request) });
  assert.deepEqual(models, ['m']);
});

test('a request of a batch that has too many values is rejected', async () => {
  const objects = `[${'{},'.repeat(100_000)}{}]`;
  const message = /^requests\[1\] is invalid: it has too many JSON values\. The maximum is 100,000 names/;
  const expected = { code: 'request_too_large', message, detail: { param: 'requests[1]' } };
  await assert.rejects(find(`{"requests":[{},{"a":${objects}}]}`), expected);
  await assert.rejects(find(`{"requests":[],"a":${objects}}`), { code: 'request_too_large' });
  await assert.rejects(find(`{"requests":{"a":${objects}}}`), { code: 'request_too_large' });
});

test('a request that is too complex is rejected before the rest of the batch is read', async () => {
  const numbers = Buffer.from(`{"requests":[{},{"a":[1.5${',1.5'.repeat(1_000_000)}`);
  const message = /^requests\[1\] is invalid: it has too many JSON values/;
  // The rest is not valid JSON.
  await assert.rejects(findBatchBodyReferences(numbers, { collection: 'batches' }), {
    code: 'request_too_large',
    message,
  });
});

test('a batch with more than 100,000 requests is rejected', async () => {
  const requests = '{},'.repeat(100_000);
  await assert.rejects(find(`{"requests":[${requests}{}]}`), {
    code: 'request_too_large',
    message: 'A batch may contain at most 100,000 requests. Split the batch.',
  });
});

test('a request of a batch that is not an object, or is ambiguous, is rejected', async () => {
  await assert.rejects(find({ requests: [{}, 7] }), {
    code: 'invalid_request',
    message: 'requests[1] is invalid: it must be a JSON object.',
  });
  await assert.rejects(find('{"requests":[{"params":{"model":"a","model":"b"}}]}'), {
    code: 'invalid_request',
    message: 'requests[0] is invalid: the field "model" must occur only once in an object.',
  });
  await assert.rejects(find('{"requests":[{"Model":"a"}]}'), {
    message: 'requests[0] is invalid: the top-level field "Model" must be spelled "model".',
    detail: { param: 'requests[0]' },
  });
});

test('each model is listed once, and there may be 1,000 of them', async () => {
  const models = Array.from({ length: 1_001 }, (_, at) => `m-${at}`);
  const fallbacks = Array.from({ length: 10_000 }, () => 'm');
  const requests = Array.from({ length: 3 }, () => ({ params: { model: 'n', fallbacks } }));
  assert.deepEqual((await find({ requests })).models, ['n', 'm']);
  await assert.rejects(find({ requests: models.map((model) => ({ params: { model } })) }), /at most 1,000/);
  await assert.rejects(find({ requests: [{ params: { fallbacks: models } }] }), /at most 1,000/);
});

test('the event loop runs between the requests of a batch', { timeout: 20_000 }, async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const requests = Array.from({ length: 20_000 }, () => ({
    params: { model: 'm', messages: [{ text: 'hi' }] },
  }));
  await find({ requests });
  clearInterval(timer);
  assert.ok(turns > 2, `${turns} turns`);
});
