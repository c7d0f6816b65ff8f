// The model endpoints read files and other objects at a provider only for the caller that owns them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import {
  PASSTHROUGH_A_PATH,
  PASSTHROUGH_B_PATH,
  type PassthroughGateway,
  type PassthroughKeyName,
  startPassthroughGateway,
} from './passthrough-gateway.ts';

const V1 = '/gateway/v1';
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm-1',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 2 },
};
const RESPONSE = {
  id: 'resp_own',
  object: 'response',
  status: 'completed',
  model: 'm-1',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }],
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
};

let harness: PassthroughGateway;
before(async () => {
  harness = await startPassthroughGateway();
});
after(() => harness.close());

/** Creates an object at the fake of a surface. */
async function create(path: string, id: string, key: PassthroughKeyName = 'ours'): Promise<void> {
  const fake = path.startsWith(PASSTHROUGH_A_PATH) ? 'a-one' : 'b-one';
  harness.setReply(fake, createJsonReply({ id }));
  assert.equal((await harness.call(path, { body: {}, key })).status, 200);
}

const requestCount = () => harness.requestCount('a-one') + harness.requestCount('b-one');

const input = (...content: JsonObject[]) => [{ role: 'user', content }];
const file = (id: string) => ({ type: 'input_file', file_id: id });
const document = (id: string) => ({ type: 'document', source: { type: 'file', file_id: id } });

test('an object is available on the model endpoints only to its owner', async () => {
  await create(`${PASSTHROUGH_A_PATH}/files`, 'file-a');
  await create(`${PASSTHROUGH_A_PATH}/conversations`, 'conv-a');
  await create(`${PASSTHROUGH_A_PATH}/vector_stores`, 'vs-a');
  await create(`${PASSTHROUGH_A_PATH}/containers`, 'cntr-a');
  await create(`${PASSTHROUGH_B_PATH}/v1/files`, 'file-b');
  await create(`${PASSTHROUGH_B_PATH}/v1/skills`, 'skill-b');
  harness.setReply('a-one', createJsonReply(RESPONSE));
  harness.setReply('b-one', createJsonReply(MESSAGE));
  const responses = { model: 'a-one/m-1', input: 'Hi' };
  const messages = { model: 'b-one/m-1', max_tokens: 5, messages: input({ type: 'text', text: 'Hi' }) };
  for (const [path, body] of [
    ['responses', { ...responses, input: input(file('file-a')) }],
    ['responses', { ...responses, conversation: 'conv-a' }],
    ['responses', { ...responses, conversation: { id: 'conv-a' } }],
    ['responses', { ...responses, tools: [{ type: 'file_search', vector_store_ids: ['vs-a'] }] }],
    ['responses', { ...responses, tools: [{ type: 'code_interpreter', container: 'cntr-a' }] }],
    ['responses/input_tokens', { ...responses, input: input(file('file-a')) }],
    ['messages', { ...messages, messages: input(document('file-b')) }],
    ['messages', { ...messages, container: { skills: [{ type: 'custom', skill_id: 'skill-b' }] } }],
  ] as const) {
    const before = requestCount();
    const theirs = await harness.call(`${V1}/${path}`, { body, key: 'colleague' });
    assert.equal(theirs.status, 404, `${JSON.stringify(body)}: ${theirs.text}`);
    assert.match(theirs.text, /this key cannot access it/);
    assert.equal(requestCount(), before);
    const ours = await harness.call(`${V1}/${path}`, { body });
    assert.equal(ours.status, 200, `${JSON.stringify(body)}: ${ours.text}`);
    assert.equal(requestCount(), before + 1);
  }
});

test('an object is sent only to the provider and the credential that created it', async () => {
  await create(`${PASSTHROUGH_A_PATH}/files`, 'file-only-a');
  const body = { model: 'a-two/m-1', input: input(file('file-only-a')) };
  const before = harness.requestCount('a-two');
  const answer = await harness.call(`${V1}/responses`, { body });
  assert.equal(answer.status, 404, answer.text);
  assert.match(answer.text, /is stored at \\"a-one\\"/);
  assert.equal(harness.requestCount('a-two'), before);
});

