// Equal requests are answered from earlier answers, through the real server and an upstream that never says the
// same thing twice.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { isStreamingRequest } from '@floe/testkit/api-surface';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { TestGate } from '@floe/testkit/gate';
import { callHttp, type HttpCallOptions, type HttpCallResponse } from '@floe/testkit/http-client';
import { type RawRequest, sendPipelined } from '@floe/testkit/raw-client';
import type { UpstreamReply } from '@floe/testkit/upstream-reply';
import fc from 'fast-check';
import OpenAI from 'openai';
import { objectOrEmpty, TEST_DIALECTS, type TestDialect } from './answer-content.ts';
import { sampleReply } from './upstream-samples.ts';
import { waitForRows } from './wait-for-rows.ts';

const KEYS = {
  one: `eis_one${'0'.repeat(32)}`,
  two: `eis_two${'0'.repeat(32)}`,
  stranger: `eis_stranger${'0'.repeat(32)}`,
  alone: `eis_alone${'0'.repeat(32)}`,
  off: `eis_off${'0'.repeat(32)}`,
  kept: `eis_kept${'0'.repeat(32)}`,
  spared: `eis_spared${'0'.repeat(32)}`,
} as const;
const SCOPES = ['gateway', 'management', 'read'];
const KINDS: Readonly<Record<TestDialect, JsonObject>> = {
  chat: { kind: 'openai-compatible' },
  responses: { kind: 'openai-compatible', dialects: ['responses'] },
  messages: { kind: 'anthropic-compatible' },
  gemini: { kind: 'gemini' },
  converse: { kind: 'bedrock', region: 'test-1' },
  cohere: { kind: 'cohere' },
};
const SURFACES = {
  chat: { path: '/gateway/v1/chat/completions', more: {} },
  responses: { path: '/gateway/v1/responses', more: { store: false } },
  messages: { path: '/gateway/v1/messages', more: { max_tokens: 100 } },
} as const;
type Surface = keyof typeof SURFACES;

let floe: FloeProcess;
const upstreams = new Map<TestDialect, FakeUpstream>();
const asked = new Map<TestDialect, number>();
let special: ((n: number) => UpstreamReply | undefined) | null = null;
const gate = new TestGate();
let gated = false;

before(async () => {
  for (const dialect of TEST_DIALECTS)
    upstreams.set(
      dialect,
      await startFakeUpstream({
        async respond({ path, body }) {
          const n = (asked.get(dialect) ?? 0) + 1;
          asked.set(dialect, n);
          if (gated) await gate.pass();
          const isStream = isStreamingRequest(path, JSON.parse(body.toString('utf8')));
          // The text of every answer is told apart by a number in it.
          return (
            special?.(n) ??
            sampleReply(dialect, 'text', isStream, (text) => text.replace(/Welt/g, `Welt ${n}`))
          );
        },
      }),
    );
  const providers = TEST_DIALECTS.map((id) => ({
    id,
    ...KINDS[id],
    base_url: `${upstreams.get(id)?.url}/v1`,
    api_key: `secret-of-${id}`,
    models: ['m-1', 'm-2'],
  }));
  const routes = [{ model: '*', retries: 0 }];
  const key = (name: keyof typeof KEYS) => ({ name, key: KEYS[name], scopes: SCOPES });
  const cache = { enabled: true, ttl_seconds: 600 };
  const orgs = [
    { id: 'acme', keys: [key('one'), key('two')], providers, routes, cache: { ...cache, scope: 'org' } },
    { id: 'other', keys: [key('stranger')], providers, routes, cache: { ...cache, scope: 'org' } },
    { id: 'narrow', keys: [key('alone')], providers, routes, cache: { ...cache, scope: 'key' } },
    {
      id: 'plain',
      keys: [key('off'), key('kept')],
      providers: providers.map((one) => ({ ...one, prices: { 'm-2': { input: 1, output: 2 } } })),
      routes: [{ model: 'chat/m-2', cache: 'on', retries: 0 }, ...routes],
    },
    {
      id: 'spared',
      keys: [key('spared')],
      providers,
      routes: [{ model: 'chat/m-2', cache: 'off', retries: 0 }, ...routes],
      cache,
    },
  ];
  floe = await startFloeProcess({ yaml: JSON.stringify({ orgs }) });
});
after(async () => {
  await floe.stop();
  for (const upstream of upstreams.values()) await upstream.close();
});

