import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestWriteOptions } from '@floe/wire/dialect';
import { createProvider } from './configured-provider.ts';
import { findProviderDefinition } from './provider-definitions.ts';

function optionsOf(kind: string, model: string): RequestWriteOptions {
  const definition = findProviderDefinition(kind);
  assert.ok(definition, kind);
  return createProvider({
    id: kind,
    definition,
    baseUrl: definition.baseUrl ?? 'https://host.test',
    credentials: [],
    models: ['*'],
    headers: {},
    body: {},
    timeouts: { connectMs: 1, headersMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
  }).optionsFor(model);
}

/** `efforts` in any order: the order only decides ties. */
function effortsOf(kind: string, model: string): string {
  return [...(optionsOf(kind, model).efforts ?? ['all'])].sort().join(' ');
}

function thinkOf(kind: string, models: readonly string[]): readonly (string | undefined)[] {
  return models.map((model) => optionsOf(kind, model).reasoningStyle);
}

test('Claude uses a thinking budget up to 4.5, and adaptive thinking from 4.6', () => {
  const budget = [
    'claude-sonnet-4-5-20250929',
    'claude-opus-4-1',
    'claude-sonnet-4-20250514',
    'claude-haiku-4-5',
  ];
  const adaptive = [
    'claude-sonnet-4-6',
    'claude-opus-4-7',
    'claude-opus-5',
    'claude-sonnet-5',
    'claude-next-9',
  ];
  for (const kind of ['anthropic', 'anthropic-compatible']) {
    assert.deepEqual(thinkOf(kind, budget), Array(budget.length).fill('budget'));
    assert.deepEqual(thinkOf(kind, adaptive), Array(adaptive.length).fill('adaptive'));
  }
  assert.equal(optionsOf('anthropic', 'claude-3-5-haiku-20241022').reasoningStyle, 'none');
  assert.equal(optionsOf('anthropic-compatible', 'anthropic.claude-opus-4-6-v1').reasoningStyle, 'adaptive');
});

test('Claude from 4.7 rejects all sampling fields; before, only temperature is accepted', () => {
  for (const model of [
    'claude-opus-4-7',
    'claude-opus-4-8',
    'claude-sonnet-5',
    'claude-fable-5',
    'claude-mythos-5',
  ])
    assert.deepEqual(optionsOf('anthropic', model).rejectedFields, ['temperature', 'top_p', 'top_k'], model);
  for (const model of ['claude-opus-4-6', 'claude-sonnet-4-5', 'claude-opus-4-20250514'])
    assert.deepEqual(optionsOf('anthropic', model).rejectedFields, ['top_p'], model);
  assert.deepEqual(optionsOf('anthropic-compatible', 'minimax-m3').rejectedFields, undefined);
});

test('each Claude family has its limit, and xhigh only if the family supports it', () => {
  const capOf = (model: string) => optionsOf('anthropic', model).clamps?.['max_tokens']?.max;
  assert.equal(capOf('claude-opus-4-7'), 128_000);
  assert.equal(capOf('claude-sonnet-4-6'), 128_000);
  assert.equal(capOf('claude-sonnet-4-5'), 64_000);
  assert.equal(capOf('claude-opus-4-1-20250805'), 32_000);
  assert.ok(!effortsOf('anthropic', 'claude-opus-4-6').includes('xhigh'));
  assert.equal(effortsOf('anthropic', 'claude-opus-4-7'), 'all');
});

test('thinking of the newest Claude models is never disabled', () => {
  for (const model of [
    'claude-opus-5-5',
    'claude-sonnet-5-5-20260928',
    'claude-fable-5-1',
    'claude-mythos-5',
  ])
    assert.equal(effortsOf('anthropic', model), 'high low max medium minimal xhigh', model);
  for (const model of ['claude-opus-5', 'claude-sonnet-5', 'claude-haiku-5-5'])
    assert.equal(effortsOf('anthropic', model), 'all', model);
});

test("OpenAI's model families have their reasoning efforts", () => {
  assert.equal(effortsOf('openai', 'gpt-5.6'), 'high low medium none xhigh');
  assert.equal(effortsOf('openai', 'gpt-5-mini-2025-08-07'), 'high low medium minimal');
  assert.equal(effortsOf('openai', 'gpt-5.1'), 'high low medium none');
  assert.equal(effortsOf('openai', 'gpt-5.1-codex'), 'high low medium');
  assert.equal(effortsOf('openai', 'gpt-5.4-pro'), 'high medium xhigh');
  assert.equal(effortsOf('openai', 'o3'), 'high low medium');
  assert.deepEqual(thinkOf('openai', ['gpt-4.1', 'gpt-4o', 'gpt-5-chat-latest']), ['none', 'none', 'none']);
});

test("OpenAI's reasoning models lose sampling and stop fields, and others only fields without an equivalent", () => {
  const refused = optionsOf('openai', 'o3').rejectedFields ?? [];
  for (const field of ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'stop'])
    assert.ok(refused.includes(field), field);
  assert.deepEqual(optionsOf('openai', 'gpt-4.1').rejectedFields, ['top_k']);
  assert.deepEqual(optionsOf('openai', 'gpt-5.6').tools, ['freeform']);
  assert.deepEqual(optionsOf('openai', 'gpt-4.1').tools, []);
});

