// The request id as the official clients read it, and what they read of a stream that failed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { APIError } from '@anthropic-ai/sdk';
import { callHttp } from '@floe/testkit/http-client';
import { createJsonReply, createSseReply } from '@floe/testkit/upstream-reply';
import { objectOrEmpty } from './answer-content.ts';
import { type DialectGateway, startDialectGateway } from './dialect-gateway.ts';
import { sampleReply } from './upstream-samples.ts';

let harness: DialectGateway;
before(async () => {
  harness = await startDialectGateway();
});
after(() => harness.close());

const ask = {
  model: 'messages/m-1',
  max_tokens: 10,
  messages: [{ role: 'user' as const, content: 'Hi' }],
};

test('the Anthropic SDK finds the request id of responses, streams, counts and models', async () => {
  harness.setReply('messages', sampleReply('messages', 'text', false));
  const { _request_id } = await harness.anthropic.messages.create(ask);
  assert.equal(_request_id, harness.lastId());
  harness.setReply('messages', sampleReply('messages', 'text', true));
  const stream = harness.anthropic.messages.stream(ask);
  await stream.finalMessage();
  assert.equal(stream.request_id, harness.lastId());
  const counted = await harness.anthropic.messages.countTokens({ ...ask, model: 'chat/m-1' });
  assert.equal(counted._request_id, harness.lastId());
  const model = await harness.anthropic.models.retrieve('messages/m-1');
  assert.equal(model._request_id, harness.lastId());
});

test('the Anthropic SDK finds the request id of errors, whoever causes them', async () => {
  const bad = { type: 'error', error: { type: 'invalid_request_error', message: 'no' }, request_id: 'req_1' };
  harness.setReply('messages', { ...createJsonReply(bad), status: 400, headers: { 'request-id': 'req_1' } });
  for (const model of ['messages/m-1', 'messages/unknown']) {
    const failed = harness.anthropic.messages.create({ ...ask, model });
    await assert.rejects(
      failed,
      (error) => error instanceof APIError && error.requestID === harness.lastId(),
    );
  }
  const unknown = await callHttp(`${harness.url}/messages/unknown`, {
    headers: { 'x-api-key': harness.key },
    body: ask,
  });
  assert.equal(unknown.headers['request-id'], unknown.headers['x-request-id']);
});

test('a Responses stream that the provider ends as failed keeps the token counts of the provider', async () => {
  const response = { id: 'resp_1', object: 'response', status: 'in_progress', output: [], usage: null };
  const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
  const failed = { ...response, status: 'failed', usage, error: { code: 'server_error', message: 'Oops' } };
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const frames = [
    { type: 'response.created', sequence_number: 0, response },
    { type: 'response.output_text.delta', sequence_number: 1, ...at, delta: 'Hello' },
    { type: 'response.failed', sequence_number: 2, response: failed },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  harness.setReply('responses', createSseReply(frames));
  const answer = await callHttp(`${harness.url}/responses`, {
    headers: { authorization: `Bearer ${harness.key}` },
    body: { model: 'responses/m-1', input: 'Hi', store: false, stream: true },
  });
  const last = objectOrEmpty(JSON.parse(answer.frames().at(-1)?.data ?? ''));
  assert.equal(last['type'], 'response.failed');
  assert.deepEqual(objectOrEmpty(last['response'])['usage'], usage);
});
