// Response policies on stored responses, which clients read after they were generated, through the real server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp, type HttpCallResponse } from '@floe/testkit/http-client';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { objectOrEmpty } from './answer-content.ts';
import { waitForRows } from './wait-for-rows.ts';

const EMAIL = 'ada@example.org';
const keyOf = (org: string) => `eis_${org}${'0'.repeat(32)}`;
const onAnswer = { on: 'answer', mode: 'enforce', detect: { pii: ['email'] } };
const POLICIES = {
  denied: [{ ...onAnswer, name: 'no-mail', action: 'deny', when: 'request.model == "keeper/m"' }],
  redacted: [{ ...onAnswer, name: 'scrub', action: 'redact' }],
  later: [],
  card: [
    { name: 'card', on: 'request', mode: 'enforce', detect: { pii: ['credit_card'] }, action: 'redact' },
    { ...onAnswer, name: 'no-mail', action: 'deny' },
  ],
};
type Org = keyof typeof POLICIES;
let floe: FloeProcess;
let upstream: FakeUpstream;
let text = '';
let isUnderWay = false;

before(async () => {
  let count = 0;
  upstream = await startFakeUpstream({
    respond({ method, path, body }) {
      if (method === 'POST') count += 1;
      const isCreated = method === 'POST' && !path.endsWith('/cancel');
      const id = isCreated ? `resp_${count}` : (path.split('/')[3] ?? '');
      const isBackground = !isCreated || body.includes('"background":true');
      const parts = [{ type: 'output_text', text, annotations: [] }];
      const message = {
        id: `msg_${id}`,
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: parts,
      };
      const isQueued = isCreated && isBackground;
      const ended = isUnderWay ? 'in_progress' : 'completed';
      const status = path.endsWith('/cancel') ? 'cancelled' : isQueued ? 'queued' : ended;
      const { instructions, user, metadata } = isCreated ? objectOrEmpty(JSON.parse(body.toString())) : {};
      const usage = { input_tokens: 10, output_tokens: 20, total_tokens: 30 };
      return createJsonReply({
        id,
        object: 'response',
        model: 'm',
        background: isBackground,
        status,
        ...{ instructions, user, metadata },
        output: isQueued ? [] : [message],
        ...(!isQueued && { usage }),
      });
    },
  });
  const prices = { m: { input: 1, output: 1 } };
  const access = { base_url: `${upstream.url}/v1`, api_key: 'secret' };
  const providers = [{ id: 'keeper', kind: 'openai', ...access, models: ['m'], prices }];
  const orgs = Object.entries(POLICIES).map(([id, policies]) => ({
    id,
    keys: [{ name: 'full', key: keyOf(id), scopes: ['gateway', 'management', 'read'] }],
    providers,
    policies,
  }));
  floe = await startFloeProcess({ yaml: JSON.stringify({ orgs }) });
});
after(async () => {
  await floe.stop();
  await upstream.close();
});

const authorization = (org: Org) => ({ authorization: `Bearer ${keyOf(org)}` });
const create = (org: Org, more: object) =>
  callHttp(`${floe.url}/gateway/v1/responses`, {
    headers: authorization(org),
    body: { model: 'keeper/m', input: 'Hi', ...more },
  });
const read = (org: Org, { text: created }: HttpCallResponse, below = '') =>
  callHttp(`${floe.url}/gateway/v1/responses/${String(objectOrEmpty(JSON.parse(created))['id'])}${below}`, {
    headers: authorization(org),
    method: below === '/cancel' ? 'POST' : 'GET',
  });

