import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { compileModelPatterns } from '../core/model-pattern.ts';
import { createProvider, type Provider } from '../providers/configured-provider.ts';
import { chatProviderDefaults } from '../providers/provider-definition.ts';
import { listAliases } from './list-aliases.ts';
import { type CompiledRoute, EMPTY_ORG_CATALOG, type OrgCatalog, resolveRoute } from './org-catalog.ts';

const TIMEOUTS = { connectMs: 1, headersMs: 2, firstTokenMs: 3, idleMs: 4, totalMs: 5 };

function provider(id: string, models: string[]): [string, Provider] {
  const definition = { ...chatProviderDefaults, kind: id, name: id, keyVariables: [], docs: '', checked: '' };
  const credentials = [{ name: 'main', secret: id, weight: 1 }];
  const settings = {
    id,
    definition,
    baseUrl: 'http://127.0.0.1:9/v1',
    credentials,
    models,
    headers: {},
    body: {},
    timeouts: TIMEOUTS,
  };
  return [id, createProvider(settings)];
}

function route(model: string, targets: string[], more: Partial<CompiledRoute> = {}): CompiledRoute {
  const plain = {
    weights: [],
    strategy: 'failover',
    rescue: 'error',
    retries: 1,
    timeouts: {},
    chatReasoning: undefined,
    cache: undefined,
  } as const;
  return { model, matches: compileModelPatterns([model]), targets, ...plain, ...more };
}

function catalog(routes: CompiledRoute[] = []): OrgCatalog {
  const providers = new Map([provider('one', ['gpt-5*', 'vendor/m']), provider('two', ['*'])]);
  return { ...EMPTY_ORG_CATALOG, providers, routes };
}

const anything = () => true;

function namesOf(subject: OrgCatalog, id: string, mayUse: (id: string) => boolean = anything): string[] {
  return resolveRoute(subject, mayUse, id).targets.map((target) => `${target.provider.id}/${target.model}`);
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
  return 'none';
}

test('the part before the first slash is the provider, and the rest with all slashes is the model', () => {
  assert.deepEqual(namesOf(catalog(), 'one/vendor/m'), ['one/vendor/m']);
  assert.deepEqual(namesOf(catalog(), 'two/a/b/c'), ['two/a/b/c']);
});

test('a model that is not enabled or not on the allowlist is not found', () => {
  for (const id of ['gpt-5', 'three/gpt-5', 'one/other', '/x', 'one/', ''])
    assert.equal(
      codeOf(() => namesOf(catalog(), id)),
      'model_not_found',
      id,
    );
});

test('a model that the key must not use is reported as not allowed', () => {
  assert.equal(
    codeOf(() => namesOf(catalog(), 'two/x', (id) => id.startsWith('one/'))),
    'model_not_allowed',
  );
});

test('an alias resolves to its targets in order', () => {
  assert.deepEqual(namesOf(catalog([route('smart', ['one/gpt-5', 'two/x'])]), 'smart'), [
    'one/gpt-5',
    'two/x',
  ]);
});

test('a route for a model id does not override the allowlist', () => {
  assert.equal(
    codeOf(() => namesOf(catalog([route('one/*', ['two/x'])]), 'one/other')),
    'model_not_found',
  );
  assert.deepEqual(namesOf(catalog([route('one/gpt-5*', ['two/x'])]), 'one/gpt-5-mini'), ['two/x']);
});

test('targets that the allowlist or the key excludes are skipped with the reason', () => {
  const subject = catalog([route('smart', ['one/other', 'three/x', 'two/x', 'one/gpt-5'])]);
  const course = resolveRoute(subject, (id) => id === 'smart' || id.startsWith('one/'), 'smart');
  assert.deepEqual(
    course.targets.map((target) => target.model),
    ['gpt-5'],
  );
  assert.equal(course.skipped.length, 3);
});

test('an alias without a target that the key may use is not allowed', () => {
  const subject = catalog([route('smart', ['two/x'])]);
  assert.equal(
    codeOf(() => namesOf(subject, 'smart', (id) => id === 'smart')),
    'model_not_allowed',
  );
});

test('aliases with a target that the key may use are listed, but no patterns and model ids', () => {
  const subject = catalog([
    route('smart', ['two/x']),
    route('smart', ['one/gpt-5']),
    route('one/gpt-5', ['two/x']),
    route('team/*', ['two/x']),
    route('settings', []),
    route('gone', ['three/x']),
    route('other/name', ['one/gpt-5']),
  ]);
  assert.deepEqual(listAliases(subject, anything), ['smart', 'other/name']);
  assert.deepEqual(
    listAliases(subject, (id) => ['smart', 'one/gpt-5'].includes(id)),
    [],
  );
});

test('aliases are compared only with patterns, and once per catalog', () => {
  let comparisons = 0;
  const counted = (subject: CompiledRoute): CompiledRoute => ({
    ...subject,
    matches: (model) => {
      comparisons += 1;
      return subject.matches(model);
    },
  });
  const names = Array.from({ length: 100 }, (_, at) => `alias-${at}`);
  const routes = [route('alias-1*', ['two/x']), ...names.map((name) => route(name, ['two/x']))];
  const subject = catalog(routes.map(counted));
  for (let n = 0; n < 3; n += 1) assert.equal(listAliases(subject, anything).length, 89);
  assert.ok(comparisons <= routes.length, String(comparisons));
});

test('a route without targets changes settings of matching models and adds no models', () => {
  const subject = catalog([route('*', [], { retries: 7 })]);
  const course = resolveRoute(subject, anything, 'two/x');
  assert.deepEqual([course.targets.map((target) => target.model), course.retries], [['x'], 7]);
  for (const id of ['gpt-5', 'three/x', 'one/other'])
    assert.equal(
      codeOf(() => namesOf(subject, id)),
      'model_not_found',
      id,
    );
});

test('each deadline of a route replaces that of the provider', () => {
  const subject = catalog([route('smart', ['two/x'], { timeouts: { idleMs: 40 } })]);
  assert.deepEqual(resolveRoute(subject, anything, 'smart').targets[0]?.timeouts, {
    ...TIMEOUTS,
    idleMs: 40,
  });
});