test('Azure’s Mistral deployments keep max_tokens', () => {
  assert.deepEqual(optionsOf('azure-openai', 'gpt-5.6').renames, { max_tokens: 'max_completion_tokens' });
  for (const model of ['Mistral-large-2411', 'mistral-medium-2505', 'Codestral-2501'])
    assert.deepEqual(optionsOf('azure-openai', model).renames, {}, model);
});

test('Gemini uses a budget in 2.5 and a level from 3, where missing signatures have a placeholder', () => {
  assert.deepEqual(
    thinkOf('gemini', ['gemini-2.5-pro', 'gemini-3-pro-preview', 'gemini-2.0-flash', 'gemma-3']),
    ['budget', 'level', 'none', 'none'],
  );
  assert.equal(effortsOf('gemini', 'gemini-3-pro-preview'), 'high low medium');
  assert.ok(effortsOf('gemini', 'gemini-3-flash').includes('minimal'));
  assert.equal(optionsOf('gemini', 'gemini-3-flash').unsealedCallProof, 'skip_thought_signature_validator');
  assert.equal(optionsOf('gemini', 'gemini-2.5-flash').unsealedCallProof, undefined);
});

test('each Gemini 2.5 model has its range of thinking budgets', () => {
  const rangeOf = (kind: string, model: string) => optionsOf(kind, model).thinkingBudgets;
  for (const kind of ['gemini', 'vertex'] as const) {
    const pro = { min: 128, max: 32_768, required: true };
    assert.deepEqual(rangeOf(kind, 'gemini-2.5-pro'), pro);
    assert.deepEqual(rangeOf(kind, 'gemini-2.5-flash'), { min: 1, max: 24_576 });
    assert.deepEqual(rangeOf(kind, 'gemini-2.5-flash-lite'), { min: 512, max: 24_576 });
    assert.equal(rangeOf(kind, 'gemini-3-flash'), undefined);
  }
});

test("Mistral's call ids have nine characters, and are the same for the same call", () => {
  const { formatCallId, streamUsage, reasoningStyle } = optionsOf('mistral', 'mistral-large-latest');
  assert.ok(formatCallId);
  const ids = ['call_1', 'call_2', 'toolu_01A', '', 'x'.repeat(200)].map(formatCallId);
  for (const id of ids) assert.match(id, /^[A-Za-z0-9]{9}$/);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(formatCallId('call_1'), ids[0]);
  assert.equal(formatCallId('D681PevKs'), 'D681PevKs');
  assert.equal(streamUsage, false);
  assert.equal(reasoningStyle, 'none');
  assert.equal(optionsOf('mistral', 'mistral-small-latest').reasoningStyle, 'effort');
});

test('models without reasoning at multi-model hosts never receive reasoning fields', () => {
  assert.deepEqual(thinkOf('groq', ['openai/gpt-oss-120b', 'llama-3.3-70b-versatile']), ['effort', 'none']);
  assert.deepEqual(thinkOf('cerebras', ['gpt-oss-120b', 'gemma-4-31b']), ['effort', 'none']);
  assert.deepEqual(thinkOf('xai', ['grok-4.6', 'grok-4.20-multi-agent-reasoning']), ['effort', 'none']);
  assert.deepEqual(thinkOf('moonshot', ['kimi-k2.6', 'kimi-k3', 'kimi-k2.7-code']), [
    'switch',
    'effort',
    'none',
  ]);
  assert.deepEqual(thinkOf('ollama', ['gpt-oss:20b', 'llama3.3']), ['effort', 'none']);
});

test('earlier reasoning is sent back if the provider wants it', () => {
  const replayOf = (kind: string, model: string) => optionsOf(kind, model).replay;
  assert.equal(replayOf('deepseek', 'deepseek-flash'), 'reasoning_content');
  assert.equal(replayOf('moonshot', 'kimi-k3'), 'reasoning_content');
  assert.equal(replayOf('openrouter', 'anthropic/claude-opus-5'), 'reasoning_details');
  assert.equal(replayOf('groq', 'openai/gpt-oss-20b'), 'reasoning');
  assert.equal(replayOf('mistral', 'magistral-medium'), undefined);
});
