import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { sendBufferedRequest } from './buffered-request.ts';
import type { UpstreamTransport } from './transport.ts';
import { createUpstreamHttpTransport } from './upstream-http-transport.ts';

const REQUEST = {
  method: 'GET',
  origin: 'null',
  path: '/models',
  headers: [],
  body: null,
  connectMs: 1_000,
} as const;
const LIMITS = { timeoutMs: 30_000, maxBytes: 1_000 };

test('an invalid URL is a failure of the call, and nothing can fail later', async () => {
  const clock = new FakeClock();
  const transport = createUpstreamHttpTransport();
  await assert.rejects(sendBufferedRequest(transport, clock, REQUEST, LIMITS), /Invalid URL/);
  clock.advance(60_000);
  await transport.close();
});

test('a transport that throws during the call is a failure', async () => {
  const failing: UpstreamTransport = {
    dispatch(_, handler) {
      handler.onError(new Error('no way out'));
      return () => undefined;
    },
    close: async () => undefined,
  };
  const clock = new FakeClock();
  await assert.rejects(sendBufferedRequest(failing, clock, REQUEST, LIMITS), /no way out/);
  clock.advance(60_000);
});
