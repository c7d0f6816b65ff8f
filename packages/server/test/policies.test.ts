// Policies through the real server, over every client surface and every dialect behind it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { isStreamingRequest } from '@floe/testkit/api-surface';
import type { Chunking } from '@floe/testkit/chunking';
import { eventually } from '@floe/testkit/eventually';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp, type HttpCallResponse } from '@floe/testkit/http-client';
import { objectOrEmpty } from './answer-content.ts';
import { sampleReply } from './upstream-samples.ts';
import { waitForRows } from './wait-for-rows.ts';

const DIALECTS = ['chat', 'responses', 'messages', 'gemini'] as const;
type Dialect = (typeof DIALECTS)[number];
const EMAIL = 'ada@example.org';
const ALL_PII = { secrets: true, pii: ['email', 'phone', 'credit_card', 'iban', 'us_ssn'] };
const KINDS: Readonly<Record<Dialect, JsonObject>> = {
  chat: { kind: 'openai-compatible' },
  responses: { kind: 'openai-compatible', dialects: ['responses'] },
  messages: { kind: 'anthropic-compatible' },
  gemini: { kind: 'gemini' },
};
const SURFACES = {
  chat: { path: '/gateway/v1/chat/completions', more: {} },
  responses: { path: '/gateway/v1/responses', more: { store: false } },
  messages: { path: '/gateway/v1/messages', more: { max_tokens: 100 } },
} as const;
type Surface = keyof typeof SURFACES;

const enforce = { mode: 'enforce' };
const onAnswer = { on: 'answer', detect: { pii: ['email'] } };
const onRequest = { on: 'request', detect: ALL_PII };
/** An org for each set of rules, all with the same providers. */
const ORGS: Readonly<Record<string, JsonObject>> = {
  plain: {},
  answers: {
    policies: [{ name: 'no-mail', ...onAnswer, action: 'deny', ...enforce, message: 'No addresses.' }],
  },
  scrubbed: { policies: [{ name: 'scrub', ...onAnswer, action: 'redact', ...enforce }] },
  finish: {
    policies: [
      {
        name: 'long',
        on: 'answer',
        when: 'answer.text.contains("@") && usage.output_tokens > 0',
        action: 'deny',
        ...enforce,
      },
    ],
  },
  watched: {
    policies: [
      { name: 'watch-q', ...onRequest, action: 'deny' },
      { name: 'watch-r', ...onRequest, action: 'redact' },
      { name: 'watch-a', ...onAnswer, action: 'deny' },
      { name: 'watch-b', ...onAnswer, action: 'redact' },
      { name: 'mark', ...onAnswer, action: 'flag', ...enforce },
    ],
  },
  asked: {
    policies: [
      { name: 'trusted', on: 'request', when: 'has(metadata.trusted)', action: 'allow', ...enforce },
      { name: 'cap-output', on: 'request', when: 'request.max_tokens > 8000', action: 'deny', ...enforce },
      { name: 'scrub', ...onRequest, action: 'redact', ...enforce },
    ],
  },
  limited: {
    policies: [{ name: 'nothing', on: 'request', when: 'true', action: 'deny', ...enforce }],
    limits: [{ name: 'two', scope: 'org', rpm: 2 }],
    budgets: [{ name: 'none', scope: 'org', period: 'total', limit_usd: 0.000001 }],
  },
  kept: {
    cache: { enabled: true, scope: 'org' },
    policies: [{ name: 'not-b', ...onAnswer, when: 'metadata.who == "b"', action: 'deny', ...enforce }],
  },
};
const keyOf = (org: string) => `eis_${org}${'0'.repeat(32)}`;

let floe: FloeProcess;
const upstreams = new Map<Dialect, FakeUpstream>();
/** What reached any provider, in order. */
const bodies: string[] = [];
let says = EMAIL;
let chunking: Chunking = 'whole';