let questions = 0;
/** A question nobody asked before. */
const fresh = () => `What holds the ice in place? ${++questions}`;

interface Question {
  readonly surface?: Surface;
  readonly model?: string;
  readonly key?: keyof typeof KEYS;
  readonly headers?: Readonly<Record<string, string>>;
  readonly options?: HttpCallOptions;
  readonly query?: string;
}

function ask(
  text: string,
  more: JsonObject = {},
  { surface = 'chat', ...rest }: Question = {},
): Promise<HttpCallResponse> {
  const turn = [{ role: 'user', content: text }];
  const { path, more: base } = SURFACES[surface];
  return callHttp(floe.url + path + (rest.query ?? ''), {
    ...rest.options,
    headers: { authorization: `Bearer ${KEYS[rest.key ?? 'one']}`, ...rest.headers },
    body: {
      model: rest.model ?? 'chat/m-1',
      ...(surface === 'responses' ? { input: turn } : { messages: turn }),
      ...base,
      ...more,
    },
  });
}

const outcome = ({ status, headers }: HttpCallResponse) => `${status} ${headers['x-floe-cache']}`;

for (const surface of ['chat', 'responses', 'messages'] as const)
  for (const dialect of TEST_DIALECTS)
    for (const stream of [false, true])
      test(`${surface} over ${dialect}, ${stream ? 'streamed' : 'whole'}: the second equal request receives the bytes of the first response`, async () => {
        const text = fresh();
        const question: Question = { surface, model: `${dialect}/m-1` };
        const first = await ask(text, { stream }, question);
        assert.equal(outcome(first), '200 miss', first.text);
        const before = asked.get(dialect);
        const second = await ask(text, { stream }, question);
        assert.equal(outcome(second), '200 hit');
        assert.equal(second.text, first.text);
        assert.equal(second.headers['content-type'], first.headers['content-type']);
        assert.equal(second.headers['x-floe-attempts'], '0');
        assert.equal(second.headers['x-floe-provider'], dialect);
        assert.equal(asked.get(dialect), before);
        // In the other form it is the same answer, read and written anew.
        const other = await ask(text, { stream: !stream }, question);
        assert.equal(outcome(other), '200 hit');
        assert.equal(asked.get(dialect), before);
        assert.equal(saidBy(other), saidBy(first));
        assert.match(saidBy(other), /Welt \d/);
      });

test('the official client reads a stream from a cached complete response, with usage on request', async () => {
  const text = fresh();
  const client = new OpenAI({ apiKey: KEYS.one, baseURL: `${floe.url}/gateway/v1`, maxRetries: 0 });
  const body = { model: 'messages/m-1', messages: [{ role: 'user' as const, content: text }] };
  const whole = await client.chat.completions.create(body);
  const stream = await client.chat.completions.create({
    ...body,
    stream: true,
    stream_options: { include_usage: true },
  });
  let said = '';
  let tokens = 0;
  for await (const chunk of stream) {
    said += chunk.choices[0]?.delta.content ?? '';
    tokens += chunk.usage?.total_tokens ?? 0;
  }
  assert.equal(said, whole.choices[0]?.message.content);
  assert.equal(tokens, whole.usage?.total_tokens);
});

