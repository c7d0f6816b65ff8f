import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isProviderKind,
  PROVIDER_KIND_NAMES,
  PROVIDER_KINDS,
  usesCloudSetting,
} from '@floe/contract/config/provider-kinds';
import type { RequestWriteOptions } from '@floe/wire/dialect';
import type { DialectEndpointOrPath, ProviderDefinition } from './provider-definition.ts';
import { findProviderDefinition, PROVIDER_DEFINITIONS } from './provider-definitions.ts';

/** Every member a definition may have; a new one is a decision, not a typing error. */
const MEMBERS = new Set<keyof ProviderDefinition>([
  'kind',
  'name',
  'baseUrl',
  'keyVariables',
  'urlVariables',
  'requiredSettings',
  'auth',
  'dialectPaths',
  'dialectPreferences',
  'headers',
  'address',
  'quirks',
  'modelListPaths',
  'streamUsage',
  'defaultSurface',
  'opaqueApis',
  'opaqueBasePath',
  'embeddings',
  'thinkTags',
  'priceCatalogName',
  'storesResponses',
  'countsTokens',
  'errors',
  'knownModels',
  'docs',
  'checked',
]);
const OPTIONS = new Set<keyof RequestWriteOptions>([
  'defaultMaxTokens',
  'reasoningStyle',
  'efforts',
  'rejectedFields',
  'hints',
  'renames',
  'clamps',
  'maxStopSequences',
  'messages',
  'tools',
  'replay',
  'sealOrigin',
  'unsealedCallProof',
  'formatCallId',
  'cacheMinTokens',
  'thinkingBudgets',
  'unsupportedFeatures',
]);
const has = (known: ReadonlySet<string>, name: string) => known.has(name);

function pathsOf({ dialectPaths, modelListPaths }: ProviderDefinition): string[] {
  const both = (path: DialectEndpointOrPath) =>
    typeof path === 'string' ? [path] : [path.nonStreaming, path.streaming];
  return [...Object.values(dialectPaths).flatMap(both), ...[modelListPaths ?? []].flat()];
}

test('each kind of provider in floe.yaml has exactly one definition', () => {
  const kinds = PROVIDER_DEFINITIONS.map((definition) => definition.kind);
  assert.deepEqual([...new Set(kinds)], kinds);
  for (const kind of kinds) assert.ok(isProviderKind(kind), kind);
});

test('every kind has a definition', () => {
  const missing = PROVIDER_KIND_NAMES.filter((kind) => !findProviderDefinition(kind));
  assert.deepEqual(missing, []);
});

for (const definition of PROVIDER_DEFINITIONS) {
  test(`the definition of ${definition.kind} has only known fields`, () => {
    for (const member of Object.keys(definition)) assert.ok(has(MEMBERS, member), member);
    for (const { models, options } of definition.quirks ?? []) {
      for (const option of Object.keys(options)) assert.ok(has(OPTIONS, option), option);
      assert.notEqual(models?.length, 0, 'a quirk for no model');
    }
    assert.notEqual(definition.name, '');
    assert.ok(Object.keys(definition.dialectPaths).length > 0);
    for (const path of pathsOf(definition)) assert.match(path, /^\/[^/]/);
    for (const { dialect } of definition.dialectPreferences ?? [])
      assert.ok(definition.dialectPaths[dialect], dialect);
    for (const name of Object.keys(definition.headers ?? {})) assert.equal(name, name.toLowerCase());
    for (const { text } of definition.errors ?? []) assert.equal(text, text.toLowerCase());
    for (const name of [
      ...definition.keyVariables,
      ...(definition.urlVariables ?? []),
      ...Object.values(definition.requiredSettings ?? {}).flatMap(({ variables }) => variables),
    ])
      assert.match(name, /^[A-Z][A-Z0-9_]+$/);
  });

  test(`the definition of ${definition.kind} has its source and the date of the check`, () => {
    if (definition.kind !== 'sandbox') assert.equal(new URL(definition.docs).protocol, 'https:');
    assert.equal(new Date(`${definition.checked}T00:00:00Z`).toISOString().slice(0, 10), definition.checked);
  });

  test(`the URL of ${definition.kind} is public or must be configured`, () => {
    const { baseUrl, kind } = definition;
    const asked = isProviderKind(kind) && PROVIDER_KINDS[kind].base_url === 'required';
    assert.equal(baseUrl === undefined, asked);
    for (const setting of ['region', 'project'] as const)
      assert.equal(usesCloudSetting(kind, setting), definition.requiredSettings?.[setting] !== undefined);
    if (baseUrl === undefined) return;
    assert.doesNotMatch(baseUrl, /\/$/);
    assert.ok(['https:', 'http:', 'sandbox:'].includes(new URL(baseUrl).protocol));
  });
}

test('the sandbox lists its models before they were requested', () => {
  assert.deepEqual(findProviderDefinition('sandbox')?.knownModels, ['echo', 'tools', 'slow', 'flaky']);
});
