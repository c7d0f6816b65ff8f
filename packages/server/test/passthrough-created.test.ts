// The caller owns what a response creates, although it is not the object of the response.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Json, JsonObject } from '@floe/contract/json';
import { createJsonReply, createSseReply } from '@floe/testkit/upstream-reply';
import {
  PASSTHROUGH_A_PATH,
  PASSTHROUGH_B_PATH,
  type PassthroughGateway,
  type PassthroughKeyName,
  startPassthroughGateway,
} from './passthrough-gateway.ts';

let harness: PassthroughGateway;
before(async () => {
  harness = await startPassthroughGateway();
});
after(() => harness.close());

const status = async (path: string, body: JsonObject | null, key: PassthroughKeyName = 'ours') =>
  (await harness.call(path, body === null ? { key } : { body, key })).status;

const messages = { model: 'm-1', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] };
const responses = (container: Json) => ({
  model: 'm-1',
  input: 'Hi',
  tools: [{ type: 'code_interpreter', container }],
});
const CALL = { type: 'code_interpreter_call', id: 'ci_1', status: 'completed', code: '' };

test('the container of a Messages response on passthrough belongs to the caller', async () => {
  const path = `${PASSTHROUGH_B_PATH}/v1/messages`;
  const message = { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: {} };
  const use = { type: 'tool_use', id: 't', name: 'n', input: { container: { id: 'cntr-fake' } } };
  harness.setReply(
    'b-one',
    createJsonReply({ ...message, content: [use], stop_reason: 'end_turn', container: { id: 'cntr-json' } }),
  );
  assert.equal(await status(path, messages), 200);
  assert.equal(await status(path, { ...messages, container: 'cntr-json' }), 200);
  assert.equal(await status(path, { ...messages, container: 'cntr-json' }, 'colleague'), 404);
  assert.equal(await status(path, { ...messages, container: 'cntr-fake' }), 404);
  harness.setReply(
    'b-one',
    createSseReply([
      { type: 'message_start', message: { ...message, container: { id: 'cntr-start' } } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', container: { id: 'cntr-end' } } },
      { type: 'message_stop' },
    ]),
  );
  assert.equal(await status(path, { ...messages, stream: true }), 200);
  for (const container of ['cntr-start', 'cntr-end']) {
    assert.equal(await status(path, { ...messages, stream: true, container }), 200, container);
    assert.equal(await status(path, { ...messages, container }, 'colleague'), 404, container);
  }
});

test('the containers of streamed and of unstored responses on passthrough belong to the caller', async () => {
  const path = `${PASSTHROUGH_A_PATH}/responses`;
  const answer = { id: 'resp_1', object: 'response', status: 'completed' };
  harness.setReply(
    'a-one',
    createJsonReply({ ...answer, output: [{ ...CALL, container_id: 'cntr-unstored' }] }),
  );
  assert.equal(await status(path, { ...responses({ type: 'auto' }), store: false }), 200);
  assert.equal(await status(path, responses('cntr-unstored')), 200);
  assert.equal(await status(path, responses('cntr-unstored'), 'colleague'), 404);
  const done = { ...CALL, container_id: 'cntr-done' };
  harness.setReply(
    'a-one',
    createSseReply([
      { type: 'response.created', response: { ...answer, status: 'in_progress', output: [] } },
      { type: 'response.output_text.delta', delta: 'Hi' },
      { type: 'response.output_item.done', item: done },
      { type: 'response.completed', response: { ...answer, output: [] } },
    ]),
  );
  assert.equal(await status(path, { ...responses({ type: 'auto' }), stream: true }), 200);
  assert.equal(await status(path, { ...responses('cntr-done'), stream: true }), 200);
  assert.equal(await status(path, responses('cntr-done'), 'colleague'), 404);
});

test('what a stream or a request below another object creates belongs to the caller', async () => {
  const owned = async (prefix: string, id: string) => {
    harness.setReply(prefix === PASSTHROUGH_A_PATH ? 'a-one' : 'b-one', createJsonReply({ ok: true }));
    return [await status(`${prefix}/${id}`, null), await status(`${prefix}/${id}`, null, 'colleague')];
  };
  const create = async (path: string, reply: JsonObject, body: JsonObject = {}) => {
    harness.setReply(path.startsWith(PASSTHROUGH_A_PATH) ? 'a-one' : 'b-one', createJsonReply(reply));
    assert.equal(await status(path, body), 200, path);
  };
  const read = async (path: string, reply: JsonObject) => {
    harness.setReply(path.startsWith(PASSTHROUGH_A_PATH) ? 'a-one' : 'b-one', createJsonReply(reply));
    assert.equal(await status(path, null), 200, path);
  };
  const [a, b] = [PASSTHROUGH_A_PATH, `${PASSTHROUGH_B_PATH}/v1`];
  await create(`${a}/assistants`, { id: 'asst_1' });
  harness.setReply(
    'a-one',
    createSseReply([
      { event: 'thread.created', id: 'thread_s', object: 'thread' },
      { event: 'thread.run.created', id: 'run_s', object: 'thread.run', thread_id: 'thread_s' },
    ]),
  );
  assert.equal(await status(`${a}/threads/runs`, { assistant_id: 'asst_1', stream: true }), 200);
  harness.setReply(
    'a-one',
    createSseReply([{ type: 'conversation.response.started', conversation_id: 'conv_s' }]),
  );
  assert.equal(await status(`${a}/conversations`, { model: 'm-1', inputs: 'Hi', stream: true }), 200);
  harness.setReply(
    'a-one',
    createSseReply([{ type: 'conversation.response.started', conversation_id: 'conv_r' }]),
  );
  assert.equal(await status(`${a}/conversations/conv_s/restart`, { inputs: 'Hi', stream: true }), 200);
  await create(`${a}/videos`, { id: 'video_1' });
  await create(`${a}/videos/video_1/remix`, { id: 'video_2' });
  await create(`${a}/live/sessions`, { session: { id: 'live_1' } });
  await create(`${a}/live/sessions/live_1/fork`, { session: { id: 'live_2' } });
  await create(`${a}/agents/automations`, { id: 'auto_1' });
  await create(`${a}/agents/automations/auto_1/invocations`, { id: 'inv_1', session_id: null });
  await read(`${a}/agents/automations/auto_1/invocations/inv_1`, { id: 'inv_1', session_id: 'sess_a' });
  await create(`${b}/deployments`, { id: 'depl_1' });
  await create(`${b}/deployments/depl_1/run`, { id: 'drun_1', session_id: 'sess_b' });
  await create(`${b}/vaults`, { id: 'vault_1' });
  await create(`${b}/vaults/vault_1/credentials`, { id: 'cred_1' });
  await create(`${b}/dreams`, { id: 'dream_1', session_id: null, outputs: [] });
  await read(`${b}/dreams/dream_1`, {
    id: 'dream_1',
    session_id: 'sess_c',
    outputs: [{ type: 'memory_store', memory_store_id: 'memstore_1' }],
  });
  for (const id of [
    'threads/thread_s',
    'conversations/conv_s',
    'conversations/conv_r',
    'videos/video_2',
    'live/sessions/live_2',
    'agents/sessions/sess_a',
  ])
    assert.deepEqual(await owned(a, id), [200, 404], id);
  for (const id of [
    'deployment_runs/drun_1',
    'sessions/sess_b',
    'sessions/sess_c',
    'memory_stores/memstore_1',
  ])
    assert.deepEqual([id, ...(await owned(b, id))], [id, 200, 404]);
});

test('an object that is identified by its name belongs to its creator', async () => {
  harness.setReply('a-one', createJsonReply({ name: 'cachedContents/cache-1', model: 'm-1' }));
  assert.equal(await status(`${PASSTHROUGH_A_PATH}/cachedContents`, { model: 'm-1', contents: [] }), 200);
  const path = `${PASSTHROUGH_A_PATH}/models/m-1:generateContent`;
  const body = { contents: [{ parts: [{ text: 'Hi' }] }], cachedContent: 'cachedContents/cache-1' };
  assert.equal(await status(path, body), 200);
  assert.equal(await status(path, body, 'colleague'), 404);
  assert.equal(await status(`${PASSTHROUGH_A_PATH}/cachedContents/cache-1`, null), 200);
});

test('the user profile in a header belongs to its creator', async () => {
  harness.setReply('b-one', createJsonReply({ id: 'uprof_1' }));
  assert.equal(await status(`${PASSTHROUGH_B_PATH}/v1/user_profiles`, {}), 200);
  const path = `${PASSTHROUGH_B_PATH}/v1/messages`;
  const headers = { 'anthropic-user-profile-id': 'uprof_1' };
  for (const [key, expected] of [
    ['ours', 200],
    ['colleague', 404],
  ] as const)
    assert.equal((await harness.call(path, { body: messages, headers, key })).status, expected, key);
});

test('a list without an object around it or with the member items contains only own objects', async () => {
  const list = [{ id: 'ag_1' }, { id: 'foreign' }];
  harness.setReply('a-one', createJsonReply({ id: 'ag_1' }));
  assert.equal(await status(`${PASSTHROUGH_A_PATH}/agents`, {}), 200);
  harness.setReply('a-one', createJsonReply(list));
  const path = `${PASSTHROUGH_A_PATH}/agents`;
  assert.deepEqual((await harness.call(path)).json(), [{ id: 'ag_1' }]);
  assert.deepEqual((await harness.call(path, { key: 'colleague' })).json(), []);
  harness.setReply('a-one', createJsonReply({ items: list, page: 1 }));
  assert.deepEqual((await harness.call(path)).json(), { items: [{ id: 'ag_1' }], page: 1 });
  const events = { object: 'list', data: [{ id: 'response.completed' }] };
  harness.setReply('a-one', createJsonReply(events));
  assert.deepEqual((await harness.call(`${PASSTHROUGH_A_PATH}/webhook_event_types`)).json(), events);
});

test('objects whose owner is unknown are not available', async () => {
  const before = harness.requestCount('a-one');
  for (const [method, path] of [
    ['DELETE', 'models/ft:m-1'],
    ['POST', 'realtime/calls/rtc_1/accept'],
    ['POST', 'live/sessions/live_webhook/accept'],
    ['GET', 'chatkit/threads/cthr_1'],
    ['GET', 'safety/alerts/alert_1'],
    ['GET', 'safety/cases/case_1'],
    ['GET', 'fine_tuning/checkpoints/ft:m-1/permissions'],
    ['POST', 'fine_tuning/checkpoints/ft:m-1/permissions'],
    ['PATCH', 'fine_tuning/models/ft:m-1'],
    ['POST', 'fine_tuning/models/ft:m-1/archive'],
    ['POST', 'agents/completions'],
  ] as const) {
    const body = method === 'POST' ? { body: { agent_id: 'ag_console', messages: [] } } : {};
    const answer = await harness.call(`${PASSTHROUGH_A_PATH}/${path}`, { method, ...body });
    assert.equal(answer.status, 404, `${method} ${path}: ${answer.text}`);
  }
  assert.equal(harness.requestCount('a-one'), before);
});
