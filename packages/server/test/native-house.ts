// The real server with native APIs behind its passthrough surfaces: two fakes of the OpenAI style, two of the
// Claude style, and two organizations that use the same accounts.
import { randomBytes } from 'node:crypto';
import Anthropic from '@anthropic-ai/sdk';
import type { JsonObject } from '@floe/contract/json';
import { type CallAnswer, type CallOptions, call } from '@floe/testkit/client';
import type { ReceivedRequest } from '@floe/testkit/connection';
import { type Floe, startFloe } from '@floe/testkit/process';
import { jsonReply, type Reply } from '@floe/testkit/reply';
import { startUpstream, type Upstream } from '@floe/testkit/upstream';
import OpenAI from 'openai';
import { rowsOf } from './rows-of.ts';

/** The fakes, in the order they stand behind their surface. */
export const FAKES = ['a-one', 'a-two', 'b-one', 'b-two'] as const;
export type Fake = (typeof FAKES)[number];
export const PASS_A = '/gateway/passthrough-a/v1';
export const PASS_B = '/gateway/passthrough-b';

const newKey = () => `eis_${randomBytes(20).toString('hex')}`;
/** Platform keys: three of the first organization, one of the second. */
export const KEYS = {
  ours: newKey(),
  colleague: newKey(),
  /** May use one model of each first fake, and the files of the OpenAI style. */
  narrow: newKey(),
  stranger: newKey(),
} as const;
export type KeyName = keyof typeof KEYS;

type Respond = (request: ReceivedRequest) => Reply | Promise<Reply>;

export interface NativeHouse {
  readonly floe: Floe;
  readonly url: string;
  upstream(fake: Fake): Upstream;
  /** Lays out how a fake answers from now on. */
  play(fake: Fake, reply: Reply | Respond): void;
  /** The newest request a fake has received. */
  last(fake: Fake): ReceivedRequest;
  count(fake: Fake): number;
  call(path: string, options?: CallOptions & { readonly key?: KeyName }): Promise<CallAnswer>;
  openai(key?: KeyName, base?: string): OpenAI;
  anthropic(key?: KeyName): Anthropic;
  row(answer: CallAnswer | string): Promise<JsonObject>;
  close(): Promise<void>;
}

export async function startNativeHouse(): Promise<NativeHouse> {
  const replies = new Map<Fake, Reply | Respond>();
  const upstreams = new Map<Fake, Upstream>();
  for (const fake of FAKES)
    upstreams.set(
      fake,
      await startUpstream({
        respond(request) {
          const reply = replies.get(fake) ?? jsonReply({ error: { message: 'nothing laid out' } }, 599);
          return typeof reply === 'function' ? reply(request) : reply;
        },
      }),
    );
  const upstream = (fake: Fake) => upstreams.get(fake) ?? fail(fake);
  const floe = await startFloe({ yaml: JSON.stringify(configFor(upstream)) });
  const { url } = floe;
  return {
    floe,
    url,
    upstream,
    play: (fake, reply) => void replies.set(fake, reply),
    last: (fake) => upstream(fake).requests.at(-1) ?? fail(fake),
    count: (fake) => upstream(fake).requests.length,
    call: (path, { key = 'ours', ...options } = {}) =>
      call(url + path, { ...options, headers: { authorization: `Bearer ${KEYS[key]}`, ...options.headers } }),
    openai: (key = 'ours', base = PASS_A) =>
      new OpenAI({ baseURL: url + base, apiKey: KEYS[key], maxRetries: 0 }),
    anthropic: (key = 'ours') => new Anthropic({ baseURL: url + PASS_B, apiKey: KEYS[key], maxRetries: 0 }),
    async row(answer) {
      const id = typeof answer === 'string' ? answer : (answer.headers['x-request-id'] ?? '');
      return (await rowsOf(url, KEYS.ours, [id])).get(id) ?? fail(id);
    },
    async close() {
      await floe.stop();
      for (const one of upstreams.values()) await one.close();
    },
  };
}

function configFor(upstream: (fake: Fake) => Upstream): JsonObject {
  const models = ['m-1', 'm-2', 'mapped-*', 'text-*'];
  const timeouts = { connect_ms: 2_000, headers_ms: 2_000, first_token_ms: 2_000, idle_ms: 2_000 };
  const providers = FAKES.map((fake) => ({
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
  const narrow = { models: ['a-one/m-1', 'b-one/m-1'], paths: [`${PASS_A}/files`] };
  return {
    orgs: [
      {
        id: 'acme',
        keys: [
          { name: 'ours', key: KEYS.ours, scopes: full },
          { name: 'colleague', key: KEYS.colleague, scopes: full },
          { name: 'narrow', key: KEYS.narrow, scopes: ['gateway'], ...narrow },
        ],
        providers,
        passthrough,
        routes,
      },
      {
        id: 'other',
        resource_scope: 'org',
        keys: [{ name: 'stranger', key: KEYS.stranger, scopes: full }],
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
