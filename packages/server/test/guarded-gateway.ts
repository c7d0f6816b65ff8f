import type { TestContext } from 'node:test';
import { isObject, type JsonObject } from '@floe/contract/json';
import { type CallAnswer, call } from '@floe/testkit/client';
import { type Floe, startFloe } from '@floe/testkit/process';
import { ownRecording } from '@floe/testkit/recordings';
import { startUpstream, type Upstream, type UpstreamOptions } from '@floe/testkit/upstream';
import { CHAT, chatBody, configFor, KEYS } from './running-gateway.ts';

/** What the fake provider's model costs: $1 and $2 per million tokens. */
export const PRICES = { model: { input: 1, output: 2 } };

export interface GuardedGateway {
  readonly floe: Floe;
  readonly upstream: Upstream;
  chat(more?: JsonObject, key?: string, signal?: AbortSignal): Promise<CallAnswer>;
  ask(path: string, options?: { method?: string; body?: JsonObject }): Promise<CallAnswer>;
}

export interface GuardedOptions {
  /** Members of the org: `limits`, `budgets`, `timezone` … */
  readonly org: JsonObject;
  /** Of the file outside of the org. */
  readonly file?: JsonObject;
  readonly upstream?: UpstreamOptions;
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
}

/** The real server in front of a fake upstream, with limits and budgets; all of it ends with the test. */
export async function startGuarded(t: TestContext, options: GuardedOptions): Promise<GuardedGateway> {
  const upstream = await startUpstream(
    options.upstream ?? {
      recordings: [ownRecording('openai', 'text'), ownRecording('openai', 'text-stream')],
    },
  );
  t.after(() => upstream.close());
  const floe = await startFloe({
    yaml: JSON.stringify({ ...guardedConfig(upstream.url, options.org), ...options.file }),
    ...(options.env ? { env: options.env } : {}),
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
  });
  t.after(() => floe.stop());
  return { floe, upstream, ...callsTo(floe.url) };
}

export function guardedConfig(upstreamUrl: string, more: JsonObject): JsonObject {
  const { orgs } = configFor(upstreamUrl);
  const [org] = Array.isArray(orgs) ? orgs : [];
  // Exact ids only: a pattern would have the server ask the upstream for its list of models.
  const fake = {
    kind: 'openai-compatible',
    base_url: `${upstreamUrl}/v1`,
    api_key: 'upstream-secret',
    models: ['model'],
  };
  const providers = [
    { ...fake, id: 'fake' },
    { ...fake, id: 'priced', prices: PRICES },
    { id: 'sandbox', kind: 'sandbox' },
  ];
  return { orgs: [{ ...(isObject(org) ? org : {}), providers, ...more }] };
}

export function callsTo(url: string): Pick<GuardedGateway, 'chat' | 'ask'> {
  return {
    chat: (more = {}, key = KEYS.full, signal = new AbortController().signal) =>
      call(url + CHAT, {
        signal,
        headers: { authorization: `Bearer ${key}` },
        body: chatBody({ model: 'priced/model', ...more }),
      }),
    ask: (path, options = {}) =>
      call(url + path, { ...options, headers: { authorization: `Bearer ${KEYS.full}` } }),
  };
}
