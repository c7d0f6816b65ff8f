import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, nextEventLoopTurn } from '@floe/testkit/fake-clock';
import { type Log, silentLog } from '../core/log.ts';
import { createProvider, type Provider } from './configured-provider.ts';
import { createModelListCache } from './model-list.ts';
import { parseModelListPage } from './model-list-page.ts';
import { findProviderDefinition } from './provider-definitions.ts';
import type { UpstreamRequest, UpstreamTransport } from './transport.ts';

const ids = (body: unknown) => parseModelListPage(body).models.map((model) => model.id);

test('a model list is read in every format that providers use', () => {
  assert.deepEqual(ids({ object: 'list', data: [{ id: 'a', object: 'model' }, { id: 'b' }] }), ['a', 'b']);
  assert.deepEqual(ids([{ id: 'vendor/Model', type: 'chat' }]), ['vendor/Model']);
  assert.deepEqual(ids({ models: [{ name: 'models/x', displayName: 'X' }] }), ['x']);
  assert.deepEqual(ids({ data: [{ id: 'vendor/a', name: 'Vendor: A' }] }), ['vendor/a']);
  assert.deepEqual(ids({ object: 'list', data: null }), []);
});

test('entries without a model, or whose model does not generate text, are ignored', () => {
  const methods = (name: string, ...supportedGenerationMethods: string[]) => ({
    name: `models/${name}`,
    supportedGenerationMethods,
  });
  assert.deepEqual(ids({ data: [null, 'a', {}, { id: 7 }, { id: '' }, { id: 'b' }] }), ['b']);
  assert.deepEqual(
    ids({ models: [methods('draw', 'predict'), methods('talk', 'generateContent', 'countTokens')] }),
    ['talk'],
  );
});

test('a response that is not a list is an error and not an empty list', () => {
  for (const body of [{ error: { message: 'no' } }, 'text', 7, null, { data: 'x' }])
    assert.throws(() => parseModelListPage(body), /not a model list/);
});

test('the maximum output of a model is found under all its names', () => {
  for (const name of ['outputTokenLimit', 'max_output_tokens', 'max_completion_tokens'])
    assert.equal(parseModelListPage([{ id: 'a', [name]: 8192 }]).models[0]?.maxOutputTokens, 8192, name);
  const nested = { id: 'a', top_provider: { max_completion_tokens: 8192 } };
  assert.equal(parseModelListPage([nested]).models[0]?.maxOutputTokens, 8192);
  assert.equal(parseModelListPage([{ id: 'a', max_completion_tokens: 0 }]).models[0]?.maxOutputTokens, null);
});

test('creation time and context window are found under all their names', () => {
  const [model] = parseModelListPage({
    data: [{ id: 'a', created_at: '2026-02-01T00:00:00Z', max_input_tokens: 200_000, owned_by: 'o' }],
  }).models;
  assert.deepEqual(model, {
    id: 'a',
    created: 1_769_904_000,
    ownedBy: 'o',
    contextWindow: 200_000,
    maxOutputTokens: null,
  });
  const names = [
    'context_window',
    'context_length',
    'max_model_len',
    'max_context_length',
    'inputTokenLimit',
  ];
  for (const name of names)
    assert.equal(parseModelListPage([{ id: 'a', [name]: 8192 }]).models[0]?.contextWindow, 8192, name);
  assert.deepEqual(parseModelListPage([{ id: 'a', created: 'soon', context_length: null }]).models[0], {
    id: 'a',
    created: 0,
    ownedBy: '',
    contextWindow: null,
    maxOutputTokens: null,
  });
});

test('the next page is found in every format', () => {
  const next = (rest: object) => parseModelListPage({ data: [], ...rest }).next;
  assert.equal(next({ has_more: true, last_id: 'claude x' }), 'after_id=claude%20x');
  assert.equal(next({ has_more: false, last_id: 'claude' }), undefined);
  assert.equal(next({ nextPageToken: 'a/b=' }), 'pageToken=a%2Fb%3D');
  assert.equal(next({ nextPageToken: '' }), undefined);
  assert.equal(next({ next_page_token: 'n' }), 'page_token=n');
  assert.equal(next({}), undefined);
});

