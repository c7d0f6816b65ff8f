import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProvider, type ProviderSettings } from './configured-provider.ts';
import type { Dialect } from './provider-definition.ts';
import { findProviderDefinition } from './provider-definitions.ts';

type Settings = Partial<ProviderSettings>;

function provider(kind: string, settings: Settings = {}) {
  const definition = findProviderDefinition(kind);
  assert.ok(definition, kind);
  return createProvider({
    id: kind,
    definition,
    baseUrl: definition.baseUrl ?? 'https://host.test/v1',
    credentials: [{ name: 'main', secret: 'secret', weight: 1 }],
    models: ['*'],
    headers: {},
    body: {},
    timeouts: { connectMs: 1, headersMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
    ...settings,
  });
}

/** Kind, settings, dialect, stream or whole, and the address a request for model `a/b:c` goes to. */
type Case = readonly [kind: string, settings: Settings, dialect: Dialect, stream: boolean, url: string];

const GEMINI = 'https://generativelanguage.googleapis.com/v1beta/models/a%2Fb%3Ac';
const AZURE = 'https://name.openai.azure.com';
const DATED = { apiVersion: '2024-10-21' };
const NEWER = { apiVersion: '2025-04-01-preview' };
const DEPLOYED = `${AZURE}/openai/deployments/a%2Fb%3Ac/chat/completions?api-version=2024-10-21`;

const CASES: readonly Case[] = [
  ['openai', {}, 'chat', true, 'https://api.openai.com/v1/chat/completions'],
  ['openai', {}, 'responses', true, 'https://api.openai.com/v1/responses'],
  [
    'openai',
    { baseUrl: 'https://eu.api.openai.com/v1/' },
    'chat',
    false,
    'https://eu.api.openai.com/v1/chat/completions',
  ],
  ['anthropic', {}, 'messages', true, 'https://api.anthropic.com/v1/messages'],
  [
    'anthropic',
    { baseUrl: 'https://proxy.test/a/v1' },
    'messages',
    false,
    'https://proxy.test/a/v1/messages',
  ],
  [
    'anthropic-compatible',
    { baseUrl: 'https://name.services.ai.azure.com/anthropic' },
    'messages',
    true,
    'https://name.services.ai.azure.com/anthropic/v1/messages',
  ],
  ['gemini', {}, 'gemini', false, `${GEMINI}:generateContent`],
  ['gemini', {}, 'gemini', true, `${GEMINI}:streamGenerateContent?alt=sse`],
  ['azure-openai', { baseUrl: AZURE }, 'chat', true, `${AZURE}/openai/v1/chat/completions`],
  ['azure-openai', { baseUrl: `${AZURE}/` }, 'responses', true, `${AZURE}/openai/v1/responses`],
  ['azure-openai', { baseUrl: `${AZURE}/openai` }, 'chat', true, `${AZURE}/openai/v1/chat/completions`],
  ['azure-openai', { baseUrl: `${AZURE}/openai/v1/` }, 'chat', true, `${AZURE}/openai/v1/chat/completions`],
  [
    'azure-openai',
    { baseUrl: AZURE, apiVersion: 'preview' },
    'responses',
    false,
    `${AZURE}/openai/v1/responses?api-version=preview`,
  ],
  ['azure-openai', { baseUrl: AZURE, ...DATED }, 'chat', false, DEPLOYED],
  ['azure-openai', { baseUrl: `${AZURE}/openai/`, ...DATED }, 'chat', true, DEPLOYED],
  ['azure-openai', { baseUrl: `${AZURE}/openai/v1`, ...DATED }, 'chat', true, DEPLOYED],
  [
    'azure-openai',
    { baseUrl: AZURE, ...NEWER },
    'responses',
    true,
    `${AZURE}/openai/responses?api-version=2025-04-01-preview`,
  ],
  ['mistral', {}, 'chat', true, 'https://api.mistral.ai/v1/chat/completions'],
  ['groq', {}, 'chat', true, 'https://api.groq.com/openai/v1/chat/completions'],
  ['groq', {}, 'responses', true, 'https://api.groq.com/openai/v1/responses'],
  ['deepseek', {}, 'chat', true, 'https://api.deepseek.com/chat/completions'],
  ['deepseek', {}, 'responses', true, 'https://api.deepseek.com/responses'],
  ['deepseek', {}, 'messages', true, 'https://api.deepseek.com/anthropic/v1/messages'],
  [
    'deepseek',
    { baseUrl: 'https://api.deepseek.com/v1' },
    'messages',
    true,
    'https://api.deepseek.com/anthropic/v1/messages',
  ],
  ['xai', {}, 'responses', true, 'https://api.x.ai/v1/responses'],
  ['xai', {}, 'chat', true, 'https://api.x.ai/v1/chat/completions'],
  ['xai', {}, 'messages', true, 'https://api.x.ai/v1/messages'],
  ['together', {}, 'messages', true, 'https://api.together.ai/v1/messages'],
  ['together', {}, 'responses', true, 'https://api.together.ai/v1/responses'],
  ['fireworks', {}, 'messages', true, 'https://api.fireworks.ai/inference/v1/messages'],
  ['openrouter', {}, 'messages', true, 'https://openrouter.ai/api/v1/messages'],
  ['openrouter', {}, 'responses', true, 'https://openrouter.ai/api/v1/responses'],
  ['perplexity', {}, 'responses', true, 'https://api.perplexity.ai/v1/responses'],
  ['ollama', {}, 'messages', true, 'http://127.0.0.1:11434/v1/messages'],
  ['vllm', {}, 'responses', true, 'https://host.test/v1/responses'],
  ['cerebras', {}, 'chat', true, 'https://api.cerebras.ai/v1/chat/completions'],
  ['moonshot', {}, 'chat', true, 'https://api.moonshot.ai/v1/chat/completions'],
  ['openai-compatible', {}, 'chat', true, 'https://host.test/v1/chat/completions'],
  // A dialect only the operator knows of stands where copies put it.
  ['openai-compatible', { dialects: ['messages'] }, 'messages', true, 'https://host.test/v1/messages'],
];

test('each dialect of each provider has its own path', () => {
  for (const [kind, settings, dialect, stream, url] of CASES) {
    const configured = provider(kind, settings);
    assert.ok(configured.dialects.includes(dialect), `${kind} speaks ${dialect}`);
    assert.equal(configured.origin + configured.pathOf(dialect, 'a/b:c', stream), url);
  }
});

test('the model list has the same base path as the others, and Azure has none', () => {
  const lists: readonly (readonly [string, Settings, string | undefined])[] = [
    ['openai', {}, '/v1/models'],
    ['anthropic', { baseUrl: 'https://proxy.test/a/v1/' }, '/a/v1/models?limit=1000'],
    ['gemini', {}, '/v1beta/models?pageSize=1000'],
    ['deepseek', {}, '/models'],
    ['azure-openai', { baseUrl: AZURE }, undefined],
  ];
  for (const [kind, settings, path] of lists)
    assert.equal(provider(kind, settings).modelLists[0]?.path, path);
});

test('embeddings and opaque requests have their own paths if the provider has them', () => {
  const cases: readonly (readonly [kind: string, settings: Settings, embeddings: string, rerank: string])[] =
    [
      ['openai', {}, '/v1/embeddings', '/v1/rerank'],
      ['gemini', {}, '/v1beta/models/m@1:batchEmbedContents', '/v1beta/rerank'],
      ['cohere', {}, '/v2/embed', '/v2/rerank'],
      ['cohere', { baseUrl: 'https://proxy.test/co' }, '/co/v2/embed', '/co/v2/rerank'],
    ];
  for (const [kind, settings, embeddings, rerank] of cases) {
    const configured = provider(kind, settings);
    assert.equal(configured.embeddingsPath('m@1'), embeddings);
    for (const model of ['m@1', '']) assert.equal(configured.opaquePath('rerank', model), rerank);
  }
});

test('the key is sent in the header of the provider', () => {
  const header = (kind: string) => {
    const configured = provider(kind);
    const flat = configured.headersFor(configured.nextCredential());
    const at = flat.findIndex((text) => text.includes('secret'));
    return `${flat[at - 1]}: ${flat[at]}`;
  };
  assert.equal(header('openai'), 'authorization: Bearer secret');
  assert.equal(header('anthropic'), 'x-api-key: secret');
  assert.equal(header('anthropic-compatible'), 'x-api-key: secret');
  assert.equal(header('gemini'), 'x-goog-api-key: secret');
  assert.equal(header('azure-openai'), 'api-key: secret');
  assert.equal(header('deepseek'), 'authorization: Bearer secret');
});

test('the Messages API is pinned to the version that accepts sampling fields', () => {
  for (const kind of ['anthropic', 'anthropic-compatible'])
    assert.deepEqual(provider(kind).definition.headers, { 'anthropic-version': '2023-06-01' });
});

test('an Azure API version older than Responses uses Chat only', () => {
  assert.deepEqual(provider('azure-openai', { baseUrl: AZURE, ...DATED }).dialects, ['chat']);
  assert.deepEqual(provider('azure-openai', { baseUrl: AZURE, ...NEWER }).dialects, ['chat', 'responses']);
  assert.equal(provider('azure-openai', { baseUrl: AZURE, ...DATED }).dialectFor('gpt-5.6'), 'chat');
});

test('reasoning models use Responses, where tools and reasoning can be combined', () => {
  for (const kind of ['openai', 'azure-openai']) {
    const dialectOf = provider(kind).dialectFor;
    for (const model of ['gpt-5', 'gpt-5.6', 'gpt-5.4-pro', 'gpt-5.1-chat-latest', 'o3', 'o4-mini', 'gpt-7'])
      assert.equal(dialectOf(model), 'responses', model);
    for (const model of ['gpt-4.1', 'gpt-4o-mini', 'gpt-5-chat-latest', 'gpt-4o-search-preview', 'my-model'])
      assert.equal(dialectOf(model), 'chat', model);
  }
});

test('a dialect that the operator disables is not preferred', () => {
  assert.equal(provider('openai', { dialects: ['chat'] }).dialectFor('gpt-5.6'), 'chat');
  assert.equal(provider('xai').dialectFor('grok-4.6'), 'responses');
  assert.equal(provider('xai', { dialects: ['chat'] }).dialectFor('grok-4.6'), 'chat');
});

test("with deployments, a model is known by the requested name or by the provider's name", () => {
  const azure = provider('azure-openai', {
    baseUrl: AZURE,
    deployments: { 'gpt-5.6': 'prod-1', smart: 'gpt-5.6-eu' },
  });
  for (const model of ['gpt-5.6', 'smart']) {
    assert.equal(azure.dialectFor(model), 'responses');
    assert.equal(azure.optionsFor(model).reasoningStyle, 'effort');
  }
  assert.equal(azure.upstreamModel('gpt-5.6'), 'prod-1');
  assert.equal(azure.pathOf('responses', azure.upstreamModel('smart'), true), '/openai/v1/responses');
});
