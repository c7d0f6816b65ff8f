// The real server in front of one fake upstream per provider; each answers what the test lays out for it next.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@floe/contract/json';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { startFloeProcess } from '@floe/testkit/floe-process';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import OpenAI from 'openai';
import { waitForRows } from './wait-for-rows.ts';

/** The providers whose Chat dialect is forwarded as it is, and that have recordings. */
export const RECORDED_KINDS = [
  'openai',
  'groq',
  'deepseek',
  'xai',
  'openrouter',
  'mistral',
  'ollama',
  'together',
  'fireworks',
  'openai-compatible',
] as const;
export type RecordedKind = (typeof RECORDED_KINDS)[number];

/** One org per way to treat reasoning, with the same providers. */
export type ReasoningOrg = 'strip' | 'forward';

/** What one request of a client was and what came back, below the client's own reading of it. */
export interface TappedExchange {
  readonly sent: string;
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came, of errors only. */
  readonly errorText: string | undefined;
}

export interface TappedClient {
  readonly client: OpenAI;
  readonly taps: readonly TappedExchange[];
  /** The latest request. */
  last(): TappedExchange;
}

export interface RecordingGateway {
  readonly url: string;
  key(org: ReasoningOrg): string;
  /** Lays out the answer of this provider to every request until the next call. */
  setReply(kind: RecordedKind, reply: UpstreamReply): void;
  /** The Chat requests this provider has received so far. */
  received(kind: RecordedKind): readonly ReceivedRequest[];
  /** The official client; `taps` lists what it sent and got. */
  client(
    org: ReasoningOrg,
    options?: { readonly maxRetries?: number; readonly apiKey?: string },
  ): TappedClient;
  /** The rows of these request ids, once all of them are written. */
  rows(org: ReasoningOrg, ids: readonly string[]): Promise<ReadonlyMap<string, JsonObject>>;
  close(): Promise<void>;
}

/** What every provider says it has; an entry with all that lists are known to say, and a bare one. */
const MODEL_LIST = createJsonReply({
  object: 'list',
  data: [
    {
      id: 'vendor/alpha-1:free',
      object: 'model',
      created: 1700000000,
      owned_by: 'vendor',
      context_length: 8192,
    },
    { id: 'beta' },
  ],
});
const UPSTREAM_SECRET = 'upstream-secret';

/** Starts the server with every provider of `RECORDED_KINDS` in two orgs, `strip` and `forward`. */
export async function startRecordingGateway(): Promise<RecordingGateway> {
  const replies = new Map<RecordedKind, UpstreamReply>();
  const upstreams = new Map<RecordedKind, FakeUpstream>();
  for (const kind of RECORDED_KINDS)
    upstreams.set(
      kind,
      await startFakeUpstream({
        respond: ({ method }) => (method === 'GET' ? MODEL_LIST : (replies.get(kind) ?? { status: 599 })),
      }),
    );
  const keys = { strip: newKey(), forward: newKey() };
  const floe = await startFloeProcess({ yaml: configuration(upstreams, keys) });
  const base = `${floe.url}/gateway/v1`;
  return {
    url: base,
    key: (org) => keys[org],
    setReply: (kind, reply) => void replies.set(kind, reply),
    received: (kind) => (upstreams.get(kind)?.requests ?? []).filter(({ method }) => method === 'POST'),
    client: (org, options) => tapped(base, { apiKey: keys[org], maxRetries: 0, ...options }),
    rows: (org, ids) => waitForRows(floe.url, keys[org], ids),
    async close() {
      await floe.stop();
      for (const upstream of upstreams.values()) await upstream.close();
    },
  };
}

function newKey(): string {
  return `eis_${randomBytes(24).toString('hex')}`;
}

/** YAML is a superset of JSON. */
function configuration(
  upstreams: ReadonlyMap<RecordedKind, FakeUpstream>,
  keys: Readonly<Record<ReasoningOrg, string>>,
): string {
  const providers = [...upstreams].map(([kind, { url }]) => ({
    id: kind,
    kind,
    base_url: `${url}/v1`,
    api_key: UPSTREAM_SECRET,
    models: ['*'],
    // Prices have tests of their own, and so has what one fault does to the requests after it.
    billing: 'free',
    breaker: { enabled: false },
  }));
  const orgs = (['strip', 'forward'] as const).map((org) => ({
    id: org,
    chat_reasoning: org,
    keys: [
      { name: 'sdk', key: keys[org], scopes: ['gateway', 'management'] },
      { name: 'narrow', key: `${keys[org]}_narrow`, scopes: ['gateway'], models: ['groq/*'] },
    ],
    providers,
    // One call per question: what a failure looks like is judged here, not what is tried after it.
    routes: [
      { model: 'smart', targets: ['groq/beta'], retries: 0 },
      { model: '*', retries: 0 },
      // No request reaches this route, because '*' matches first.
      { model: 'hidden', targets: ['groq/beta'] },
    ],
  }));
  return JSON.stringify({ orgs });
}

function tapped(baseURL: string, options: { apiKey: string; maxRetries: number }): TappedClient {
  const taps: TappedExchange[] = [];
  const client = new OpenAI({
    baseURL,
    ...options,
    async fetch(url, init) {
      const response = await fetch(url, init);
      const errorText = response.ok ? undefined : await response.clone().text();
      const sent = typeof init?.body === 'string' ? init.body : '';
      taps.push({ sent, status: response.status, headers: response.headers, errorText });
      return response;
    },
  });
  const last = () => taps.at(-1) ?? assert.fail('the client has sent nothing');
  return { client, taps, last };
}
