// The messages on the page Symptoms and error messages are those of a real server, word for word.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';

const PAGE = new URL('../../../docs/guides/troubleshoot-symptoms.md', import.meta.url);
const CHAT = '/gateway/v1/chat/completions';
/** As the page abbreviates it: `eis_abcd…1234`. */
const CI = `eis_abcd${'0'.repeat(32)}1234`;
const FULL = `eis_full${'0'.repeat(36)}`;
const EXPIRED = `eis_abcd${'1'.repeat(32)}1234`;
const MONITORING = `eis_abcd${'2'.repeat(32)}1234`;
const BUDGETED = `eis_poor${'0'.repeat(36)}`;
const LIMITED = `eis_limited${'0'.repeat(33)}`;

const FAILURES: Readonly<Record<string, UpstreamReply>> = {
  credential: createJsonReply({ error: { message: 'Incorrect API key provided' } }, 401),
  quota: createJsonReply({ error: { message: 'No quota', code: 'insufficient_quota' } }, 429),
  failing: createJsonReply({ error: { message: 'The server had an error' } }, 500),
  limited: createJsonReply({ error: { message: 'Rate limit reached' } }, 429),
};

let upstream: FakeUpstream;
let floe: FloeProcess;
before(async () => {
  upstream = await startFakeUpstream({
    respond({ body }) {
      const name = Object.keys(FAILURES).find((model) => body.includes(`"model":"${model}"`));
      return FAILURES[name ?? ''] ?? createJsonReply({});
    },
  });
  floe = await startFloeProcess({ yaml: JSON.stringify(buildConfig(upstream.url)) });
});
after(async () => {
  await floe.stop();
  await upstream.close();
});

function buildConfig(url: string): JsonObject {
  const provider = { kind: 'openai-compatible', api_key: 'secret', breaker: { enabled: false } };
  return {
    orgs: [
      {
        id: 'acme',
        keys: [
          { name: 'full', key: FULL, scopes: ['gateway', 'management', 'monitoring'] },
          { name: 'ci', key: CI, scopes: ['gateway'], models: ['sandbox/echo'] },
          { name: 'ci', key: EXPIRED, scopes: ['gateway'], expires_at: '2026-01-01T00:00:00Z' },
          { name: 'ci', key: MONITORING, scopes: ['monitoring'] },
          { name: 'poor', key: BUDGETED, scopes: ['gateway'] },
          { name: 'limited', key: LIMITED, scopes: ['gateway'] },
        ].map((key, index) => ({ ...key, name: index === 0 ? key.name : `${key.name}${index}` })),
        providers: [
          {
            ...provider,
            id: 'openai',
            base_url: `${url}/v1`,
            models: [...Object.keys(FAILURES), 'gpt-5'],
            prices: { 'gpt-5': { input: 100, output: 100 } },
          },
          { ...provider, id: 'closed', base_url: 'http://127.0.0.1:9/v1', models: ['gpt-5'] },
          { id: 'sandbox', kind: 'sandbox' },
        ],
        routes: [{ model: '*', retries: 0 }],
        limits: [{ name: 'ci-rpm', scope: 'key', key: 'limited5', rpm: 1 }],
        budgets: [
          { name: 'ci-month', scope: 'key', key: 'poor4', period: 'month', mode: 'hard', limit_usd: 0.01 },
        ],
        policies: [
          {
            name: 'no-long',
            on: 'request',
            when: 'request.max_tokens > 8000',
            action: 'deny',
            mode: 'enforce',
            message: 'Ask for at most 8,000 tokens.',
          },
        ],
      },
    ],
  };
}

/** The messages of the page, as patterns: `…` stands for any text. */
function readPagePatterns(): readonly RegExp[] {
  const rows = readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(toPattern));
}