test('a route can enable or disable the cache of its organization, and the savings are counted', async () => {
  const text = fresh();
  const on = { key: 'kept', model: 'chat/m-2' } as const;
  assert.equal(outcome(await ask(text, {}, on)), '200 miss');
  const hit = await ask(text, {}, on);
  assert.equal(outcome(hit), '200 hit');
  assert.equal(outcome(await ask(text, {}, { ...on, model: 'chat/m-1' })), '200 undefined');
  const off = { key: 'spared', model: 'chat/m-2' } as const;
  for (let n = 0; n < 2; n += 1) assert.equal(outcome(await ask(text, {}, off)), '200 undefined');
  assert.equal(outcome(await ask(text, {}, { ...off, model: 'chat/m-1' })), '200 miss');
  const id = String(hit.headers['x-request-id']);
  const row = (await waitForRows(floe.url, KEYS.kept, [id])).get(id);
  const usage = objectOrEmpty(row?.['usage']);
  const worth = Number(usage['input_tokens']) * 1_000 + Number(usage['output_tokens']) * 2_000;
  assert.deepEqual([row?.['state'], row?.['cost_nano_usd'], row?.['saved_nano_usd']], ['cached', 0, worth]);
  const stats = await callHttp(`${floe.url}/api/management/cache/stats`, {
    headers: { authorization: `Bearer ${KEYS.kept}` },
  });
  assert.equal(objectOrEmpty(objectOrEmpty(stats.json())['last_day'])['saved_nano_usd'], worth);
});

test('a response cached from a stream without usage has its usage in other formats', async () => {
  const text = fresh();
  await ask(text, { stream: true });
  const whole = await ask(text);
  assert.equal(outcome(whole), '200 hit');
  assert.ok(Number(objectOrEmpty(objectOrEmpty(whole.json())['usage'])['total_tokens']) > 0, whole.text);
  const shown = await ask(text, { stream: true, stream_options: { include_usage: true } });
  assert.equal(outcome(shown), '200 hit');
  assert.match(shown.text, /"total_tokens":[1-9]/);
  assert.doesNotMatch((await ask(text, { stream: true })).text, /"total_tokens":[1-9]/);
});

test('the content of a request determines the cache entry, not its notation', async () => {
  const text = fresh();
  const headers = { authorization: `Bearer ${KEYS.one}`, 'content-type': 'application/json' };
  const send = (body: string) => callHttp(`${floe.url}${SURFACES.chat.path}`, { headers, body });
  const turn = `[{"role":"user","content":"${text}"}]`;
  assert.equal(outcome(await send(`{"model":"chat/m-1","messages":${turn},"seed":1}`)), '200 miss');
  const respelled = text.replace('What', '\\u0057hat');
  const other = `{ "seed": 1,\n"messages":[{"content":"${respelled}","role":"user"}], "model":"chat/m-1" }`;
  assert.equal(outcome(await send(other)), '200 hit');
  assert.equal(outcome(await send(`{"model":"chat/m-1","messages":${turn},"seed":2}`)), '200 miss');
  assert.equal(outcome(await send(`{"model":"chat/m-1","messages":${turn},"seed":1.0}`)), '200 miss');
  // Nobody knows which of two equal members a provider reads.
  const double = `{"model":"chat/m-1","messages":[{"role":"user","content":"x","content":"${text}"}]}`;
  assert.equal(outcome(await send(double)), '200 bypass');
});

test('no cached response is shared between organizations, keys with scope key, models, providers, surfaces or forwarded headers', async () => {
  const text = fresh();
  assert.equal(outcome(await ask(text)), '200 miss');
  assert.equal(outcome(await ask(text, {}, { key: 'two' })), '200 hit');
  assert.equal(outcome(await ask(text, {}, { key: 'stranger' })), '200 miss');
  assert.equal(outcome(await ask(text, {}, { key: 'alone' })), '200 miss');
  assert.equal(outcome(await ask(text, {}, { model: 'chat/m-2' })), '200 miss');
  assert.equal(outcome(await ask(text, {}, { model: 'messages/m-1' })), '200 miss');
  assert.equal(outcome(await ask(text, { max_tokens: 100 }, { surface: 'messages' })), '200 miss');
  assert.equal(outcome(await ask(text, {}, { headers: { 'openai-beta': 'x=1' } })), '200 miss');
  assert.equal(outcome(await ask(text, {}, { query: '?x=1' })), '200 miss');
  const plain = await ask(text, {}, { key: 'off' });
  assert.deepEqual([plain.status, plain.headers['x-floe-cache']], [200, undefined]);
});

