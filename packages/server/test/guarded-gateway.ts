import type { TestContext } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { type FakeUpstream, type FakeUpstreamOptions, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp, type HttpCallResponse } from '@floe/testkit/http-client';
import { loadProjectRecording } from '@floe/testkit/recordings';
import { buildChatBody, buildGatewayConfig, CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

/** What the fake provider's model costs: $1 and $2 per million tokens. */
export const GUARDED_PRICES = { model: { input: 1, output: 2 } };

export interface GuardedGateway {
  readonly floe: FloeProcess;
  readonly upstream: FakeUpstream;
  chat(more?: JsonObject, key?: string, signal?: AbortSignal): Promise<HttpCallResponse>;
  callApi(path: string, options?: { method?: string; body?: JsonObject }): Promise<HttpCallResponse>;
}

export interface GuardedGatewayOptions {
  /** Members of the org: `limits`, `budgets`, `timezone` … */
  readonly org: JsonObject;
  /** Of the file outside of the org. */
  readonly file?: JsonObject;
  readonly upstream?: FakeUpstreamOptions;
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
}

/** The real server in front of a fake upstream, with limits and budgets; all of it ends with the test. */
export async function startGuardedGateway(
  t: TestContext,
  options: GuardedGatewayOptions,
): Promise<GuardedGateway> {
  const upstream = await startFakeUpstream(
    options.upstream ?? {
      recordings: [loadProjectRecording('openai', 'text'), loadProjectRecording('openai', 'text-stream')],
    },
  );
  t.after(() => upstream.close());
  const floe = await startFloeProcess({
    yaml: JSON.stringify({ ...buildGuardedConfig(upstream.url, options.org), ...options.file }),
    ...(options.env ? { env: options.env } : {}),
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
  });
  t.after(() => floe.stop());
  return { floe, upstream, ...createGatewayCalls(floe.url) };
}

export function buildGuardedConfig(upstreamUrl: string, more: JsonObject): JsonObject {
  const { orgs } = buildGatewayConfig(upstreamUrl);
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
    { ...fake, id: 'priced', prices: GUARDED_PRICES },
    { id: 'sandbox', kind: 'sandbox' },
  ];
  return { orgs: [{ ...(isJsonObject(org) ? org : {}), providers, ...more }] };
}

export function createGatewayCalls(url: string): Pick<GuardedGateway, 'chat' | 'callApi'> {
  return {
    chat: (more = {}, key = GATEWAY_KEYS.full, signal = new AbortController().signal) =>
      callHttp(url + CHAT_COMPLETIONS_PATH, {
        signal,
        headers: { authorization: `Bearer ${key}` },
        body: buildChatBody({ model: 'priced/model', ...more }),
      }),
    callApi: (path, options = {}) =>
      callHttp(url + path, { ...options, headers: { authorization: `Bearer ${GATEWAY_KEYS.full}` } }),
  };
}
