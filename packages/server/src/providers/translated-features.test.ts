// Every feature of every client at models of every provider: carried, reported or refused, and in the form its API takes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import type { Json } from '@floe/contract/json';
import { REQUEST_FEATURES, type RequestFeature } from '@floe/testkit/request-features';
import { findRequestViolations } from '@floe/testkit/request-schemas';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '@floe/wire/dialects';
import { createUnsupportedFeatureFault, listUnsupportedFeatures } from '@floe/wire/request';
import { createProvider, type Provider } from './configured-provider.ts';
import { findProviderDefinition, PROVIDER_DEFINITIONS } from './provider-definitions.ts';

/** Models of whoever made the API they are asked in; any other provider is asked for one nothing is known of. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  openai: ['gpt-5.6', 'gpt-5', 'gpt-4.1', 'o3', 'o4-mini'],
  'azure-openai': ['gpt-5.4', 'prod'],
  anthropic: ['claude-opus-5', 'claude-sonnet-5', 'claude-opus-4-7', 'claude-sonnet-4-5', 'claude-3-5-haiku'],
  bedrock: ['amazon.nova-pro-v1:0', 'anthropic.claude-sonnet-4-5', 'openai.gpt-oss-120b', 'mistral.large'],
  gemini: ['gemini-3-pro', 'gemini-2.5-flash', 'gemini-2.0-flash'],
  vertex: ['gemini-2.5-pro', 'claude-sonnet-4-5'],
};

interface Sent {
  readonly body: Json;
  readonly dropped: ReadonlySet<string>;
}

function providerOf(kind: string): Provider {
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
    dialects: undefined,
    timeouts: { connectMs: 1, headersMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
  });
}

function outcomeOf({ client, body }: RequestFeature, provider: Provider, model: string): Sent | Fault {
  const upstream = UPSTREAM_DIALECTS[provider.dialectFor(model)];
  try {
    const options = provider.optionsFor(model);
    const ask = CLIENT_DIALECTS[client].readRequest(body);
    const [lost] = listUnsupportedFeatures(ask, upstream.supportedFeatures, options.unsupportedFeatures);
    if (lost) return createUnsupportedFeatureFault(lost);
    const written = upstream.writeRequest(ask, { model, cacheKey: 'made', ...options });
    const sent: Json = JSON.parse(JSON.stringify(written.body));
    return { body: sent, dropped: new Set([...ask.dropped, ...written.dropped]) };
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

describe('what clients say', () => {
  for (const { kind } of PROVIDER_DEFINITIONS)
    for (const model of MODELS[kind] ?? ['model-1'])
      test(`to ${kind}/${model} is sent, reported or rejected`, () => {
        const provider = providerOf(kind);
        const dialect = provider.dialectFor(model);
        for (const feature of REQUEST_FEATURES) {
          const outcome = outcomeOf(feature, provider, model);
          if (outcome instanceof Fault) {
            assert.ok(outcome.status === 400 && outcome.detail.param, feature.name);
            continue;
          }
          const text = JSON.stringify(outcome.body);
          const carried = feature.marks.some(
            (mark) => text.includes(mark) || text.includes(JSON.stringify(mark).slice(1, -1)),
          );
          const reported = [...outcome.dropped].some((name) => feature.lost.test(name));
          const where = `${feature.client} ${feature.name}: ${text.slice(0, 600)} [${[...outcome.dropped]}]`;
          assert.ok(carried || reported, where);
          // Hosts that copy an API have words of their own.
          if (kind in MODELS) assert.deepEqual(findRequestViolations(dialect, outcome.body), [], where);
        }
      });
});