function provider(
  kind: string,
  models: readonly string[] = ['*'],
  { orgId, secret = 'secret' }: { readonly orgId?: string; readonly secret?: string } = {},
): Provider {
  const definition = findProviderDefinition(kind);
  assert.ok(definition, kind);
  return createProvider({
    id: kind,
    orgId,
    definition,
    baseUrl: definition.baseUrl ?? 'https://host.test',
    credentials: [{ name: 'main', secret, weight: 1 }],
    models,
    headers: {},
    body: {},
    timeouts: { connectMs: 1, headersMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
  });
}

const flow = { pause: () => undefined, resume: () => undefined };

/** Lists over a transport that answers each path with a body, and with status 500 where there is none. */
function listsOver(bodyOf: (path: string) => unknown) {
  const requests: UpstreamRequest[] = [];
  const transport: UpstreamTransport = {
    dispatch(request, handler) {
      requests.push(request);
      const body = bodyOf(request.path);
      queueMicrotask(() => {
        handler.onHead(body === undefined ? 500 : 200, {}, flow);
        if (body === undefined) return;
        handler.onData(Buffer.from(JSON.stringify(body)));
        handler.onEnd();
      });
      return () => undefined;
    },
    close: () => Promise.resolve(),
  };
  const clock = new FakeClock();
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (_, message) => void warnings.push(message) };
  return { lists: createModelListCache(transport, clock, log), requests, clock, warnings };
}

test('all pages of a list are read, with the constant headers of the provider', async () => {
  const { lists, requests } = listsOver((path) =>
    path.includes('after_id')
      ? { data: [{ id: 'b' }], has_more: false, last_id: 'b' }
      : { data: [{ id: 'a' }], has_more: true, last_id: 'a' },
  );
  const anthropic = provider('anthropic');
  lists.watch([anthropic]);
  await nextEventLoopTurn();
  assert.deepEqual(
    lists.modelsOf(anthropic).map((model) => model.id),
    ['a', 'b'],
  );
  assert.deepEqual(
    requests.map((request) => request.path),
    ['/v1/models?limit=1000', '/v1/models?limit=1000&after_id=a'],
  );
  for (const { headers } of requests) {
    assert.equal(headers[headers.indexOf('anthropic-version') + 1], '2023-06-01');
    assert.equal(headers[headers.indexOf('x-api-key') + 1], 'secret');
  }
  lists.close();
});

test('a list without end is cut off, and one that refers to itself is read once more', async () => {
  let count = 0;
  const endless = listsOver(() => ({ models: [{ name: `models/m${count}` }], nextPageToken: `${count++}` }));
  const gemini = provider('gemini');
  endless.lists.watch([gemini]);
  await nextEventLoopTurn();
  assert.equal(endless.requests.length, 20);
  assert.equal(endless.lists.modelsOf(gemini).length, 20);
  endless.lists.close();

  const circular = listsOver(() => ({ models: [{ name: 'models/m' }], nextPageToken: 'same' }));
  circular.lists.watch([gemini]);
  await nextEventLoopTurn();
  assert.equal(circular.requests.length, 2);
  circular.lists.close();
});

test('the last valid list is kept if a later request fails', async () => {
  let broken = false;
  const { lists, clock, warnings } = listsOver(() => (broken ? undefined : { data: [{ id: 'a' }] }));
  const openai = provider('openai');
  lists.watch([openai]);
  await nextEventLoopTurn();
  broken = true;
  await clock.advanceAsync(10 * 60 * 1000);
  assert.equal(warnings.length, 1);
  assert.deepEqual(
    lists.modelsOf(openai).map((model) => model.id),
    ['a'],
  );
  lists.close();
});

test('providers without a list, or with an exact allowlist, are not called', async () => {
  const { lists, requests } = listsOver(() => ({ data: [] }));
  lists.watch([provider('azure-openai'), provider('openai', ['gpt-5'])]);
  await nextEventLoopTurn();
  assert.equal(requests.length, 0);
  lists.close();
});

test('the sandbox is listed before its list was requested', () => {
  const { lists } = listsOver(() => undefined);
  assert.deepEqual(
    lists.modelsOf(provider('sandbox')).map((model) => model.id),
    ['echo', 'tools', 'slow', 'flaky'],
  );
});

test('organizations do not see models in the lists of others, also with the same provider', async () => {
  const ids = ['ft:acme', 'ft:other'];
  const { lists } = listsOver(() => ({ data: [{ id: ids.shift() }] }));
  const [acme, other] = ['acme', 'other'].map((orgId) => provider('openai', ['*'], { orgId }));
  assert.ok(acme && other);
  lists.watch([acme, other]);
  await nextEventLoopTurn();
  const listed = [acme, other].map((one) => lists.modelsOf(one).map((model) => model.id));
  assert.deepEqual(listed, [['ft:acme'], ['ft:other']]);
  lists.close();
});