test('the container of a response belongs to the caller, and not the one in tool arguments', async () => {
  const call = {
    type: 'code_interpreter_call',
    id: 'ci_1',
    status: 'completed',
    code: '',
    container_id: 'cntr-auto',
  };
  const use = { type: 'tool_use', id: 't1', name: 'n', input: { container: { id: 'cntr-fake' } } };
  harness.setReply('a-one', createJsonReply({ ...RESPONSE, output: [call, ...RESPONSE.output] }));
  harness.setReply(
    'b-one',
    createJsonReply({
      ...MESSAGE,
      content: [use],
      container: { id: 'cntr-b', expires_at: '2027-01-01T00:00:00Z' },
    }),
  );
  const responses = (container: unknown) => ({
    model: 'a-one/m-1',
    input: 'Hi',
    tools: [{ type: 'code_interpreter', container }],
  });
  const messages = { model: 'b-one/m-1', max_tokens: 5, messages: input({ type: 'text', text: 'Hi' }) };
  const status = async (path: string, body: object, key: PassthroughKeyName = 'ours') =>
    (await harness.call(`${V1}/${path}`, { body, key })).status;
  assert.equal(await status('responses', responses({ type: 'auto' })), 200);
  assert.equal(await status('responses', responses('cntr-auto')), 200);
  assert.equal(await status('responses', responses('cntr-auto'), 'colleague'), 404);
  assert.equal(await status('messages', messages), 200);
  assert.equal(await status('messages', { ...messages, container: 'cntr-b' }), 200);
  assert.equal(await status('messages', { ...messages, container: 'cntr-b' }, 'colleague'), 404);
  assert.equal(await status('messages', { ...messages, container: 'cntr-fake' }), 404);
});

test('tool arguments and names in a prompt are no references', async () => {
  harness.setReply('b-one', createJsonReply(MESSAGE));
  const tools = [
    { name: 'read', input_schema: { type: 'object', properties: { file_id: {}, container: {} } } },
  ];
  const use = { type: 'tool_use', id: 't1', name: 'read', input: { file_id: 'x', container: 'web' } };
  const body = {
    model: 'b-one/m-1',
    max_tokens: 5,
    tools,
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [use] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
    ],
  };
  assert.equal((await harness.call(`${V1}/messages`, { body })).status, 200);
});

test('without stored responses, a response can be continued by its owner', async () => {
  harness.setReply('a-one', createJsonReply(RESPONSE));
  const turn = { model: 'a-one/m-1', input: 'Hi' };
  const next = { ...turn, previous_response_id: 'resp_own' };
  const early = await harness.call(`${V1}/responses`, { body: next, key: 'stranger' });
  assert.equal(early.status, 400, early.text);
  assert.match(early.text, /previous_response_not_found/);
  assert.equal((await harness.call(`${V1}/responses`, { body: turn, key: 'stranger' })).status, 200);
  const late = await harness.call(`${V1}/responses`, { body: next, key: 'stranger' });
  assert.equal(late.status, 200, late.text);
  assert.equal(JSON.parse(harness.lastRequest('a-one').body.toString()).previous_response_id, 'resp_own');
});

test('a thread of the Messages API is rejected wherever it would be forwarded', async () => {
  const before = requestCount();
  const thread = { type: 'continue', previous_message_id: 'msg_foreign' };
  const params = { model: 'm-1', max_tokens: 5, messages: input({ type: 'text', text: 'Hi' }), thread };
  for (const [path, body] of [
    ['messages', params],
    ['messages', { ...params, thread: undefined, Thread: thread }],
    ['messages/count_tokens', params],
    ['messages/batches', { requests: [{ custom_id: '1', params }] }],
  ] as const) {
    const answer = await harness.call(`${PASSTHROUGH_B_PATH}/v1/${path}`, { body });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, /thread/i);
  }
  assert.equal(requestCount(), before);
});
