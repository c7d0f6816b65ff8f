// The real server in front of upstreams of all dialects, two organizations and three keys, for stored responses.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import { createJsonReply, createSseReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import OpenAI from 'openai';
import type { TestDialect } from './answer-content.ts';
import { sampleReply } from './upstream-samples.ts';

/** Providers by id: `keeper` is native and keeps responses itself, `stateless` is native and does not. */
export const STORED_RESPONSES_PROVIDERS = ['chat', 'messages', 'gemini', 'keeper', 'stateless'] as const;
export type StoredResponsesProvider = (typeof STORED_RESPONSES_PROVIDERS)[number];

export const PROVIDER_DIALECTS: Readonly<Record<StoredResponsesProvider, TestDialect>> = {
  chat: 'chat',
  messages: 'messages',
  gemini: 'gemini',
  keeper: 'responses',
  stateless: 'responses',
};

const KINDS: Readonly<Record<StoredResponsesProvider, object>> = {
  chat: { kind: 'openai-compatible' },
  messages: { kind: 'anthropic-compatible' },
  gemini: { kind: 'gemini' },
  keeper: { kind: 'openai' },
  stateless: { kind: 'openai-compatible', dialects: ['responses'] },
};

/**
 * `own` and `other` are of one organization, `stranger` of the next; `sharer` and `partner` see each other's
 * responses, and `forgetful` is of an organization that keeps none.
 */
const KEYS = ['own', 'other', 'stranger', 'sharer', 'partner', 'forgetful'] as const;
type KeyName = (typeof KEYS)[number];

export interface StoredResponsesGateway {
  readonly floe: FloeProcess;
  readonly url: string;
  readonly keys: Readonly<Record<KeyName, string>>;
  /** The official client with this key; the owner's unless given. */
  client(key?: string): OpenAI;
  /** The recording every provider answers with from now on. */
  setScenario(scenario: string): void;
  upstream(provider: StoredResponsesProvider): FakeUpstream;
  /** Body of the latest request this provider got. */
  lastRequestBody(provider: StoredResponsesProvider): JsonObject;
  /** The same server again, on the same data, after a crash. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

export async function startStoredResponsesGateway(
  env: Readonly<Record<string, string>> = {},
): Promise<StoredResponsesGateway> {
  let scenario = 'text';
  const upstreams = new Map<StoredResponsesProvider, FakeUpstream>();
  for (const provider of STORED_RESPONSES_PROVIDERS)
    upstreams.set(
      provider,
      await startFakeUpstream({ respond: answering(PROVIDER_DIALECTS[provider], () => scenario) }),
    );
  const upstream = (provider: StoredResponsesProvider) => upstreams.get(provider) ?? assert.fail();
  const keys = newKeys();
  const providers = STORED_RESPONSES_PROVIDERS.map((id) => providerConfig(id, upstream(id).url));
  const shared = { providers, routes: [{ model: '*', retries: 0 }] };
  const org = (id: string, names: readonly KeyName[], more: JsonObject = {}) => ({
    id,
    ...shared,
    keys: names.map((name) => ({ name, key: keys[name] })),
    ...more,
  });
  const orgs = [
    org('acme', ['own', 'other']),
    org('rival', ['stranger']),
    org('sharing', ['sharer', 'partner'], { resource_scope: 'org' }),
    org('forgetful', ['forgetful'], { stored_responses: false }),
  ];
  const yaml = JSON.stringify({ orgs });
  const dataDir = mkdtempSync(join(tmpdir(), 'floe-stored-'));
  let floe = await startFloeProcess({ yaml, env, dataDir });
  return {
    get floe() {
      return floe;
    },
    get url() {
      return `${floe.url}/gateway/v1`;
    },
    keys,
    client(key = keys.own) {
      return new OpenAI({ baseURL: `${floe.url}/gateway/v1`, apiKey: key, maxRetries: 0 });
    },
    setScenario(next) {
      scenario = next;
    },
    upstream,
    lastRequestBody: (provider) =>
      parseRequestBody(upstream(provider).requests.at(-1) ?? assert.fail(`${provider}: not asked`)),
    async crash() {
      await floe.kill();
      floe = await startFloeProcess({ yaml, env, dataDir });
    },
    async close() {
      await floe.stop();
      for (const one of upstreams.values()) await one.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function providerConfig(id: StoredResponsesProvider, url: string) {
  return { id, ...KINDS[id], base_url: `${url}/v1`, api_key: `secret-of-${id}`, models: ['m-1'] };
}

function newKeys(): Readonly<Record<KeyName, string>> {
  const [own, other, stranger, sharer, partner, forgetful] = KEYS.map(
    () => `eis_${randomBytes(24).toString('hex')}`,
  );
  assert.ok(own && other && stranger && sharer && partner && forgetful);
  return { own, other, stranger, sharer, partner, forgetful };
}

export function parseRequestBody(request: ReceivedRequest): JsonObject {
  const body: unknown = JSON.parse(request.body.toString('utf8') || '{}');
  return isJsonObject(body) ? body : assert.fail('a body that is no object');
}

const SAID_LATER = [{ type: 'output_text', text: 'Made in the background.', annotations: [] }];

function queued(id: string, status: string): JsonObject {
  const output =
    status === 'completed' ? [{ type: 'message', id: 'msg_bg', role: 'assistant', content: SAID_LATER }] : [];
  return { id, object: 'response', model: 'm-1', background: true, status, output };
}

/** Background responses that were asked after once. */
const askedAfter = new Set<string>();

/** A response made in the background: done when it is asked after a second time, unless it was cancelled. */
function background({ method, path }: ReceivedRequest): UpstreamReply {
  const id = path.split('/')[3] ?? '';
  if (method === 'DELETE') return createJsonReply({ id, object: 'response', deleted: true });
  if (method === 'POST') return createJsonReply(queued(id, 'cancelled'));
  const status = askedAfter.has(id) ? 'completed' : 'in_progress';
  askedAfter.add(id);
  return createJsonReply(queued(id, status));
}

/** Answers the scenario in the form asked for; native responses get an id of their own each time. */
function answering(
  dialect: TestDialect,
  scenario: () => string,
): (request: ReceivedRequest, index: number) => UpstreamReply {
  return (request, index) => {
    if (request.method !== 'POST' || request.path.endsWith('/cancel')) return background(request);
    const isStream =
      parseRequestBody(request)['stream'] === true || request.path.includes('streamGenerateContent');
    if (parseRequestBody(request)['background'] === true) {
      const response = queued(`resp_bg${index}`, 'queued');
      // A stream is cut off while the response is queued.
      const created = JSON.stringify({ type: 'response.created', response });
      return isStream
        ? createSseReply([`event: response.created\ndata: ${created}\n\n`])
        : createJsonReply(response);
    }
    const reply = sampleReply(dialect, scenario(), isStream);
    if (dialect !== 'responses') return reply;
    const text = reply.body.toString('utf8');
    const id = /"id":\s*"(resp_[^"]+)"/.exec(text)?.[1] ?? assert.fail('a response without its id');
    return { ...reply, body: Buffer.from(text.replaceAll(id, `resp_up${index}x${id.slice(5)}`)) };
  };
}
