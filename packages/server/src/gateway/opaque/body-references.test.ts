import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scanJsonObject } from '@floe/wire/json-edits';
import { type BodyReferences, findBodyReferences } from './body-references.ts';

function named(body: object): BodyReferences {
  const bytes = Buffer.from(JSON.stringify(body));
  return findBodyReferences(bytes, scanJsonObject(bytes));
}

test('models are found where native APIs contain them, and nowhere else', () => {
  const { models } = named({
    model: 'own',
    session: { model: 'in-session' },
    tools: [
      { type: 'image_generation', model: 'in-tool' },
      { type: 'function', parameters: { model: 'not' } },
    ],
    models: ['listed'],
    fallbacks: [{ model: 'fallback' }],
    messages: [{ content: [{ type: 'tool_use', input: { model: 'not' } }] }],
    metadata: { model: 'not' },
  });
  assert.deepEqual(models, ['in-session', 'in-tool', 'listed', 'fallback']);
});

test('ids are found where a request reads an object, and not where they only state an origin', () => {
  const { ids, previousResponseId } = named({
    previous_response_id: 'resp_1',
    conversation: { id: 'conv_1' },
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_file', file_id: 'file-1' },
          { type: 'file', file: { file_id: 'file-2' } },
        ],
      },
      { role: 'assistant', content: [{ annotations: [{ type: 'file_citation', file_id: 'not' }] }] },
      { type: 'code_execution_output', file_id: 'not' },
    ],
    tools: [
      { type: 'file_search', vector_store_ids: ['vs_1'] },
      { parameters: { properties: { file_id: 'not' } } },
    ],
    metadata: { file_id: 'not' },
  });
  assert.deepEqual(ids, ['resp_1', 'conv_1', 'file-1', 'file-2', 'vs_1']);
  assert.equal(previousResponseId, 'resp_1');
});

test('a body without references is not parsed twice', () => {
  assert.deepEqual(named({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }), {
    models: [],
    ids: [],
    previousResponseId: null,
  });
});

test('each model is listed once, however often a body names it', () => {
  const fallbacks = Array.from({ length: 150_000 }, () => 'm');
  assert.deepEqual(named({ fallbacks }).models, ['m']);
  assert.equal(named({ file_ids: fallbacks }).ids.length, fallbacks.length);
});

test('a body with more than 1,000 different models is invalid', () => {
  const models = Array.from({ length: 1_001 }, (_, at) => `m-${at}`);
  assert.equal(named({ fallbacks: models.slice(1) }).models.length, 1_000);
  assert.throws(() => named({ fallbacks: models }), /at most 1,000 different models/);
});

test('escape sequences in a name do not hide an id', () => {
  const bytes = Buffer.from(String.raw`{"input":[{"type":"input_file","file\u005fid":"file-1"}]}`);
  assert.deepEqual(findBodyReferences(bytes, scanJsonObject(bytes)).ids, ['file-1']);
});

test('a body that states an id twice is rejected, because the provider may read the other one', () => {
  const bytes = Buffer.from('{"input":[{"type":"input_file","file_id":"file-1","file_id":"file-2"}]}');
  assert.throws(() => findBodyReferences(bytes, scanJsonObject(bytes)), {
    code: 'invalid_request',
    message: 'The field "file_id" must occur only once in an object.',
  });
});
