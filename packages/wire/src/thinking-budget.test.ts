import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from './dialects.ts';
import type { CanonicalRequest, ReasoningSettings } from './request.ts';
import { resolveThinkingBudget } from './thinking-budget.ts';

const BASE = CLIENT_DIALECTS.chat.readRequest({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });

function resolve(reasoning: ReasoningSettings, maxTokens: number | undefined, minimum = 0): unknown {
  const dropped = new Set<string>();
  const request: CanonicalRequest = { ...BASE, reasoning, maxTokens };
  return [resolveThinkingBudget(request, dropped, minimum), ...dropped];
}

test('a thinking budget that follows from an effort leaves a fifth of the token limit for the text', () => {
  const clamped = 'reasoning.effort.clamped';
  assert.deepEqual(resolve({ effort: 'high' }, 5_000), [4_000, clamped]);
  assert.deepEqual(resolve({ effort: 'low' }, 5_000), [2_048]);
  assert.deepEqual(resolve({ effort: 'high' }, undefined), [16_384]);
  assert.deepEqual(resolve({ effort: 'none' }, 5_000), [0]);
  assert.deepEqual(resolve({ effort: 'low' }, 1_280, 1_024), [1_024, clamped]);
  assert.deepEqual(resolve({ effort: 'low' }, 1_279, 1_024), [1_023], 'too small, so not sent');
});

test('a thinking budget of the caller is sent if it fits below the token limit', () => {
  assert.deepEqual(resolve({ budget: 4_999 }, 5_000), [4_999]);
  assert.deepEqual(resolve({ budget: 5_000 }, 5_000), [4_000, 'reasoning.effort.clamped']);
  assert.deepEqual(resolve({ budget: 100 }, 5_000, 1_024), [1_024]);
});

test('thinking leaves room for the text at every target that expects a budget', () => {
  for (const dialect of ['messages', 'converse', 'gemini', 'cohere'] as const) {
    const request: CanonicalRequest = { ...BASE, reasoning: { effort: 'high' }, maxTokens: 5_000 };
    const { body, dropped } = UPSTREAM_DIALECTS[dialect].writeRequest(request, {
      model: 'm',
      reasoningStyle: 'budget',
    });
    assert.match(JSON.stringify(body), /"(budget_tokens|thinkingBudget|token_budget)":4000/, dialect);
    assert.ok([...dropped].includes('reasoning.effort.clamped'), dialect);
  }
});
