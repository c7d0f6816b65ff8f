// Tier: ci. Waits for the time limits of a database that does not respond.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createTestDatabase } from '../src/store/test/postgres-database.ts';
import { startTcpProxy } from '../src/store/test/tcp-proxy.ts';
import { buildChatBody, buildGatewayConfig, CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

const headers = { authorization: `Bearer ${GATEWAY_KEYS.full}` };

test('while the database is frozen, API calls fail within seconds, and model requests do not wait', async (t) => {
  const proxy = await startTcpProxy(await createTestDatabase(t));
  t.after(() => proxy.close());
  const yaml = JSON.stringify(buildGatewayConfig('http://127.0.0.1:1'));
  const env = { FLOE_SECRET_KEY: 'a'.repeat(64), FLOE_DATABASE_URL: proxy.url };
  const floe = await startFloeProcess({ yaml, env });
  t.after(() => floe.kill());
  const measure = async (path: string, body?: object) => {
    const startedAt = performance.now();
    const { status, text } = await callHttp(floe.url + path, { headers, ...(body && { body }) });
    return { status, text, ms: performance.now() - startedAt };
  };
  const callApi = () => measure('/api/analytics/requests');
  const askModel = () => measure(CHAT_COMPLETIONS_PATH, buildChatBody({ model: 'sandbox/echo' }));
  assert.equal((await callApi()).status, 200);
  assert.equal((await askModel()).status, 200);
  proxy.freeze();
  const calls = Array.from({ length: 8 }, callApi);
  for (let n = 0; n < 20; n++) {
    const { status, ms } = await askModel();
    assert.equal(status, 200);
    assert.ok(ms < 1_000, `a model request took ${ms} ms`);
  }
  for (const { status, text, ms } of await Promise.all(calls)) {
    assert.equal(status, 503, text);
    assert.match(text, /"code":"overloaded"/);
    assert.ok(ms < 8_000, `an API call took ${ms} ms`);
  }
});
