import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import type { UpstreamRequest, UpstreamTransport } from '../transport.ts';
import { resolveGoogleTokenSources } from './google-token-sources.ts';
import { createSigningTransport } from './signing-transport.ts';

const TOKEN = Buffer.from(JSON.stringify({ access_token: 'token', expires_in: 3_600, token_type: 'Bearer' }));

test('the credentials of an identity that is no longer used are removed', async () => {
  let fetched = 0;
  const inner: UpstreamTransport = {
    close: async () => undefined,
    dispatch({ path }, handler) {
      if (path !== '/chat') fetched += 1;
      queueMicrotask(() => {
        handler.onHead(200, {}, { pause: () => undefined, resume: () => undefined });
        handler.onData(TOKEN);
        handler.onEnd();
      });
      return () => undefined;
    },
  };
  const transport = createSigningTransport(inner, new FakeClock(), 2);
  const identity = resolveGoogleTokenSources({ file: undefined, metadata: true }, () => undefined);
  const sendWith = (key: string) =>
    new Promise<void>((resolve, reject) => {
      const request: UpstreamRequest = {
        method: 'POST',
        origin: 'http://127.0.0.1:9',
        path: '/chat',
        headers: [],
        body: null,
        connectMs: 1,
        orgId: 'acme',
        signing: { key, identity, via: () => undefined },
      };
      const ignore = () => undefined;
      const onHead = (status: number) => assert.equal(status, 200);
      transport.dispatch(request, {
        onConnected: ignore,
        onHead,
        onData: ignore,
        onEnd: resolve,
        onError: reject,
      });
    });
  for (const key of ['one', 'two', 'two', 'one']) await sendWith(key);
  assert.equal(fetched, 2);
  await sendWith('three');
  await sendWith('one');
  assert.equal(fetched, 3, 'used recently');
  await sendWith('two');
  assert.equal(fetched, 4);
});
