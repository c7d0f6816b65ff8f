import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import OpenAI from 'openai';
import { objectOrEmpty } from './answer-content.ts';
import { type DialectGateway, startDialectGateway } from './dialect-gateway.ts';

let harness: DialectGateway;
before(async () => {
  harness = await startDialectGateway({
    routes: [
      { model: 'messages-first', targets: ['messages/m-1', 'responses/m-1'], retries: 0 },
      { model: 'responses-twice', targets: ['responses/m-1', 'responses/gpt-5.5'], retries: 0 },
      { model: '*', retries: 0 },
    ],
  });
});
after(() => harness.close());

const input = [{ role: 'user' as const, content: 'How thick is the ice?' }];
const COMPACTION = {
  id: 'resp_7',
  object: 'response.compaction',
  created_at: 1_800_000_000,
  output: [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'How thick is the ice?' }] },
    { type: 'compaction', id: 'cmp_7', encrypted_content: 'Y29tcGFjdGVk' },
  ],
  usage: { input_tokens: 139, output_tokens: 43, total_tokens: 182 },
};

test('a provider of the Responses API compacts the conversation, and the tokens are charged', async () => {
  harness.setReply('responses', createJsonReply(COMPACTION));
  const compaction = await harness.openai.responses.compact({ model: 'responses/m-1', input });
  assert.deepEqual(compaction, COMPACTION);
  const { path, body } = harness.lastRequest('responses');
  assert.equal(path, '/v1/responses/compact');
  assert.deepEqual(JSON.parse(body.toString('utf8')), { model: 'm-1', input });
  const row = await harness.row(harness.lastId());
  assert.deepEqual(
    [
      row['surface'],
      row['state'],
      objectOrEmpty(row['usage'])['input_tokens'],
      objectOrEmpty(row['usage'])['output_tokens'],
    ],
    ['responses', 'complete', 139, 43],
  );
});

test('a model without the Responses API cannot compact a conversation', async () => {
  const before = harness.upstream('messages').requests.length;
  await assert.rejects(
    harness.openai.responses.compact({ model: 'messages/m-1', input }),
    (error) => error instanceof OpenAI.BadRequestError && error.code === 'unsupported_parameter',
  );
  assert.equal(harness.upstream('messages').requests.length, before);
});

test('a conversation is compacted only at the first target, which receives the later requests', async () => {
  const before = harness.upstream('responses').requests.length;
  await assert.rejects(
    harness.openai.responses.compact({ model: 'messages-first', input }),
    (error) => error instanceof OpenAI.BadRequestError && error.code === 'unsupported_parameter',
  );
  assert.equal(harness.upstream('responses').requests.length, before);
  harness.setReply('responses', createJsonReply({ error: { message: 'x' } }, 503));
  await assert.rejects(
    harness.openai.responses.compact({ model: 'responses-twice', input }),
    (error) => error instanceof OpenAI.InternalServerError,
  );
  const sent = harness.upstream('responses').requests.slice(before);
  assert.deepEqual(
    sent.map(({ body }) => objectOrEmpty(JSON.parse(body.toString('utf8')))['model']),
    ['m-1'],
  );
});

test('an answer that is not a compaction is an error of the provider', async () => {
  harness.setReply('responses', createJsonReply({ error: null, status: 'queued' }));
  await assert.rejects(
    harness.openai.responses.compact({ model: 'responses/m-1', input }),
    (error) => error instanceof OpenAI.InternalServerError && error.code === 'upstream_error',
  );
});
