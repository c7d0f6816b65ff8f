// Tier: ci. Starts a server on PostgreSQL.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createTestDatabase, runAsAdministrator } from '../src/store/test/postgres-database.ts';
import { buildGatewayConfig, GATEWAY_KEYS } from './running-gateway.ts';

const headers = { authorization: `Bearer ${GATEWAY_KEYS.full}` };

test('while the database is read-only, the process is not ready for the API, and reads work', async (t) => {
  const url = await createTestDatabase(t);
  const name = new URL(url).pathname.slice(1);
  const yaml = JSON.stringify(buildGatewayConfig('http://127.0.0.1:1'));
  const env = { FLOE_SECRET_KEY: 'a'.repeat(64), FLOE_DATABASE_URL: url };
  const floe = await startFloeProcess({ yaml, env });
  t.after(() => floe.stop());
  const probe = async (path: string) => callHttp(floe.url + path);
  assert.equal((await probe('/readyz?for=api')).status, 200);
  await runAsAdministrator(`alter database ${name} set default_transaction_read_only = on`);
  await runAsAdministrator(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  );
  const { text } = await eventually(async () => {
    const answer = await probe('/readyz?for=api');
    return answer.status === 503 && answer.text.includes('read-only') ? answer : undefined;
  });
  assert.match(text, /^The database is read-only\. .*\n$/);
  assert.equal((await probe('/readyz')).status, 200);
  assert.equal((await callHttp(`${floe.url}/api/analytics/requests`, { headers })).status, 200);
  await runAsAdministrator(`alter database ${name} reset default_transaction_read_only`);
  await eventually(async () => (await probe('/readyz?for=api')).status === 200 || undefined);
});
