// Text completions (`/gateway/v1/completions`), which evaluation tools and autocompletion use.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { callHttp } from '@floe/testkit/http-client';
import { createJsonReply, createSseReply } from '@floe/testkit/upstream-reply';
import OpenAI from 'openai';
import { objectOrEmpty } from './answer-content.ts';
import { type DialectGateway, startDialectGateway } from './dialect-gateway.ts';

const CARD = '4111 1111 1111 1111';
let harness: DialectGateway;
before(async () => {
  harness = await startDialectGateway({
    routes: [
      { model: 'both', targets: ['messages/m-1', 'chat/m-1'], retries: 0 },
      { model: '*', retries: 0 },
    ],
    limits: [{ name: 'tokens', scope: 'org', tpm: 100_000 }],
    policies: [
      { name: 'cards', on: 'request', detect: { pii: ['credit_card'] }, action: 'redact', mode: 'enforce' },
    ],
  });
});
after(() => harness.close());

const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };
const completion = (text: string) => ({
  id: 'cmpl-1',
  object: 'text_completion',
  created: 1,
  model: 'm-1',
  choices: [{ index: 0, text, finish_reason: 'stop', logprobs: null }],
  usage,
});
const chunk = (text: string, finish_reason: string | null, index = 0) => ({
  ...completion(''),
  choices: [{ index, text, finish_reason }],
  usage: null,
});

function call(body: object | string, key = harness.key) {
  return callHttp(`${harness.url}/completions`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  });
}

test("the provider receives the client's bytes with its own model id, and the usage is counted", async () => {
  const reply = JSON.stringify(completion('def add(a, b)'));
  harness.setReply('chat', { headers: { 'content-type': 'application/json' }, body: reply });
  const answer = await call('{"prompt" : "def ", "model":"chat/m-1","max_tokens": 5.0,"suffix":"\\u0062"}');
  assert.deepEqual([answer.status, answer.text], [200, reply]);
  const { path, body } = harness.lastRequest('chat');
  assert.equal(path, '/v1/completions');
  assert.equal(body.toString(), '{"prompt" : "def ", "model":"m-1","max_tokens": 5.0,"suffix":"\\u0062"}');
  const row = await harness.row(answer.headers['x-request-id'] ?? '');
  const counted = objectOrEmpty(row['usage']);
  assert.deepEqual(
    [row['surface'], row['state'], row['model'], counted['input_tokens'], counted['output_tokens']],
    ['completions', 'complete', 'm-1', 5, 7],
  );
});

test('the official client reads complete responses and streams', async () => {
  harness.setReply('chat', createJsonReply(completion('hello')));
  const whole = await harness.openai.completions.create({ model: 'chat/m-1', prompt: ['a', 'b'] });
  assert.equal(whole.choices[0]?.text, 'hello');
  harness.setReply(
    'chat',
    createSseReply([chunk('he', null), chunk('llo', null), chunk('', 'stop'), 'data: [DONE]\n\n']),
  );
  const stream = await harness.openai.completions.create({ model: 'chat/m-1', prompt: 'x', stream: true });
  let text = '';
  for await (const piece of stream) text += piece.choices[0]?.text ?? '';
  assert.equal(text, 'hello');
});

test('a stream that is cut off before every choice has finished does not look complete', async () => {
  const events = [chunk('a', null), chunk('b', null, 1), chunk('', 'stop')];
  for (const body of [{ prompt: ['one', 'two'] }, { prompt: 'one', n: 2 }]) {
    harness.setReply('chat', createSseReply(events));
    const answer = await call({ model: 'chat/m-1', stream: true, ...body });
    assert.equal(answer.isComplete, false, answer.text);
  }
  harness.setReply('chat', createSseReply([...events, chunk('', 'stop', 1)]));
  const answer = await call({ model: 'chat/m-1', stream: true, prompt: ['one', 'two'] });
  assert.equal(answer.isComplete, true, answer.text);
});

test('a provider without the endpoint is skipped, and an error names it if there is no other', async () => {
  harness.setReply('chat', createJsonReply(completion('hi')));
  const answer = await call({ model: 'both', prompt: 'x' });
  assert.deepEqual([answer.status, answer.headers['x-floe-provider']], [200, 'chat'], answer.text);
  for (const dialect of ['messages', 'gemini', 'converse', 'cohere']) {
    const refused = await call({ model: `${dialect}/m-1`, prompt: 'x' });
    const error = objectOrEmpty(objectOrEmpty(refused.json())['error']);
    assert.deepEqual(
      [refused.status, error['code'], error['param']],
      [400, 'unsupported_parameter', 'model'],
    );
    assert.match(String(error['message']), /completions/);
  }
});

