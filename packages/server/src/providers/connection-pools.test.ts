import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { ConnectionPools } from './connection-pools.ts';
import { OriginConnectionPool } from './http1/origin-connection-pool.ts';
import { createSocketConnector } from './socket-connector.ts';
import type { UpstreamResponseHandler } from './transport.ts';
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
  t.after(() => pool.close());
  assert.equal(pool.isUnused, true);
  const uploads = new UploadConnectionPool(
    origin,
    createSocketConnector(origin, undefined, 1_000, undefined),
  );
  t.after(() => uploads.close());
  assert.equal(uploads.isUnused, true);
  const shared = { origin: upstream.url, path: '/', headers: [], body: null, connectMs: 1_000 };
  const ignore = () => undefined;
  const begin = (dispatch: (handler: UpstreamResponseHandler) => void) =>
    new Promise<void>((resolve, reject) =>
      dispatch({ onConnected: ignore, onHead: ignore, onData: ignore, onEnd: resolve, onError: reject }),
    );
  const ended = [
    begin((handler) => pool.dispatch({ ...shared, method: 'GET' }, null, handler)),
    begin((handler) => uploads.dispatch({ ...shared, method: 'POST' }, Readable.from(['text']), handler)),
  ];
  assert.deepEqual([pool.isUnused, uploads.isUnused], [false, false]);
  await upstream.waitForRequests(2);
  assert.deepEqual([pool.isUnused, uploads.isUnused], [false, false]);
  upstream.gate.open();
  await Promise.all(ended);
  await eventually(() => (pool.isUnused && uploads.isUnused) || undefined);
});

test('a pool whose connector throws is unused', () => {
  const connect = () => assert.fail('malformed certificate');
  const pool = new OriginConnectionPool(new URL('https://127.0.0.1'), connect);
  const request = { method: 'GET', origin: '', path: '/', headers: [], body: null, connectMs: 1_000 };
  const ignore = () => undefined;
  const handler = { onConnected: ignore, onHead: ignore, onData: ignore, onEnd: ignore, onError: ignore };
  assert.throws(() => pool.dispatch(request, null, handler), /malformed certificate/);
  assert.equal(pool.isUnused, true);
});