function toPattern([, message = '']: RegExpMatchArray): RegExp {
  const parts = message.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

interface Case {
  readonly name: string;
  readonly key?: string;
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
}

const model = (id: string, more: JsonObject = {}): JsonObject => ({
  model: id,
  messages: [{ role: 'user', content: 'Hello' }],
  ...more,
});

const CASES: readonly Case[] = [
  { name: 'no key' },
  { name: 'an unknown key', key: 'eis_wrong' },
  { name: 'two keys', key: FULL, headers: { 'x-api-key': CI } },
  { name: 'an expired key', key: EXPIRED },
  { name: 'a key without the scope gateway', key: MONITORING },
  { name: 'a model that is not in the allowlist of the key', key: CI, body: model('openai/gpt-5') },
  { name: 'a model id without a provider', key: FULL, body: model('gpt-5') },
  { name: 'a policy', key: FULL, body: model('sandbox/echo', { max_tokens: 9000 }) },
  { name: 'a used up budget', key: BUDGETED, body: model('openai/gpt-5', { max_tokens: 1000 }) },
  { name: 'a model without a price', key: BUDGETED, body: model('openai/failing') },
  { name: 'a credential that the provider rejects', key: FULL, body: model('openai/credential') },
  { name: 'an account without credit', key: FULL, body: model('openai/quota') },
  { name: 'a provider that fails', key: FULL, body: model('openai/failing') },
  { name: 'a provider that limits', key: FULL, body: model('openai/limited') },
  {
    name: 'a wrong monitor',
    key: FULL,
    path: '/api/monitoring/heartbeat',
    body: { monitor_id: 'nightlyy' },
  },
  { name: 'a wrong beat URL', path: '/beat/wrong', body: {} },
  {
    name: 'a beat with a key for the gateway',
    key: CI,
    path: '/api/monitoring/heartbeat',
    body: { monitor_id: 'nightly' },
  },
];

/** Sends a request that Floe rejects. Resolves to the message of the error. */
async function readMessage({ key, body, headers, path = CHAT }: Case): Promise<string> {
  const response = await callHttp(`${floe.url}${path}`, {
    headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
    body: body ?? model('sandbox/echo'),
  });
  assert.ok(response.status >= 400, `${response.status} ${response.text}`);
  const { error } = asObject(response.json());
  return String(asObject(error)['message']);
}

function asObject(value: unknown): JsonObject {
  assert.ok(isJsonObject(value));
  return value;
}

function assertOnPage(message: string): void {
  const isListed = readPagePatterns().some((pattern) => pattern.test(message));
  assert.ok(isListed, `the page does not contain: ${message}`);
}

/** Names of this configuration as the page writes them. */
function normalize(message: string): string {
  return message.replaceAll(/"ci\d"/g, '"ci"');
}

for (const example of CASES)
  test(`${example.name}: the page has the message`, async () =>
    assertOnPage(normalize(await readMessage(example))));

test('a second request in a minute: the page has the message, apart from the time', async () => {
  const example = { name: 'limit', key: LIMITED };
  const headers = { authorization: `Bearer ${LIMITED}` };
  assert.equal((await callHttp(`${floe.url}${CHAT}`, { headers, body: model('sandbox/echo') })).status, 200);
  assertOnPage((await readMessage(example)).replace(/in \d+ s\.$/, 'in 61 s.'));
});

test('a provider that cannot be reached: the page has the message', async () => {
  const example = { name: 'closed', key: FULL, body: model('closed/gpt-5') };
  assertOnPage((await readMessage(example)).replace('closed could', 'openai could'));
});

test('a target whose breaker is open: the page has the message', async () => {
  const headers = { authorization: `Bearer ${FULL}` };
  const path = `/api/management/breakers/${encodeURIComponent('sandbox/tools@none')}/force`;
  const body = { state: 'open', expires_in_seconds: 60, reason: 'test' };
  assert.equal((await callHttp(`${floe.url}${path}`, { headers, body })).status, 200);
  assertOnPage(await readMessage({ name: 'breaker', key: FULL, body: model('sandbox/tools') }));
});

test('a changed word is detected', () => {
  const found = readPagePatterns().filter((pattern) => pattern.test('This platform key is not valid.'));
  assert.deepEqual(found, []);
});