before(async () => {
  for (const dialect of DIALECTS)
    upstreams.set(
      dialect,
      await startFakeUpstream({
        async respond({ path, body }) {
          bodies.push(body.toString('utf8'));
          const reply = sampleReply(
            dialect,
            'text',
            isStreamingRequest(path, JSON.parse(body.toString('utf8'))),
          );
          return { ...reply, chunking, body: reply.body.toString('utf8').replace(/Welt/g, says) };
        },
      }),
    );
  const providers = DIALECTS.map((id) => ({
    id,
    ...KINDS[id],
    base_url: `${upstreams.get(id)?.url}/v1`,
    api_key: `secret-of-${id}`,
    models: ['m-1'],
    prices: { 'm-1': { input: 1, output: 1 } },
  }));
  const orgs = Object.entries(ORGS).map(([id, more]) => ({
    id,
    keys: [{ name: 'ci', key: keyOf(id), scopes: ['gateway', 'management', 'read'] }],
    providers,
    routes: [{ model: '*', retries: 0 }],
    ...more,
  }));
  floe = await startFloeProcess({ yaml: JSON.stringify({ orgs }) });
});
after(async () => {
  await floe.stop();
  for (const upstream of upstreams.values()) await upstream.close();
});

interface Asking {
  readonly surface?: Surface;
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function ask(
  org: string,
  text: string,
  more: JsonObject = {},
  { surface = 'chat', model, headers }: Asking = {},
) {
  const turn = [{ role: 'user', content: text }];
  return callHttp(floe.url + SURFACES[surface].path, {
    headers: { authorization: `Bearer ${keyOf(org)}`, ...headers },
    body: {
      model: model ?? 'chat/m-1',
      ...(surface === 'responses' ? { input: turn } : { messages: turn }),
      ...SURFACES[surface].more,
      ...more,
    },
  });
}

async function rowOf(org: string, { headers }: HttpCallResponse): Promise<JsonObject> {
  const id = headers['x-request-id'] ?? '';
  return (await waitForRows(floe.url, keyOf(org), [id])).get(id) ?? {};
}

function policyDecisions(row: JsonObject): string[] {
  const decisions = Array.isArray(row['decisions']) ? row['decisions'] : [];
  return decisions
    .filter(isJsonObject)
    .filter(({ step }) => step === 'policy')
    .map(({ outcome, reason }) => `${outcome} ${reason}`);
}

/** Where a whole answer has its text, and a request its message. */
const ANSWER_TEXT = {
  chat: 'choices[0].message.content',
  responses: 'output[0].content[0].text',
  messages: 'content[0].text',
} as const;
const REQUEST_TEXT = {
  chat: 'messages[0].content',
  responses: 'input[0].content',
  messages: 'messages[0].content',
} as const;

const errorIn = (value: unknown) => objectOrEmpty(objectOrEmpty(value)['error']);
/** What a client takes for the end of an answer that went well. */
const LOOKS_FINISHED = /"finish_reason":\s*"|"stop_reason":\s*"|\[DONE\]|message_stop|response\.completed/;

for (const surface of ['chat', 'responses', 'messages'] as const)
  for (const dialect of DIALECTS) {
    const asking = { surface, model: `${dialect}/m-1` };

    test(`${surface} over ${dialect}: a complete response is denied or redacted because of its content`, async () => {
      says = EMAIL;
      const denied = await ask('answers', 'x', {}, asking);
      assert.equal(denied.status, 403, denied.text);
      assert.match(String(errorIn(denied.json())['message']), /^No addresses\. \(policy "no-mail"\)$/);
      assert.equal(denied.headers['x-should-retry'], 'false');
      assert.ok(!denied.text.includes(EMAIL));
      const row = await rowOf('answers', denied);
      assert.equal(row['state'], 'blocked');
      assert.deepEqual(policyDecisions(row), [`denied "no-mail": found 1 email in ${ANSWER_TEXT[surface]}`]);
      assert.ok(Number(row['cost_nano_usd']) > 0, 'the provider was asked, and is paid');

      const clean = await ask('scrubbed', 'x', {}, asking);
      assert.equal(clean.status, 200, clean.text);
      assert.ok(clean.text.includes('[redacted:email]') && !clean.text.includes(EMAIL));
      assert.equal(clean.headers['x-floe-redacted'], 'scrub');
      clean.json();

      says = 'Welt';
      const plain = await ask('plain', 'x', {}, asking);
      const good = await ask('answers', 'x', {}, asking);
      assert.equal(good.status, 200);
      // Ids that Floe makes differ; what was said does not.
      assert.equal(good.text.length, plain.text.length);
    });

    test(`${surface} over ${dialect}: a stream is stopped at a frame boundary, for any chunking`, async () => {
      says = EMAIL;
      let last = '';
      for (const cut of [
        'whole',
        'frames',
        'every-byte',
        { seed: 7 },
        { seed: 8, meanBytes: 200 },
      ] as const) {
        chunking = cut;
        const stopped = await ask('answers', 'x', { stream: true }, asking);
        assert.ok(!stopped.text.includes(EMAIL), stopped.text);
        assert.doesNotMatch(stopped.text, LOOKS_FINISHED);
        assert.match(stopped.text, /policy_denied|permission_error/);
        const shape = `${stopped.status} ${stopped
          .frames()
          .map(({ event }) => event)
          .join(' ')}`;
        if (last !== '') assert.equal(shape, last, `cut ${JSON.stringify(cut)}`);
        last = shape;
        const atEnd = await ask('finish', 'x', { stream: true }, asking);
        assert.ok(atEnd.text.includes(EMAIL), 'this rule is judged when the answer is whole');
        assert.doesNotMatch(atEnd.text, LOOKS_FINISHED);
        assert.match(atEnd.text, /policy_denied|permission_error/);
      }
      chunking = 'whole';
      const unwritable = await ask('scrubbed', 'x', { stream: true }, asking);
      assert.match(unwritable.text, /stream: false/);
      assert.ok(!unwritable.text.includes(EMAIL));
    });

    test(`${surface} over ${dialect}: monitor mode changes nothing and records what it would do`, async () => {
      says = EMAIL;
      for (const stream of [false, true]) {
        const plain = await ask('plain', `Mail ${EMAIL}`, { stream }, asking);
        const watched = await ask('watched', `Mail ${EMAIL}`, { stream }, asking);
        assert.equal(watched.status, 200);
        assert.ok(watched.text.includes(EMAIL));
        assert.equal(watched.text.length, plain.text.length);
        assert.equal(watched.headers['x-floe-redacted'], undefined);
        const [theirs, ours] = bodies.slice(-2);
        assert.equal(ours, theirs);
        // Reading a row costs a hundred requests.
        if (surface !== 'chat' && dialect !== 'chat') continue;
        const inRequest = `found 1 email in ${REQUEST_TEXT[surface]}`;
        // A stream has no paths.
        const inAnswer = `found 1 email${stream ? '' : ` in ${ANSWER_TEXT[surface]}`}`;
        assert.deepEqual(policyDecisions(await rowOf('watched', watched)), [
          `would_deny "watch-q": ${inRequest}`,
          `would_redact "watch-r": ${inRequest}`,
          `would_deny "watch-a": ${inAnswer}`,
          `would_redact "watch-b": ${inAnswer}`,
          `flagged "mark": ${inAnswer}`,
        ]);
      }
    });

    test(`${surface} over ${dialect}: a request is forwarded without what a policy redacts`, async () => {
      says = 'Welt';
      const secret = 'ghp_aB3dE5gH7jK9mN2pQ4sT6vW8xY1zaB3dE5gH';
      const text = `Mail ${EMAIL}, card 4111 1111 1111 1111, key ${secret}, "quoted" \\ and é`;
      const answer = await ask('asked', text, {}, asking);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.headers['x-floe-redacted'], 'scrub');
      const body = bodies.at(-1) ?? '';
      for (const value of [EMAIL, '4111', secret]) assert.ok(!body.includes(value), body);
      JSON.parse(body);
      assert.ok(
        body.includes(
          'Mail [redacted:email], card [redacted:credit_card], key [redacted:secret], \\"quoted\\" \\\\ and é',
        ),
        body,
      );
    });
  }

