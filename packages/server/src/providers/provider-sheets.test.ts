import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProviderKind, PROVIDER_KIND_NAMES, PROVIDER_KINDS } from '@floe/contract/config/provider-kinds';
import type { RequestWriteOptions } from '@floe/wire/dialect';
import type { EndpointPath, ProviderSheet } from './provider-sheet.ts';
import { findProviderSheet, PROVIDER_SHEETS } from './provider-sheets.ts';

/** Every member a sheet may have; a new one is a decision, not a typing error. */
const MEMBERS = new Set<keyof ProviderSheet>([
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
  'priceBookName',
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
  'unsupportedFeatures',
]);
const has = (known: ReadonlySet<string>, name: string) => known.has(name);

function pathsOf({ dialectPaths, modelListPaths }: ProviderSheet): string[] {
  const both = (path: EndpointPath) =>
    typeof path === 'string' ? [path] : [path.nonStreaming, path.streaming];
  return [...Object.values(dialectPaths).flatMap(both), ...[modelListPaths ?? []].flat()];
}

test('no two sheets are of one kind, and each kind is one floe.yaml knows', () => {
  const kinds = PROVIDER_SHEETS.map((sheet) => sheet.kind);
  assert.deepEqual([...new Set(kinds)], kinds);
  for (const kind of kinds) assert.ok(isProviderKind(kind), kind);
});

test('every kind has a sheet', () => {
  const missing = PROVIDER_KIND_NAMES.filter((kind) => !findProviderSheet(kind));
  assert.deepEqual(missing, []);
});

for (const sheet of PROVIDER_SHEETS) {
  test(`the sheet of ${sheet.kind} says only what sheets can say`, () => {
    for (const member of Object.keys(sheet)) assert.ok(has(MEMBERS, member), member);
    for (const { models, options } of sheet.quirks ?? []) {
      for (const option of Object.keys(options)) assert.ok(has(OPTIONS, option), option);
      assert.notEqual(models?.length, 0, 'a quirk for no model');
    }
    assert.notEqual(sheet.name, '');
    assert.ok(Object.keys(sheet.dialectPaths).length > 0);
    for (const path of pathsOf(sheet)) assert.match(path, /^\/[^/]/);
    for (const { dialect } of sheet.dialectPreferences ?? []) assert.ok(sheet.dialectPaths[dialect], dialect);
    for (const name of Object.keys(sheet.headers ?? {})) assert.equal(name, name.toLowerCase());
    for (const { text } of sheet.errors ?? []) assert.equal(text, text.toLowerCase());
    for (const name of [
      ...sheet.keyVariables,
      ...(sheet.urlVariables ?? []),
      ...Object.values(sheet.requiredSettings ?? {}).flatMap(({ variables }) => variables),
    ])
      assert.match(name, /^[A-Z][A-Z0-9_]+$/);
  });

  test(`the sheet of ${sheet.kind} names its source and the day it was checked`, () => {
    if (sheet.kind !== 'sandbox') assert.equal(new URL(sheet.docs).protocol, 'https:');
    assert.equal(new Date(`${sheet.checked}T00:00:00Z`).toISOString().slice(0, 10), sheet.checked);
  });

  test(`the address of ${sheet.kind} is public knowledge or asked of the operator`, () => {
    const { baseUrl, kind } = sheet;
    const asked = isProviderKind(kind) && PROVIDER_KINDS[kind].base_url === 'required';
    assert.equal(baseUrl === undefined, asked);
    if (baseUrl === undefined) return;
    assert.doesNotMatch(baseUrl, /\/$/);
    assert.ok(['https:', 'http:', 'sandbox:'].includes(new URL(baseUrl).protocol));
  });
}

test('the sandbox lists its models before anything was read', () => {
  assert.deepEqual(findProviderSheet('sandbox')?.knownModels, ['echo', 'tools', 'slow', 'flaky']);
});