test('a query that no target receives may contain any character', async () => {
  const send = async (query: string) => {
    const request: RawRequest = {
      method: 'POST',
      path: `/gateway/v1/messages${query}`,
      headers: [
        ['x-api-key', KEYS.one],
        ['content-type', 'application/json'],
      ],
      body: JSON.stringify({
        model: 'chat/m-1',
        max_tokens: 100,
        messages: [{ role: 'user', content: text }],
      }),
    };
    const [answer] = await sendPipelined(floe.url, [request]);
    return `${answer?.status} ${answer?.headers['x-floe-cache']}`;
  };
  const text = fresh();
  assert.equal(await send('?a=#1'), '200 miss');
  assert.equal(await send('?a=#1'), '200 hit');
  assert.equal(await send('?a=#2'), '200 miss');
});

test('for any order of requests, a request receives only the response to itself', async () => {
  const word = fc.constantFrom('red', 'green');
  const request = fc.record({
    key: fc.constantFrom<'one' | 'two' | 'stranger' | 'alone'>('one', 'two', 'stranger', 'alone'),
    model: fc.constantFrom('chat/m-1', 'chat/m-2', 'messages/m-1'),
    more: fc.record({ user: word, seed: fc.constantFrom(1, 2), n: fc.constant(1) }, { requiredKeys: [] }),
    stream: fc.boolean(),
    bypass: fc.constantFrom(false, false, false, true),
  });
  let hits = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 40, maxLength: 40 }), async (requests) => {
      const text = fresh();
      const known = new Map<string, string>();
      for (const { key, model, more, stream, bypass } of requests) {
        const sharer = { one: 'acme', two: 'acme', stranger: 'other', alone: 'alone' }[key];
        const name = JSON.stringify([sharer, model, more.user, more.seed, more.n]);
        const headers = bypass ? { 'x-floe-cache': 'bypass' } : {};
        const answer = await ask(text, { ...more, stream }, { key, model, headers });
        const kept = bypass ? undefined : known.get(name);
        assert.equal(outcome(answer), `200 ${bypass ? 'bypass' : kept === undefined ? 'miss' : 'hit'}`);
        if (kept !== undefined) assert.equal(saidBy(answer), kept);
        if (!bypass) known.set(name, saidBy(answer));
        hits += kept === undefined ? 0 : 1;
      }
    }),
    { numRuns: process.env['FLOE_TEST_FULL'] ? 100 : 8 },
  );
  assert.ok(hits > 10, `${hits} hits`);
});

test('a caller can bypass the cache or refresh the response', async () => {
  const text = fresh();
  const kept = await ask(text);
  const bypass = await ask(text, {}, { headers: { 'x-floe-cache': 'bypass' } });
  assert.equal(outcome(bypass), '200 bypass');
  assert.notEqual(bypass.text, kept.text);
  assert.equal((await ask(text)).text, kept.text);
  const refresh = await ask(text, {}, { headers: { 'x-floe-cache': 'refresh' } });
  assert.equal(outcome(refresh), '200 refresh');
  assert.equal((await ask(text)).text, refresh.text);
  for (const [name, value] of [
    ['x-floe-cache', 'yes'],
    ['x-floe-cache-ttl', '-1'],
    ['x-floe-cache-ttl', '1.5'],
  ] as const) {
    const bad = await ask(text, {}, { headers: { [name]: value } });
    assert.deepEqual([bad.status, objectOrEmpty(objectOrEmpty(bad.json())['error'])['param']], [400, name]);
  }
});

test('errors, rejections, broken and stored responses are never cached', async () => {
  const whole = sampleReply('chat', 'text', true);
  const faults: readonly UpstreamReply[] = [
    { status: 500, body: '{"error":{"message":"no"}}' },
    { status: 400, body: '{"error":{"message":"no"}}' },
    { ...whole, body: whole.body.subarray(0, whole.body.length / 2) },
    { ...whole, body: whole.body.toString('utf8').replaceAll('"stop"', '"content_filter"') },
  ];
  for (const fault of faults) {
    const text = fresh();
    special = () => fault;
    await ask(text, { stream: true });
    special = null;
    assert.equal(outcome(await ask(text, { stream: true })), '200 miss');
  }
  for (const more of [{ store: true }, { store: null }, { store: false, previous_response_id: null }]) {
    const text = fresh();
    for (let n = 0; n < 2; n++)
      assert.equal(outcome(await ask(text, more, { surface: 'responses' })), '200 bypass');
  }
});