test('a denied request reaches no provider in any dialect, and an exception allows it', async () => {
  const before = bodies.length;
  const caps = {
    chat: 'max_completion_tokens',
    responses: 'max_output_tokens',
    messages: 'max_tokens',
  } as const;
  for (const [surface, cap] of Object.entries(caps)) {
    if (surface !== 'chat' && surface !== 'responses' && surface !== 'messages') continue;
    const denied = await ask('asked', 'x', { [cap]: 9000, stream: true }, { surface });
    assert.equal(denied.status, 403, denied.text);
    assert.match(denied.text, /cap-output/);
    const row = await rowOf('asked', denied);
    assert.deepEqual([row['state'], row['cost_nano_usd'] ?? 0], ['blocked', 0]);
  }
  assert.equal(bodies.length, before);
  const headers = { 'x-floe-metadata': '{"trusted":true}' };
  const spared = await ask('asked', `Mail ${EMAIL}`, { max_completion_tokens: 9000 }, { headers });
  assert.equal(spared.status, 200, spared.text);
  const sent = bodies.at(-1) ?? '';
  assert.ok(sent.includes(EMAIL), 'nothing behind the exception is judged');
});

test('429 comes before 403, and 403 before 402; a rejected request counts for the RPM limit', async () => {
  for (const status of [403, 403, 429, 429]) {
    const answer = await ask('limited', 'x');
    assert.equal(answer.status, status, answer.text);
  }
});

