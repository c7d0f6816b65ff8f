// The real server with native APIs behind its passthrough surfaces: two fakes of the OpenAI style, two of the
// Claude style, and two organizations that use the same accounts.
import { randomBytes } from 'node:crypto';
import Anthropic from '@anthropic-ai/sdk';
import type { JsonObject } from '@floe/contract/json';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp, type HttpCallOptions, type HttpCallResponse } from '@floe/testkit/http-client';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import OpenAI from 'openai';
import { waitForRows } from './wait-for-rows.ts';

/** The fakes, in the order they stand behind their surface. */
export const PASSTHROUGH_UPSTREAMS = ['a-one', 'a-two', 'b-one', 'b-two'] as const;
export type PassthroughUpstream = (typeof PASSTHROUGH_UPSTREAMS)[number];
export const PASSTHROUGH_A_PATH = '/gateway/passthrough-a/v1';
export const PASSTHROUGH_B_PATH = '/gateway/passthrough-b';

const newKey = () => `eis_${randomBytes(20).toString('hex')}`;
/** Platform keys: three of the first organization, one of the second. */
export const PASSTHROUGH_KEYS = {
  ours: newKey(),
  colleague: newKey(),
  /** May use one model of each first fake, and the files of the OpenAI style. */
  narrow: newKey(),
  stranger: newKey(),
} as const;
export type PassthroughKeyName = keyof typeof PASSTHROUGH_KEYS;

type Respond = (request: ReceivedRequest) => UpstreamReply | Promise<UpstreamReply>;

export interface PassthroughGateway {
  readonly floe: FloeProcess;
  readonly url: string;
  upstream(fake: PassthroughUpstream): FakeUpstream;
  /** Lays out how a fake answers from now on. */
  setReply(fake: PassthroughUpstream, reply: UpstreamReply | Respond): void;
  /** The newest request a fake has received. */
  lastRequest(fake: PassthroughUpstream): ReceivedRequest;
  requestCount(fake: PassthroughUpstream): number;
  call(
    path: string,
    options?: HttpCallOptions & { readonly key?: PassthroughKeyName },
  ): Promise<HttpCallResponse>;
  openai(key?: PassthroughKeyName, base?: string): OpenAI;
  anthropic(key?: PassthroughKeyName): Anthropic;
  row(answer: HttpCallResponse | string): Promise<JsonObject>;
  close(): Promise<void>;
}

export async function startPassthroughGateway(): Promise<PassthroughGateway> {
  const replies = new Map<PassthroughUpstream, UpstreamReply | Respond>();
  const upstreams = new Map<PassthroughUpstream, FakeUpstream>();
  for (const fake of PASSTHROUGH_UPSTREAMS)
    upstreams.set(
      fake,
      await startFakeUpstream({
        respond(request) {
          const reply = replies.get(fake) ?? createJsonReply({ error: { message: 'nothing laid out' } }, 599);
          return typeof reply === 'function' ? reply(request) : reply;
        },
      }),
    );
  const upstream = (fake: PassthroughUpstream) => upstreams.get(fake) ?? fail(fake);
  const floe = await startFloeProcess({ yaml: JSON.stringify(configFor(upstream)) });
  const { url } = floe;
  return {
    floe,
    url,
    upstream,
    setReply: (fake, reply) => void replies.set(fake, reply),
    lastRequest: (fake) => upstream(fake).requests.at(-1) ?? fail(fake),
    requestCount: (fake) => upstream(fake).requests.length,
    call: (path, { key = 'ours', ...options } = {}) =>
      callHttp(url + path, {
        ...options,
        headers: { authorization: `Bearer ${PASSTHROUGH_KEYS[key]}`, ...options.headers },
      }),
    openai: (key = 'ours', base = PASSTHROUGH_A_PATH) =>
      new OpenAI({ baseURL: url + base, apiKey: PASSTHROUGH_KEYS[key], maxRetries: 0 }),
    anthropic: (key = 'ours') =>
      new Anthropic({ baseURL: url + PASSTHROUGH_B_PATH, apiKey: PASSTHROUGH_KEYS[key], maxRetries: 0 }),
    async row(answer) {
      const id = typeof answer === 'string' ? answer : (answer.headers['x-request-id'] ?? '');
      return (await waitForRows(url, PASSTHROUGH_KEYS.ours, [id])).get(id) ?? fail(id);
    },
    async close() {
      await floe.stop();
      for (const one of upstreams.values()) await one.close();
    },
  };
}

function configFor(upstream: (fake: PassthroughUpstream) => FakeUpstream): JsonObject {
  const models = ['m-1', 'm-2', 'mapped-*', 'text-*'];
  const timeouts = { connect_ms: 2_000, headers_ms: 2_000, first_token_ms: 2_000, idle_ms: 2_000 };
  const providers = PASSTHROUGH_UPSTREAMS.map((fake) => ({
    id: fake,
    kind: fake.startsWith('a') ? 'openai' : 'anthropic',
    base_url: fake.startsWith('a') ? `${upstream(fake).url}/v1` : upstream(fake).url,
    api_key: `secret-of-${fake}`,
    models,
    timeouts,
    // Each answer stands for itself; what many lead to is judged in breakers.test.ts.
    breaker: { enabled: false },
  }));
  const passthrough = {
    a: ['a-one', { provider: 'a-two', model_map: { 'm-2': 'mapped-2' } }],
    b: ['b-one', { provider: 'b-two', model_map: { 'm-2': 'mapped-2' } }],
  };
  const routes = [{ model: '*', retries: 0 }];
  const full = ['gateway', 'management', 'read'];
  const narrow = { models: ['a-one/m-1', 'b-one/m-1'], paths: [`${PASSTHROUGH_A_PATH}/files`] };
  return {
    orgs: [
      {
        id: 'acme',
        keys: [
          { name: 'ours', key: PASSTHROUGH_KEYS.ours, scopes: full },
          { name: 'colleague', key: PASSTHROUGH_KEYS.colleague, scopes: full },
          { name: 'narrow', key: PASSTHROUGH_KEYS.narrow, scopes: ['gateway'], ...narrow },
        ],
        providers,
        passthrough,
        routes,
      },
      {
        id: 'other',
        resource_scope: 'org',
        stored_responses: false,
        keys: [{ name: 'stranger', key: PASSTHROUGH_KEYS.stranger, scopes: full }],
        providers,
        passthrough,
        routes,
      },
    ],
  };
}

function fail(what: string): never {
  throw new Error(`nothing of ${what}`);
}
