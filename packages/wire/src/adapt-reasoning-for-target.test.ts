import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from './dialects.ts';

const BODY = { model: 'm', max_tokens: 9_000, messages: [{ role: 'user', content: 'U' }] };
const [EFFORT, BUDGET] = ['reasoning.effort', 'reasoning.budget'];

test('a reasoning setting that a target cannot contain is reported as dropped', () => {
  const effort = { output_config: { effort: 'low' } };
  const budget = { thinking: { type: 'enabled', budget_tokens: 2_000 } };
  const both = { ...effort, ...budget };
  const cases = [
    ['chat', 'effort', { effort: [], budget: [], both: [BUDGET] }],
    ['chat', 'budget', { effort: [], budget: [], both: [EFFORT] }],
    ['chat', 'reasoning-object', { effort: [], budget: [], both: [EFFORT] }],
    ['chat', 'enable-flag', { effort: [], budget: [], both: [EFFORT] }],
    ['chat', 'switch', { effort: [EFFORT], budget: [BUDGET], both: [EFFORT, BUDGET] }],
    ['chat', 'adaptive', { effort: [EFFORT], budget: [BUDGET], both: [EFFORT, BUDGET] }],
    ['responses', 'effort', { effort: [], budget: [], both: [BUDGET] }],
    ['gemini', 'level', { effort: [], budget: [], both: [BUDGET] }],
    ['gemini', 'budget', { effort: [], budget: [], both: [EFFORT] }],
    ['converse', 'effort', { effort: [], budget: [], both: [BUDGET] }],
    ['converse', 'adaptive', { effort: [], budget: [], both: [BUDGET] }],
    ['converse', 'budget', { effort: [], budget: [], both: [EFFORT] }],
    ['cohere', 'budget', { effort: [], budget: [], both: [EFFORT] }],
  ] as const;
  const requests = { effort, budget, both };
  for (const [dialect, reasoningStyle, lost] of cases)
    for (const given of ['effort', 'budget', 'both'] as const) {
      const request = CLIENT_DIALECTS.messages.readRequest({ ...BODY, ...requests[given] });
      const { dropped } = UPSTREAM_DIALECTS[dialect].writeRequest(request, { reasoningStyle });
      const reported = [EFFORT, BUDGET].filter((name) => [...dropped].includes(name));
      assert.deepEqual(reported, lost[given], `${dialect} ${reasoningStyle}: ${given}`);
    }
});

test('a thinking that is switched off has no level, which is not a loss', () => {
  for (const thinking of [{ type: 'disabled' }, { type: 'enabled', budget_tokens: 0 }])
    for (const reasoningStyle of ['switch', 'adaptive'] as const) {
      const request = CLIENT_DIALECTS.messages.readRequest({ ...BODY, thinking });
      const { body, dropped } = UPSTREAM_DIALECTS.chat.writeRequest(request, { reasoningStyle });
      assert.deepEqual(body['thinking'], { type: 'disabled' });
      assert.deepEqual([...dropped], []);
    }
});

test('the effort minimal, which Claude does not have, is reported if it becomes low', () => {
  for (const [effort, lost] of [
    ['minimal', ['reasoning.effort.clamped']],
    ['low', []],
  ] as const)
    for (const dialect of ['messages', 'converse'] as const) {
      const request = CLIENT_DIALECTS.chat.readRequest({ ...BODY, reasoning_effort: effort });
      const written = UPSTREAM_DIALECTS[dialect].writeRequest(request, { reasoningStyle: 'adaptive' });
      assert.match(JSON.stringify(written.body), /"effort":"low"/);
      assert.deepEqual([...written.dropped], lost, `${dialect} ${effort}`);
    }
});

test('a thinking that is switched on without an amount leaves the amount to the provider', () => {
  const isThinking = (member: object, reasoningStyle: 'budget' | 'adaptive') => {
    const request = CLIENT_DIALECTS.chat.readRequest({ ...BODY, ...member });
    const { body, dropped } = UPSTREAM_DIALECTS.messages.writeRequest(request, { reasoningStyle });
    assert.deepEqual([...request.dropped, ...dropped], []);
    return body['thinking'] !== undefined;
  };
  for (const reasoningStyle of ['budget', 'adaptive'] as const) {
    assert.ok(isThinking({ thinking: { type: 'enabled' } }, reasoningStyle));
    assert.ok(isThinking({ reasoning: { enabled: true } }, reasoningStyle));
    assert.ok(!isThinking({ reasoning: { enabled: null } }, reasoningStyle));
  }
  const request = CLIENT_DIALECTS.messages.readRequest({ ...BODY, thinking: { type: 'adaptive' } });
  const { body } = UPSTREAM_DIALECTS.chat.writeRequest(request, { reasoningStyle: 'reasoning-object' });
  assert.deepEqual(body['reasoning'], { enabled: true });
});