test('of simultaneous equal requests, one is sent; if it fails, the next one is sent', async () => {
  const text = fresh();
  const before = asked.get('chat') ?? 0;
  gated = true;
  const arrived = gate.arrivalCount(before === 0 ? 1 : gateCount + 1);
  const all = Array.from({ length: 40 }, (_, n) => ask(text, { stream: n % 2 === 0 }));
  await arrived;
  gated = false;
  special = (n) => (n === before + 1 ? { status: 500, body: '{}' } : undefined);
  gateCount += 1;
  gate.release();
  const answers = await Promise.all(all);
  special = null;
  const outcomes = answers.map(outcome).sort();
  assert.equal(outcomes.filter((each) => each === '200 hit').length, 38, outcomes.join());
  assert.equal(outcomes.filter((each) => each === '200 miss').length, 1);
  assert.equal((asked.get('chat') ?? 0) - before, 2);
});
let gateCount = 0;

test('a cache hit has its own row: cached, with the usage of the response', async () => {
  const text = fresh();
  const first = await ask(text);
  const hit = await ask(text);
  const ids = [first, hit].map(({ headers }) => headers['x-request-id'] ?? '');
  const rows = await waitForRows(floe.url, KEYS.one, ids);
  const [made, cached] = ids.map((id) => objectOrEmpty(rows.get(id)));
  assert.deepEqual([made?.['state'], made?.['cache']], ['complete', 'miss']);
  assert.deepEqual([cached?.['state'], cached?.['cache'], cached?.['status']], ['cached', 'hit', 200]);
  assert.deepEqual(cached?.['usage'], made?.['usage']);
});

test('a purge has an audit entry, and no cached response is returned after it', async () => {
  const text = fresh();
  const theirs = fresh();
  await ask(text);
  await ask(theirs, {}, { key: 'stranger' });
  const headers = { authorization: `Bearer ${KEYS.one}` };
  const purge = await callHttp(`${floe.url}/api/management/cache/purge`, { method: 'POST', headers });
  assert.equal(purge.status, 204, purge.text);
  assert.equal(outcome(await ask(text)), '200 miss');
  assert.equal(outcome(await ask(theirs, {}, { key: 'stranger' })), '200 hit');
  const state = await callHttp(`${floe.url}/api/management/cache`, { headers });
  const { enabled, ttl_seconds, scope, purges } = objectOrEmpty(state.json());
  assert.deepEqual([enabled, ttl_seconds, scope, purges], [true, 600, 'org', 1]);
  const audit = await callHttp(`${floe.url}/api/management/audit?subject=cache`, { headers });
  assert.match(audit.text, /"action":"cache.purge"/);
});

/** All text of an answer, in whichever form and dialect it is. */
function saidBy({ text, headers }: HttpCallResponse): string {
  const texts: string[] = [];
  const collect = (value: unknown, isDelta: boolean): void => {
    if (Array.isArray(value)) for (const each of value) collect(each, isDelta);
    else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) {
        if (typeof inner === 'string' && TEXT_MEMBERS.has(name)) texts.push(inner);
        else collect(inner, isDelta);
      }
  };
  if (!headers['content-type']?.startsWith('text/event-stream')) collect(JSON.parse(text), false);
  else
    for (const line of text.split('\n'))
      if (
        line.startsWith('data: {') &&
        !/"response\.(output_text\.done|content_part|output_item|completed|created|in_progress)/.test(line)
      )
        collect(JSON.parse(line.slice(6)), true);
  return texts.join('');
}
const TEXT_MEMBERS = new Set(['content', 'text', 'delta']);
