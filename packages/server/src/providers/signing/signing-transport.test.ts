import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import type { UpstreamRequest, UpstreamTransport } from '../transport.ts';
import { resolveAwsCredentialSources } from './aws-credential-sources.ts';
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

test('after a correction of the clock, the caller receives only the response to the second request', async () => {
  const clock = new FakeClock();
  const heard: (number | string)[] = [];
  let sent = 0;
  const inner: UpstreamTransport = {
    close: async () => undefined,
    dispatch(_, handler) {
      sent += 1;
      const isFirst = sent === 1;
      const headers = {
        date: new Date(clock.now() + 3_600_000).toUTCString(),
        'x-amzn-errortype': 'SignatureDoesNotMatch',
      };
      queueMicrotask(() => {
        handler.onHead(isFirst ? 403 : 200, headers, { pause: () => undefined, resume: () => undefined });
        handler.onData(Buffer.from(isFirst ? 'rejected' : 'accepted'));
        handler.onEnd();
      });
      return () => undefined;
    },
  };
  const settings = { service: 's', region: 'r', keys: { id: 'i', secret: 's' }, metadata: false };
  const identity = resolveAwsCredentialSources(settings, () => undefined);
  const request: UpstreamRequest = {
    method: 'POST',
    origin: 'http://127.0.0.1:9',
    path: '/chat',
    headers: [],
    body: null,
    connectMs: 1,
    orgId: 'acme',
    signing: { key: 'one', identity, via: () => undefined },
  };
  await new Promise<void>((resolve, reject) => {
    createSigningTransport(inner, clock).dispatch(request, {
      onConnected: () => undefined,
      onHead: (status) => void heard.push(status),
      onData: (chunk) => void heard.push(chunk.toString()),
      onEnd: resolve,
      onError: reject,
    });
  });
  assert.deepEqual(heard, [200, 'accepted']);
});