const LENGTHS = [
  ['short', ''],
  ['long', 'An ordinary sentence of a long text. '.repeat(2_000)],
] as const;
for (const [length, before] of LENGTHS)
  test(`a ${length} background response is evaluated when a client reads, cancels or continues it`, async () => {
    text = `${before}Write to ${EMAIL}`;
    const denied = await create('denied', { background: true });
    assert.equal(denied.status, 200, denied.text);
    for (const below of ['', '?stream=true', '/cancel']) {
      const shown = await read('denied', denied, below);
      assert.equal(shown.status, 403, shown.text.slice(0, 300));
      assert.ok(shown.text.includes('no-mail') && !shown.text.includes(EMAIL));
    }
    const previous = { previous_response_id: String(objectOrEmpty(denied.json())['id']) };
    assert.equal((await create('denied', { ...previous, store: true })).status, 403);
    const id = denied.headers['x-request-id'] ?? '';
    const row = (await waitForRows(floe.url, keyOf('denied'), [id])).get(id);
    assert.ok(Number(row?.['cost_nano_usd']) > 0, 'the provider has generated the response');

    const redacted = await create('redacted', { background: true });
    for (const below of ['', '?stream=true']) {
      const shown = await read('redacted', redacted, below);
      assert.equal(shown.status, 200, shown.text.slice(0, 300));
      assert.ok(shown.text.includes('[redacted:email]') && !shown.text.includes(EMAIL));
    }
    text = 'Fine.';
    const next = await create('redacted', {
      previous_response_id: String(objectOrEmpty(redacted.json())['id']),
    });
    assert.equal(next.status, 200, next.text);
    const items = await read('redacted', next, '/input_items');
    assert.ok(items.text.includes('[redacted:email]') && !items.text.includes(EMAIL), items.text.slice(-300));
  });

for (const [length, before] of LENGTHS)
  test(`a ${length} response may repeat the request, also after redaction and when a client reads it`, async () => {
    text = 'Fine.';
    const repeated = {
      instructions: `${before}Card 4111 1111 1111 1111, mail ${EMAIL}`,
      user: EMAIL,
      metadata: { mail: EMAIL },
    };
    const created = await create('card', repeated);
    assert.equal(created.status, 200, created.text);
    assert.ok(created.text.includes(`Card [redacted:credit_card], mail ${EMAIL}`));
    const shown = await read('card', created);
    assert.equal(shown.status, 200, shown.text);
    assert.deepEqual(objectOrEmpty(shown.json())['metadata'], repeated.metadata);
  });

test('a client can cancel a response whose content a policy denies', async () => {
  text = `Write to ${EMAIL}`;
  const denied = await create('denied', { background: true });
  isUnderWay = true;
  assert.equal((await read('denied', denied)).status, 403);
  assert.doesNotMatch(upstream.requests.at(-1)?.path ?? '', /cancel/);
  assert.equal((await read('denied', denied, '/cancel')).status, 403);
  assert.match(upstream.requests.at(-1)?.path ?? '', /cancel/);
  isUnderWay = false;
});

test('a stored response is evaluated with the policies that apply when a client reads it', async () => {
  text = `Write to ${EMAIL}`;
  const stored = await create('later', {});
  assert.ok((await read('later', stored)).text.includes(EMAIL));
  text = 'Fine.';
  const previous = String(objectOrEmpty(stored.json())['id']);
  const next = await create('later', { previous_response_id: previous, input: 'skip' });
  // The second turn is allowed. This must not exempt the first one.
  for (const policy of [
    { name: 'skip', on: 'answer', mode: 'enforce', when: 'request.text == "skip"', action: 'allow' },
    { name: 'new', ...onAnswer, action: 'redact' },
  ]) {
    const added = await callHttp(`${floe.url}/api/management/policies`, {
      headers: authorization('later'),
      body: policy,
    });
    assert.equal(added.status, 201, added.text);
  }
  text = `Write to ${EMAIL}`;
  const shown = await read('later', stored);
  assert.ok(shown.text.includes('[redacted:email]') && !shown.text.includes(EMAIL), shown.text);
  const items = await read('later', next, '/input_items');
  assert.equal(items.status, 200, items.text);
  assert.ok(items.text.includes('[redacted:email]') && !items.text.includes(EMAIL), items.text);
});