test('embedding inputs are evaluated too', async () => {
  const embed = (input: string | string[]) =>
    callHttp(`${floe.url}/gateway/v1/embeddings`, {
      headers: { authorization: `Bearer ${keyOf('limited')}` },
      body: { model: 'chat/m-1', input },
    });
  // The org's two requests of this minute are spent: the rule is seen in the org without a limit.
  assert.equal((await embed('x')).status, 429);
  const denied = await callHttp(`${floe.url}/gateway/v1/embeddings`, {
    headers: { authorization: `Bearer ${keyOf('asked')}` },
    body: { model: 'chat/m-1', input: [`Mail ${EMAIL}`] },
  });
  assert.ok(denied.status >= 200);
  const sent = bodies.at(-1) ?? '';
  assert.ok(sent.includes('[redacted:email]') && !sent.includes(EMAIL), sent);
});

test('the row of a stopped stream states that a part was sent, and why it ended', async () => {
  says = EMAIL;
  const stopped = await ask('finish', 'x', { stream: true });
  const row = await rowOf('finish', stopped);
  assert.deepEqual([stopped.status, row['state'], row['error_code']], [200, 'partial', 'policy_denied']);
  assert.deepEqual(policyDecisions(row), ['denied "long": its condition is true']);
  assert.ok(Number(row['cost_nano_usd']) > 0);
});

test('a denied response is not stored, and a redacted one is stored redacted', async () => {
  says = EMAIL;
  const stored = (org: string, id: unknown) =>
    callHttp(`${floe.url}/gateway/v1/responses/${String(id)}`, {
      method: 'GET',
      headers: { authorization: `Bearer ${keyOf(org)}` },
    });
  for (const model of ['chat/m-1', 'responses/m-1']) {
    const asking = { surface: 'responses', model } as const;
    const clean = await ask('scrubbed', 'x', { store: true }, asking);
    const kept = await stored('scrubbed', objectOrEmpty(clean.json())['id']);
    assert.equal(kept.status, 200, kept.text);
    assert.ok(kept.text.includes('[redacted:email]') && !kept.text.includes(EMAIL));
    for (const org of ['answers', 'finish']) {
      const stopped = await ask(org, 'x', { store: true, stream: true }, asking);
      assert.match(stopped.text, /policy_denied|permission_error/);
      assert.doesNotMatch(stopped.text, LOOKS_FINISHED);
      const id = /"id":\s*"(resp_\w+)"/.exec(stopped.text)?.[1];
      assert.equal((await stored(org, id)).status, 404, `${model}: ${id}`);
    }
  }
});

test('a cached response is evaluated for the caller who receives it', async () => {
  says = EMAIL;
  const as = (who: string) => ({ headers: { 'x-floe-metadata': JSON.stringify({ who }) } });
  for (const stream of [false, true]) {
    const first = await ask('kept', `kept ${stream}`, { stream }, as('a'));
    assert.deepEqual([first.status, first.headers['x-floe-cache']], [200, 'miss']);
    const again = await ask('kept', `kept ${stream}`, { stream }, as('a'));
    assert.deepEqual([again.status, again.headers['x-floe-cache'], again.text], [200, 'hit', first.text]);
    const other = await ask('kept', `kept ${stream}`, { stream }, as('b'));
    assert.deepEqual([other.status, other.headers['x-floe-cache']], [403, 'hit'], other.text);
    const row = await rowOf('kept', other);
    assert.deepEqual([row['state'], row['cost_nano_usd'] ?? 0], ['blocked', 0]);
  }
});

/** Longer than what the main thread scans. */
const LONG = 'An ordinary sentence of a long text. '.repeat(2_000);

