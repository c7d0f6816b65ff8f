import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PolicySchema } from '@floe/contract/config/limits-cache-policies';
import type { JsonObject } from '@floe/contract/json';
import { requestOf } from '../test/policy-requests.ts';
import { evaluateResponsePolicies } from './evaluate-bodies.ts';
import { compilePolicies } from './policies.ts';
import { RequestEcho } from './request-echo.ts';

const INSTRUCTIONS = 'You are the bot of support@acme.com.';
const REQUEST = {
  model: 'm',
  input: 'Hi',
  instructions: INSTRUCTIONS,
  user: 'ana@acme.com',
  tools: [{ type: 'function', name: 'mail', description: 'Writes to ops@acme.com' }],
};
const ECHO = {
  instructions: INSTRUCTIONS,
  user: 'ana@acme.com',
  tools: [{ type: 'function', name: 'mail', description: 'Writes to ops@acme.com', strict: true }],
};

function evaluate(action: 'deny' | 'redact', answer: string, members: JsonObject) {
  const policy = { name: 'mail', on: 'answer', mode: 'enforce', action, detect: { pii: ['email'] } };
  const policies = compilePolicies([PolicySchema.parse(policy)]);
  assert.ok(policies?.answer);
  const response = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    ...members,
    output: [
      { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: answer }] },
    ],
  };
  const { evaluation, body } = evaluateResponsePolicies(policies.answer, {
    request: requestOf(REQUEST, { surface: 'responses' }),
    dialect: 'responses',
    body: Buffer.from(JSON.stringify(response)),
    usage: null,
    id: 'x',
  });
  return { ...evaluation, body: body.toString(), sent: JSON.stringify(response) };
}

test('response policies do not check what a response repeats from the request', () => {
  for (const action of ['deny', 'redact'] as const) {
    const { decisions, body, sent } = evaluate(action, 'Hello!', ECHO);
    assert.deepEqual(decisions, []);
    assert.equal(body, sent);
  }
  assert.deepEqual(evaluate('deny', 'Write to bob@acme.com.', ECHO).deniedBy?.name, 'mail');
  const { body, sent, decisions } = evaluate('redact', 'Write to bob@acme.com.', ECHO);
  assert.equal(body, sent.replace('bob@acme.com', '[redacted:email]'));
  assert.match(decisions[0]?.reason ?? '', /found 1 email in output/);
});

test('values that the provider adds to a repeated member do not make it different', () => {
  const added = {
    ...ECHO,
    user: 'ana@acme.com',
    tools: [
      ...ECHO.tools.map((tool) => ({ ...tool, ranking: 'auto', search_context_size: 'medium' })),
      { type: 'approximate', max_num_results: 20, score_threshold: 0.5 },
    ],
  };
  assert.deepEqual(evaluate('deny', 'Hello!', added).decisions, []);
});

test('members of a request up to 256 KB together are compared', () => {
  const part = (at: number) => `${'word '.repeat(25_000)}${at}`;
  const request = {
    model: 'm',
    input: 'Hi',
    instructions: part(1),
    tools: [part(2), part(3)],
    user: part(4),
  };
  const echo = new RequestEcho(requestOf(request, { surface: 'responses' }));
  const { instructions, tools, user } = request;
  assert.deepEqual(Object.keys(echo.remove({ instructions, user })), []);
  assert.deepEqual(Object.keys(echo.remove({ instructions, tools, user, output: [] })), ['tools', 'output']);
});

test('response policies check a member that differs from the one of the request', () => {
  for (const changed of [
    { instructions: `${INSTRUCTIONS} Call bob@acme.com.` },
    { metadata: { note: 'ana@acme.com' } },
    { user: 'ops@acme.com' },
    { tools: [...ECHO.tools, { type: 'function', name: 'x', description: 'bob@acme.com' }] },
    { other: INSTRUCTIONS },
  ])
    assert.ok(evaluate('deny', 'Hello!', { ...ECHO, ...changed }).deniedBy, JSON.stringify(changed));
});
