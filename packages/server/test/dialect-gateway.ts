// The real server in front of one fake upstream per dialect, and the official clients of all three surfaces.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import Anthropic from '@anthropic-ai/sdk';
import type { JsonObject } from '@floe/contract/json';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { startFloeProcess } from '@floe/testkit/floe-process';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import type { UpstreamReply } from '@floe/testkit/upstream-reply';
import OpenAI from 'openai';
import { TEST_DIALECTS, type TestDialect } from './answer-content.ts';
import { waitForRows } from './wait-for-rows.ts';

export const CLIENT_SURFACES = ['chat', 'responses', 'messages'] as const;
export type ClientSurface = (typeof CLIENT_SURFACES)[number];

/** Path of a surface below the gateway's base address. */
export const SURFACE_PATHS: Readonly<Record<ClientSurface, string>> = {
  chat: '/chat/completions',
  responses: '/responses',
  messages: '/messages',
};

/** An answer to every request, or what makes one of each. */
type ReplySource = UpstreamReply | ((request: ReceivedRequest) => UpstreamReply);

export interface DialectGateway {
  /** Address of the gateway, ending in `/v1`. */
  readonly url: string;
  readonly key: string;
  /** Lays out the answer of this dialect's upstream to every request until the next call. */
  setReply(dialect: TestDialect, reply: ReplySource): void;
  upstream(dialect: TestDialect): FakeUpstream;
  /** The latest request this dialect's upstream has received. */
  lastRequest(dialect: TestDialect): ReceivedRequest;
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
  /** Headers of the official clients' latest answer. */
  lastHeaders(): Headers;
  /** The id of the official clients' latest request. */
  lastId(): string;
  row(id: string): Promise<JsonObject>;
  close(): Promise<void>;
}

const KINDS: Readonly<Record<TestDialect, object>> = {
  chat: { kind: 'openai-compatible' },
  responses: { kind: 'openai-compatible', dialects: ['responses'] },
  messages: { kind: 'anthropic-compatible' },
  gemini: { kind: 'gemini' },
  converse: { kind: 'bedrock', region: 'test-1' },
  cohere: { kind: 'cohere' },
};

async function startUpstreams(
  replies: ReadonlyMap<TestDialect, ReplySource>,
): Promise<Map<TestDialect, FakeUpstream>> {
  const upstreams = new Map<TestDialect, FakeUpstream>();
  for (const dialect of TEST_DIALECTS)
    upstreams.set(
      dialect,
      await startFakeUpstream({
        respond(request) {
          const playing = replies.get(dialect) ?? { status: 599 };
          return typeof playing === 'function' ? playing(request) : playing;
        },
      }),
    );
  return upstreams;
}

/**
 * Starts the server with a provider per dialect, each named like its dialect.
 *
 * @param more members of the org beside its providers, such as `relay`
 */
export async function startDialectGateway(
  more: Readonly<Record<string, unknown>> = {},
): Promise<DialectGateway> {
  const replies = new Map<TestDialect, ReplySource>();
  const upstreams = await startUpstreams(replies);
  const upstream = (dialect: TestDialect) => upstreams.get(dialect) ?? assert.fail();
  const key = `eis_${randomBytes(24).toString('hex')}`;
  const providers = TEST_DIALECTS.map((id) => ({
    id,
    ...KINDS[id],
    base_url: `${upstream(id).url}/v1`,
    api_key: `secret-of-${id}`,
    // Named models only: the server asks nobody for lists meanwhile.
    models: ['m-1', 'gpt-5.5'],
    // Each answer stands for itself; what many lead to is judged in breakers.test.ts.
    breaker: { enabled: false },
  }));
  const org = {
    id: 'acme',
    keys: [{ name: 'sdk', key, scopes: ['gateway', 'management', 'relay'] }],
    providers,
    // One call per question: failover has tests of its own.
    routes: [{ model: '*', retries: 0 }],
    ...more,
  };
  // YAML is a superset of JSON.
  const floe = await startFloeProcess({ yaml: JSON.stringify({ orgs: [org] }) });
  const url = `${floe.url}/gateway/v1`;
  let headers = new Headers();
  const tapped: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    headers = answer.headers;
    return answer;
  };
  return {
    url,
    key,
    setReply: (dialect, reply) => void replies.set(dialect, reply),
    upstream,
    lastRequest: (dialect) => upstream(dialect).requests.at(-1) ?? assert.fail(`${dialect}: not asked`),
    openai: new OpenAI({ baseURL: url, apiKey: key, maxRetries: 0, fetch: tapped }),
    anthropic: new Anthropic({
      baseURL: `${floe.url}/gateway`,
      apiKey: key,
      maxRetries: 0,
      fetch: tapped,
    }),
    lastHeaders: () => headers,
    lastId: () => headers.get('x-request-id') ?? assert.fail('an answer without its id'),
    row: async (id) => (await waitForRows(floe.url, key, [id])).get(id) ?? assert.fail(`no row of ${id}`),
    async close() {
      await floe.stop();
      for (const one of upstreams.values()) await one.close();
    },
  };
}
