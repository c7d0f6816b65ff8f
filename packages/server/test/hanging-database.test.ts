// Tier: ci. A shutdown waits 20 seconds for the database.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createTestDatabase } from '../src/store/test/postgres-database.ts';
import { startTcpProxy } from '../src/store/test/tcp-proxy.ts';
import { buildChatBody, buildGatewayConfig, CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

const headers = { authorization: `Bearer ${GATEWAY_KEYS.full}` };

test('a shutdown does not wait for a database that hangs, and the next start stores the rows', async (t) => {
  const url = await createTestDatabase(t);
  const proxy = await startTcpProxy(url);
  const dataDir = mkdtempSync(join(tmpdir(), 'floe-hanging-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  t.after(() => proxy.close());
  const yaml = JSON.stringify(buildGatewayConfig('http://127.0.0.1:1'));
  const env = { FLOE_SECRET_KEY: 'a'.repeat(64), FLOE_DATABASE_URL: proxy.url };
  const floe = await startFloeProcess({ yaml, dataDir, env });
  t.after(() => floe.kill());
  proxy.freeze();
  const body = buildChatBody({ model: 'sandbox/echo' });
  const answer = await callHttp(floe.url + CHAT_COMPLETIONS_PATH, { headers, body });
  assert.equal(answer.status, 200);
  assert.deepEqual(await floe.stop(), { code: 0, signal: null });
  assert.match(floe.output(), /shutdown was not completed in time/);

  const next = await startFloeProcess({ yaml, dataDir, env: { ...env, FLOE_DATABASE_URL: url } });
  t.after(() => next.stop());
  await eventually(async () => {
    const row = `${next.url}/api/analytics/requests/${answer.headers['x-request-id']}`;
    return (await callHttp(row, { headers })).status === 200 || undefined;
  });
});
