import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { ConnectionPools } from './connection-pools.ts';
import { OriginConnectionPool } from './http1/origin-connection-pool.ts';
import { createSocketConnector } from './socket-connector.ts';
import { UploadConnectionPool } from './upload-pool.ts';

test('pools without connections are removed, and pools in use remain', async () => {
  const closed: string[] = [];
  const pools = new ConnectionPools<{ isUnused: boolean; close(): void }>();
  const pool = (name: string, isUnused: boolean) => ({ isUnused, close: () => void closed.push(name) });
  pools.add('used', pool('used', false));
  for (let n = 0; n < 10_000; n += 1) pools.add(`old-${n}`, pool(`old-${n}`, true));
  assert.ok(pools.size <= 65, String(pools.size));
  assert.ok(pools.get('used'));
  assert.ok(closed.length > 9_900 && !closed.includes('used'));
  for (let n = 0; n < 1_000; n += 1) pools.add(`new-${n}`, pool(`new-${n}`, false));
  assert.ok(pools.size >= 1_001);
  await pools.close();
  assert.equal(pools.size, 0);
});

test('a pool of an origin is in use from a request until its connection closes', async (t) => {
  const upstream = await startFakeUpstream({
    respond: () => ({ ...createJsonReply({}), framing: 'close', isPaced: true }),
  });
  t.after(() => upstream.close());
  const origin = new URL(upstream.url);
  const pool = new OriginConnectionPool(origin, createSocketConnector(origin, undefined, 1_000, undefined));
  assert.equal(pool.isUnused, true);
  const uploads = new UploadConnectionPool(
    origin,
    createSocketConnector(origin, undefined, 1_000, undefined),
  );
  assert.equal(uploads.isUnused, true);
  const ended = new Promise<void>((resolve, reject) => {
    const request = {
      method: 'GET',
      origin: upstream.url,
      path: '/',
      headers: [],
      body: null,
      connectMs: 1_000,
    };
    const ignore = () => undefined;
    pool.dispatch(request, null, {
      onConnected: ignore,
      onHead: ignore,
      onData: ignore,
      onEnd: resolve,
      onError: reject,
    });
  });
  assert.equal(pool.isUnused, false);
  await upstream.waitForRequests(1);
  assert.equal(pool.isUnused, false);
  upstream.gate.open();
  await ended;
  await eventually(() => pool.isUnused || undefined);
});
