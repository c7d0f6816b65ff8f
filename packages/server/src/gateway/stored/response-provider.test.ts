import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { createProvider } from '../../providers/configured-provider.ts';
import { findProviderDefinition } from '../../providers/provider-definitions.ts';
import type { UpstreamTransport } from '../../providers/transport.ts';
import { EMPTY_ORG_CATALOG } from '../org-catalog.ts';
import type { SharedGatewayDependencies } from '../shared-gateway-dependencies.ts';
import { callResponseProvider } from './response-provider.ts';

/** Reads a stored response from a provider that responds with this text. */
function readResponse(text: string) {
  const definition = findProviderDefinition('openai');
  assert.ok(definition);
  const credential = { name: 'main', secret: 'secret', weight: 1 };
  const provider = createProvider({
    id: 'openai',
    definition,
    baseUrl: 'https://host.test/v1',
    credentials: [credential],
    models: ['*'],
    headers: {},
    body: {},
    timeouts: { connectMs: 1, headersMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
  });
  const transport: UpstreamTransport = {
    dispatch(_, handler) {
      queueMicrotask(() => {
        handler.onHead(200, {}, { pause: () => undefined, resume: () => undefined });
        handler.onData(Buffer.from(text));
        handler.onEnd();
      });
      return () => undefined;
    },
    close: () => Promise.resolve(),
  };
  const gateway = { transport, clock: new FakeClock() } as unknown as SharedGatewayDependencies;
  const catalog = { ...EMPTY_ORG_CATALOG, providers: new Map([[provider.id, provider]]) };
  const turn = { held: true, origin: provider.sealOrigin(credential), response: { id: 'resp_1' } };
  return callResponseProvider(gateway, catalog, turn, 'show');
}

test('a stored response with too many JSON values is not parsed', async () => {
  const output = (values: number) => `{"status":"completed","output":[${'1.10,'.repeat(values)}1]}`;
  assert.deepEqual((await readResponse(output(3)))?.body?.['status'], 'completed');
  assert.deepEqual(await readResponse(output(400_000)), { status: 200, body: null });
});