test('policies evaluate every text of the request, and deny token ids that they cannot read', async () => {
  harness.setReply('chat', createJsonReply(completion('hi')));
  for (const member of [
    { prompt: `pay ${CARD}` },
    { prompt: ['a', `pay ${CARD}`] },
    { prompt: 'a', suffix: CARD },
  ]) {
    assert.equal((await call({ model: 'chat/m-1', ...member })).status, 200);
    assert.doesNotMatch(harness.lastRequest('chat').body.toString(), /4111/);
  }
  const before = harness.upstream('chat').requests.length;
  for (const prompt of [[9906, 1917], [[9906]], ['a', [9906]]]) {
    const denied = await call({ model: 'chat/m-1', prompt });
    assert.equal(objectOrEmpty(objectOrEmpty(denied.json())['error'])['code'], 'policy_denied', denied.text);
  }
  for (const body of ['{"model":"chat/m-1","Prompt":"x"}', '{"model":"chat/m-1","prompt":"x","prompt":"y"}'])
    assert.equal((await call(body)).status, 400, body);
  assert.equal(harness.upstream('chat').requests.length, before);
});

test('limits count the output of every prompt', async () => {
  const before = harness.upstream('chat').requests.length;
  const limited = await call({ model: 'chat/m-1', max_tokens: 30_000, prompt: ['a', 'b', 'c', 'd'] });
  assert.equal(limited.status, 429, limited.text);
  assert.equal(harness.upstream('chat').requests.length, before);
});

test('a request whose body names no model is rejected, because limits could not count it', async () => {
  const before = harness.upstream('chat').requests.length;
  for (const [query, headers] of [
    ['', { 'x-floe-provider': 'chat' }],
    ['?model=chat/m-1', {}],
  ] as const) {
    const answer = await callHttp(`${harness.url}/completions${query}`, {
      headers: { authorization: `Bearer ${harness.key}`, ...headers },
      body: { prompt: 'x', max_tokens: 200_000 },
    });
    const error = objectOrEmpty(objectOrEmpty(answer.json())['error']);
    assert.deepEqual(
      [answer.status, error['code'], error['param']],
      [400, 'missing_required_parameter', 'model'],
    );
  }
  assert.equal(harness.upstream('chat').requests.length, before);
});

test('an error of the provider and a key without the scope are errors of the endpoint', async () => {
  const refusal = { error: { message: 'prompt: not like this', type: 'invalid_request_error' } };
  harness.setReply('chat', createJsonReply(refusal, 400));
  const answer = await call({ model: 'chat/m-1', prompt: 'x' });
  assert.deepEqual([answer.status, answer.json()], [400, refusal]);
  assert.equal((await call({ model: 'chat/m-1', prompt: 'x' }, `${harness.key}x`)).status, 401);
  assert.equal((await call({ prompt: 'x' })).status, 400);
  await assert.rejects(
    harness.openai.completions.create({ model: 'nobody/m-1', prompt: 'x' }),
    (error) => error instanceof OpenAI.NotFoundError && error.code === 'model_not_found',
  );
});

test('a policy on responses, which this endpoint cannot apply, denies the request unless it only monitors', async (t) => {
  const policy = { name: 'no-mail', on: 'answer', detect: { pii: ['email'] }, action: 'redact' };
  for (const mode of ['enforce', 'monitor']) {
    const own = await startDialectGateway({ policies: [{ ...policy, mode }] });
    t.after(() => own.close());
    own.setReply('chat', createJsonReply(completion('mail ana@example.com')));
    const answer = await callHttp(`${own.url}/completions`, {
      headers: { authorization: `Bearer ${own.key}` },
      body: { model: 'chat/m-1', prompt: 'x' },
    });
    assert.equal(answer.status, mode === 'enforce' ? 403 : 200, answer.text);
    if (mode === 'enforce') assert.equal(own.upstream('chat').requests.length, 0);
    const { decisions } = await own.row(answer.headers['x-request-id'] ?? '');
    const outcomes = Array.isArray(decisions)
      ? decisions.filter(isJsonObject).map(({ outcome }) => outcome)
      : [];
    assert.ok(outcomes.includes(mode === 'enforce' ? 'policy_denied' : 'not_evaluated'), String(outcomes));
  }
});