test('a changed organization reads only the lists of new providers and changed credentials again', async () => {
  const { lists, requests } = listsOver(() => ({ data: [{ id: 'a' }] }));
  lists.watch([provider('openai')]);
  await nextEventLoopTurn();
  lists.watch([provider('openai'), provider('groq')]);
  await nextEventLoopTurn();
  assert.equal(requests.length, 2);
  lists.watch([provider('openai', ['*'], { secret: 'rotated' }), provider('groq')]);
  await nextEventLoopTurn();
  assert.equal(requests.length, 3);
  lists.close();
});

test('a list that is too large or has too many values is not read, and further models are omitted', async () => {
  const { lists, warnings } = listsOver((path) => {
    if (path.includes('pageToken')) return { models: [{ name: 'x'.repeat(3 << 20) }] };
    return { models: [{ name: 'x'.repeat(2 << 20) }], nextPageToken: 'next' };
  });
  const gemini = provider('gemini');
  lists.watch([gemini]);
  await nextEventLoopTurn();
  assert.deepEqual([lists.modelsOf(gemini).length, warnings.length], [0, 1]);
  lists.close();

  const nested = listsOver(() => ({ data: Array.from({ length: 400_000 }, () => []) }));
  nested.lists.watch([provider('openai')]);
  await nextEventLoopTurn();
  assert.equal(nested.warnings.length, 1);
  nested.lists.close();

  const many = listsOver(() => ({ data: Array.from({ length: 6_000 }, (_, n) => ({ id: `m${n}` })) }));
  const openai = provider('openai');
  many.lists.watch([openai]);
  await nextEventLoopTurn();
  assert.equal(many.lists.modelsOf(openai).length, 5_000);
  many.lists.close();
});

test('while a list of one organization does not respond, the lists of others are read', async () => {
  const requested: string[] = [];
  const transport: UpstreamTransport = {
    dispatch({ orgId = '', origin }) {
      requested.push(`${orgId} ${new URL(origin).hostname}`);
      return () => undefined;
    },
    close: () => Promise.resolve(),
  };
  const lists = createModelListCache(transport, new FakeClock(), silentLog);
  const of = (orgId: string) => ['openai', 'groq'].map((kind) => provider(kind, ['*'], { orgId }));
  lists.watch([...of('hostile'), ...of('acme')]);
  await nextEventLoopTurn();
  assert.deepEqual(requested, ['hostile api.openai.com', 'acme api.openai.com']);
  lists.close();
});

test('a read that waited for its turn uses the credentials of that moment', async () => {
  const { lists, requests } = listsOver(() => ({ data: [{ id: 'a' }] }));
  // The list of openai is being read, so the list of groq waits.
  lists.watch([provider('openai'), provider('groq')]);
  lists.watch([provider('openai'), provider('groq', ['*'], { secret: 'rotated' })]);
  await nextEventLoopTurn();
  const sent = requests.filter(({ origin }) => origin.includes('groq')).map(({ headers }) => headers);
  assert.ok(sent.length > 0);
  for (const headers of sent) assert.ok(headers.includes('Bearer rotated'), headers.join(' '));
  lists.close();
});

test('while a provider does not respond, refreshes do not make the queue of its organization longer', async () => {
  let requests = 0;
  let isSilent = true;
  const transport: UpstreamTransport = {
    dispatch(_, handler) {
      requests++;
      if (!isSilent) queueMicrotask(() => handler.onError(new Error('refused')));
      return () => undefined;
    },
    close: () => Promise.resolve(),
  };
  const clock = new FakeClock();
  const lists = createModelListCache(transport, clock, silentLog);
  lists.watch([provider('openai'), provider('groq')]);
  await nextEventLoopTurn();
  // Each time, one of the two lists fails after its time limit, and both are due again.
  for (let refresh = 0; refresh < 6; refresh++) {
    clock.advance(10 * 60_000);
    await nextEventLoopTurn();
  }
  isSilent = false;
  requests = 0;
  clock.advance(30_000);
  for (let turn = 0; turn < 10; turn++) await nextEventLoopTurn();
  assert.ok(requests <= 2, `${requests} requests for two lists`);
  lists.close();
});