for (const surface of ['chat', 'responses', 'messages'] as const)
  for (const model of new Set(['chat/m-1', `${surface}/m-1`]))
    test(`${surface} over ${model}: a thread evaluates a long request or response with the same result`, async () => {
      const asking = { surface, model };
      says = LONG;
      for (const stream of [false, true]) {
        const plain = await ask('plain', 'x', { stream }, asking);
        const good = await ask('answers', 'x', { stream }, asking);
        assert.deepEqual([good.status, good.text.length], [200, plain.text.length]);
      }
      says = `${LONG}${EMAIL} ${LONG}`;
      const denied = await ask('answers', 'x', {}, asking);
      assert.equal(denied.status, 403, denied.text.slice(0, 200));
      assert.deepEqual(policyDecisions(await rowOf('answers', denied)), [
        `denied "no-mail": found 1 email in ${ANSWER_TEXT[surface]}`,
      ]);
      const clean = await ask('scrubbed', 'x', {}, asking);
      assert.ok(clean.text.includes('[redacted:email]') && !clean.text.includes(EMAIL));
      for (const cut of ['whole', 'frames', { seed: 7 }] as const) {
        chunking = cut;
        for (const org of ['answers', 'finish']) {
          const stopped = await ask(org, 'x', { stream: true }, asking);
          assert.equal(stopped.text.includes(EMAIL), org === 'finish');
          assert.doesNotMatch(stopped.text, LOOKS_FINISHED);
          assert.match(stopped.text, /policy_denied|permission_error/);
        }
      }
      chunking = 'whole';
      const watched = await ask('watched', `${LONG}${EMAIL}`, {}, asking);
      const because = [REQUEST_TEXT, ANSWER_TEXT].map((paths) => `found 1 email in ${paths[surface]}`);
      assert.deepEqual(policyDecisions(await rowOf('watched', watched)), [
        `would_deny "watch-q": ${because[0]}`,
        `would_redact "watch-r": ${because[0]}`,
        `would_deny "watch-a": ${because[1]}`,
        `would_redact "watch-b": ${because[1]}`,
        `flagged "mark": ${because[1]}`,
      ]);
      await ask('asked', `${LONG}${EMAIL}`, {}, asking);
      const sent = bodies.at(-1) ?? '';
      assert.ok(sent.includes(`${LONG}[redacted:email]`) && !sent.includes(EMAIL));
    });

test('a long response is stored or replayed only after a thread has evaluated it', async () => {
  says = `${LONG}${EMAIL}`;
  for (const model of ['chat/m-1', 'responses/m-1'])
    for (const org of ['answers', 'plain', 'finish']) {
      const asking = { surface: 'responses', model } as const;
      const streamed = await ask(org, 'x', { store: true, stream: true }, asking);
      const id = /"id":\s*"(resp_\w+)"/.exec(streamed.text)?.[1] ?? 'none';
      const kept = await callHttp(`${floe.url}/gateway/v1/responses/${id}`, {
        method: 'GET',
        headers: { authorization: `Bearer ${keyOf(org)}` },
      });
      assert.equal(kept.status, org === 'plain' ? 200 : 404, `${org} ${model}`);
    }
  const as = (who: string) => ({ headers: { 'x-floe-metadata': JSON.stringify({ who }) } });
  for (const stream of [false, true]) {
    const first = await ask('kept', `long ${stream}`, { stream }, as('a'));
    const again = await ask('kept', `long ${stream}`, { stream }, as('a'));
    assert.deepEqual([again.status, again.headers['x-floe-cache'], again.text], [200, 'hit', first.text]);
    const other = await ask('kept', `long ${stream}`, { stream }, as('b'));
    assert.deepEqual([other.status, other.headers['x-floe-cache']], [403, 'hit'], other.text.slice(0, 200));
  }
});

test('if a client disconnects while a thread evaluates its request, the evaluation ends', async () => {
  const inThreads = async () => {
    const { text } = await callHttp(`${floe.url}/metrics`, { method: 'GET' });
    return Number(/^floe_policy_thread_evaluations\{\} (\d+)/m.exec(text)?.[1]);
  };
  const leaving = new AbortController();
  const messages = [{ role: 'user', content: '4111-1111-1111-1112 +1 555 010 9999 a@b '.repeat(200_000) }];
  const call = callHttp(floe.url + SURFACES.chat.path, {
    headers: { authorization: `Bearer ${keyOf('asked')}` },
    body: { model: 'chat/m-1', messages },
    signal: leaving.signal,
  });
  const ended = assert.rejects(call);
  await eventually(async () => ((await inThreads()) === 1 ? true : undefined));
  leaving.abort();
  await ended;
  await eventually(async () => ((await inThreads()) === 0 ? true : undefined));
  const before = bodies.length;
  says = 'Welt';
  assert.equal((await ask('asked', `${LONG}x`)).status, 200);
  assert.equal(bodies.length, before + 1, 'the request of the client that left was not sent');
});
