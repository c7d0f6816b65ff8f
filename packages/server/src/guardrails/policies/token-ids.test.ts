// A prompt of token ids is text that neither conditions nor detectors can read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolicyConfig } from '@floe/contract/config';
import { PolicySchema } from '@floe/contract/config/limits-cache-policies';
import type { JsonObject } from '@floe/contract/json';
import { requestOf } from '../test/policy-requests.ts';
import { evaluateRequestPolicies } from './evaluate-bodies.ts';
import { compilePolicies } from './policies.ts';

const TOKEN_IDS: readonly JsonObject[] = [
  { input: [9906, 1917] },
  { input: [[9906], [1917]] },
  { prompt: [9906] },
  { prompt: ['a text', [9906]] },
  { prompt: ['a text', 9906] },
  { requests: [{ custom_id: 'c', body: { input: [9906] } }] },
  { requests: [{ params: { prompt: 'a text' } }, { params: { prompt: [[9906]] } }] },
];
const TEXTS: readonly JsonObject[] = [
  { input: 'a text' },
  { prompt: ['a text', 'another'], n: 2 },
  { input: [], prompt: null },
  { input: [{ role: 'user', content: 'a text', index: [1, 2] }] },
  { messages: [{ role: 'user', content: 'a text' }], input: 7 },
  { requests: [{ custom_id: 'c', body: { input: ['a text'], dimensions: 8 } }] },
];

function judge(body: JsonObject, policy: Partial<PolicyConfig>) {
  const config = PolicySchema.parse({ name: 'p', on: 'request', mode: 'enforce', ...policy });
  const set = compilePolicies([config])?.request ?? assert.fail();
  const { evaluation, body: sent } = evaluateRequestPolicies(set, requestOf(body));
  const { decisions, deniedBy } = evaluation;
  return { isDenied: deniedBy !== null, outcomes: decisions.map(({ outcome }) => outcome), sent };
}

const detect = { secrets: true, pii: [] } as const;

test('a policy that denies or redacts findings denies token ids, because it can do neither', () => {
  for (const body of TOKEN_IDS)
    for (const action of ['deny', 'redact'] as const)
      assert.equal(judge(body, { action, detect }).isDenied, true, `${action} ${JSON.stringify(body)}`);
  for (const body of TEXTS)
    for (const action of ['deny', 'redact'] as const)
      assert.equal(judge(body, { action, detect }).isDenied, false, `${action} ${JSON.stringify(body)}`);
});

test('a prompt in a batch whose fields are ambiguous may contain token ids', () => {
  const body = { requests: [{ body: { Input: [9906] } }] };
  assert.equal(judge(body, { action: 'deny', detect }).isDenied, true);
});

test('a policy that redacts findings in one text denies a request with token ids beside it', () => {
  const body = { prompt: [9906], suffix: 'mail ana@example.com' };
  const pii = { secrets: false, pii: ['email'] } as const;
  const denied = judge(body, { action: 'redact', detect: pii });
  assert.deepEqual([denied.isDenied, denied.outcomes], [true, ['denied']]);
  assert.deepEqual(judge(body, { action: 'flag', detect: pii }).outcomes, ['flagged']);
});

test('a policy that only allows, flags or monitors states that it cannot evaluate token ids', () => {
  for (const body of TOKEN_IDS) {
    for (const action of ['allow', 'flag'] as const)
      assert.deepEqual(judge(body, { action, detect }).outcomes, ['not_evaluated'], action);
    const monitored = judge(body, { action: 'redact', detect, mode: 'monitor' });
    assert.deepEqual([monitored.isDenied, monitored.outcomes], [false, ['would_deny']]);
  }
});

test('a condition that reads the text of token ids cannot be evaluated, and others can', () => {
  for (const body of TOKEN_IDS) {
    for (const when of ['request.text.contains("x")', 'request.messages.exists(m, m.text.contains("x"))'])
      assert.equal(judge(body, { action: 'deny', when }).isDenied, true, when);
    assert.equal(judge(body, { action: 'deny', when: 'request.bytes > 10000' }).isDenied, false);
  }
  for (const body of TEXTS)
    assert.equal(judge(body, { action: 'deny', when: 'request.text.contains("x ")' }).isDenied, false);
});
