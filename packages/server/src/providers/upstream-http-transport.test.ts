import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import {
  createOutboundGuard,
  type OutboundAccessSettings,
  OutboundBlockedError,
} from '../core/outbound-guard.ts';
import type { UpstreamRequest } from './transport.ts';
import { createUpstreamHttpTransport } from './upstream-http-transport.ts';

test('a connection serves the requests of one organization only, and is reused', async (t) => {
  const upstream = await startFakeUpstream({ respond: () => createJsonReply({}) });
  const transport = createUpstreamHttpTransport();
  t.after(async () => {
    await transport.close();
    await upstream.close();
  });
  const opened: number[] = [];
  for (const orgId of ['acme', 'acme', 'other', 'acme', 'other', undefined]) {
    const { url: origin } = upstream;
    await ended(transport, {
      method: 'GET',
      origin,
      path: '/',
      headers: [],
      body: null,
      connectMs: 1000,
      orgId,
    });
    opened.push(upstream.connections().opened);
  }
  assert.deepEqual(opened, [1, 1, 2, 2, 2, 3]);
});

test('a connection is not reused after the allowed networks have changed', async (t) => {
  const upstream = await startFakeUpstream({ respond: () => createJsonReply({}) });
  const access = { privateNetworks: [], namedHosts: () => new Set<string>() };
  let settings: OutboundAccessSettings = { ...access, allowPrivate: true };
  const transport = createUpstreamHttpTransport(createOutboundGuard(() => settings));
  t.after(async () => {
    await transport.close();
    await upstream.close();
  });
  const { url: origin } = upstream;
  const call = () =>
    ended(transport, {
      ...{ method: 'GET', path: '/', headers: [], body: null },
      origin,
      connectMs: 1000,
      orgId: 'a',
    });
  await call();
  // A configuration change that does not concern the networks.
  settings = { ...settings };
  await call();
  assert.equal(upstream.connections().opened, 1);
  settings = { ...access, allowPrivate: false };
  await assert.rejects(call(), OutboundBlockedError);
});

function ended(
  transport: ReturnType<typeof createUpstreamHttpTransport>,
  request: UpstreamRequest,
): Promise<void> {
  return new Promise((resolve, reject) => {
    transport.dispatch(request, {
      onConnected: () => undefined,
      onHead: () => undefined,
      onData: () => undefined,
      onEnd: resolve,
      onError: reject,
    });
  });
}
