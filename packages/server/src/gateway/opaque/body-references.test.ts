import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scanJsonObject } from '@floe/wire/json-edits';
import { type BodyReferences, findBodyReferences, type ReferenceScope } from './body-references.ts';
import { REFERENCE_NAMES } from './reference-names.ts';

function named(body: object | string, scope: ReferenceScope = 'prompt'): BodyReferences {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return findBodyReferences(bytes, scanJsonObject(bytes, null, REFERENCE_NAMES), scope);
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

test('the arguments and results of tools are not searched in any native API, but their files are', () => {
  const { ids } = named({
    contents: [
      { parts: [{ functionCall: { name: 'f', args: { file_id: 'not' } } }] },
      {
        parts: [
          {
            functionResponse: {
              response: { conversation: { id: 'not' } },
              parts: [{ fileData: { fileUri: 'https://example.com/v1beta/files/file-1' } }],
            },
          },
        ],
      },
    ],
    messages: [
      { content: [{ toolUse: { input: { container: 'not' } } }] },
      { content: [{ toolResult: { content: [{ json: { file_id: 'not' } }] } }] },
    ],
  });
  assert.deepEqual(ids, ['file-1']);
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
  for (const name of [String.raw`file\u005fid`, String.raw`\u0066ile_id`])
    assert.deepEqual(named(`{"input":[{"type":"input_file","${name}":"file-1"}]}`).ids, ['file-1']);
});

test('containers, skills and files of other forms are found, but not the arguments of tools', () => {
  const messages = [
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'n', input: { container: 'web' } }] },
    { role: 'assistant', content: [{ type: 'server_tool_use', input: { file_id: 'not' } }] },
  ];
  for (const [body, ids] of [
    [{ tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }, ['cntr_1']],
    [
      { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } }] },
      ['file-1'],
    ],
    [{ tools: [{ environment: { type: 'container_reference', container_id: 'cntr_2' } }] }, ['cntr_2']],
    [{ input: [{ type: 'code_interpreter_call', container_id: 'not' }] }, []],
    [
      {
        container: {
          id: 'cntr_3',
          skills: [
            { type: 'custom', skill_id: 'skill_1' },
            { type: 'anthropic', skill_id: 'pptx' },
          ],
        },
      },
      ['cntr_3', 'skill_1'],
    ],
    [{ container: null }, []],
    [{ input: [{ output: { type: 'computer_screenshot', file_id: 'file-6' } }] }, ['file-6']],
    [{ validation_files: ['file-7'] }, ['file-7']],
    [{ cachedContent: 'cachedContents/c-1' }, ['c-1']],
    [{ extra_body: { google: { cached_content: 'cachedContents/c-2' } } }, ['c-2']],
    [{ tools: [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/s-1', 's-2'] } }] }, ['s-1', 's-2']],
    [{ contents: [{ parts: [{ fileData: { fileUri: 'files/f-1' } }] }] }, ['f-1']],
    [{ parts: [{ file_data: { file_uri: 'https://g.example/v1beta/files/f-2?alt=media' } }] }, ['f-2']],
    [{ parts: [{ file_data: { file_uri: 'https://example.com/files/public.pdf' } }] }, []],
    [
      { fileUri: 'https://generativelanguage.googleapis.com//v1beta/files/f-3' },
      ['https://generativelanguage.googleapis.com//v1beta/files/f-3'],
    ],
    [{ input_files: ['file-2', 'file-3'], endpoint: '/v1/chat/completions' }, ['file-2', 'file-3']],
    [{ data_source: { type: 'jsonl', source: { type: 'file_id', id: 'file-4' } } }, ['file-4']],
    [{ messages }, []],
    // The root is no content part, so its input is read.
    [{ type: 'tool_use', input: [{ type: 'input_file', file_id: 'file-5' }] }, ['file-5']],
    [{ session_id: 'own-name', agent: 'own-name' }, []],
  ] as const)
    assert.deepEqual(named(body).ids, ids, JSON.stringify(body));
});

test('a request about a resource refers to other resources by more names', () => {
  const body = { agent: { id: 'agent_1' }, environment_id: 'env_1', vault_ids: ['vlt_1'], metadata: {} };
  assert.deepEqual(named(body, 'state').ids, ['agent_1', 'env_1', 'vlt_1']);
  for (const [body, ids] of [
    [
      { multiagent: { agents: ['agent_2', { type: 'agent', id: 'agent_3' }, { type: 'self' }] } },
      ['agent_2', 'agent_3'],
    ],
    [{ inputs: [{ type: 'sessions', session_ids: ['sess_1'] }] }, ['sess_1']],
    [{ auth: { credential_id: 'cred_1' } }, ['cred_1']],
    [{ prompt: 'Hi', video: { id: 'video_1' } }, ['video_1']],
  ] as const)
    assert.deepEqual(named(body, 'state').ids, ids);
});

test('a body that states an id twice is rejected, because the provider may read the other one', () => {
  assert.throws(() => named('{"input":[{"type":"input_file","file_id":"file-1","file_id":"file-2"}]}'), {
    code: 'invalid_request',
    message: 'The field "file_id" must occur only once in an object.',
  });
});
