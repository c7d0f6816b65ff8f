// Tier: ci. Starts two servers on one PostgreSQL, and waits for slow receivers.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import * as z from 'zod';
import { startWebhookReceiver } from '../src/alerts/test/webhook-receiver.ts';
import { createTestDatabase } from '../src/store/test/postgres-database.ts';

const KEY = `eis_beat${'0'.repeat(40)}`;
const CHANNELS = Array.from({ length: 8 }, (_, n) => `ops-${n}`);
/** Longer than the difference between a lease and the longest attempt. */
const AHEAD_MS = 90_000;
const SET_AHEAD = `data:text/javascript,const now = Date.now; Date.now = () => now() + ${AHEAD_MS};`;

async function startServers(t: TestContext, receiverUrl: string): Promise<readonly FloeProcess[]> {
  const channels = CHANNELS.map((name) => ({ kind: 'webhook', name, url: `${receiverUrl}/${name}` }));
  const monitors = [{ id: 'backup', expected_interval_minutes: 60 }];
  const keys = [{ name: 'beat', key: KEY, scopes: ['beat', 'monitoring'] }];
  const yaml = JSON.stringify({ orgs: [{ id: 'acme', keys, channels, monitors }] });
  const env = { FLOE_DATABASE_URL: await createTestDatabase(t), FLOE_SECRET_KEY: 'a'.repeat(64) };
  const servers = [
    await startFloeProcess({ yaml, env }),
    await startFloeProcess({ yaml, env: { ...env, NODE_OPTIONS: `--import "${SET_AHEAD}"` } }),
  ];
  t.after(() => Promise.all(servers.map((server) => server.stop())));
  return servers;
}

test('two servers with different clocks send each alert once, and delay a recovery after a short failure', async (t) => {
  const receiver = await startWebhookReceiver(t, (_, response) => {
    setTimeout(() => response.end(), 3_000);
  });
  const [server] = await startServers(t, receiver.url);
  const headers = { 'x-api-key': KEY };
  const monitor = await callHttp(`${server?.url}/api/monitoring/monitors/backup`, { method: 'GET', headers });
  const { beat_url: beatUrl } = z.object({ beat_url: z.string() }).parse(monitor.json());
  const beat = async (path: string) => {
    const { status, text } = await callHttp(`${beatUrl}${path}`);
    assert.equal(status, 200, `${beatUrl} ${text} ${server?.output()}`);
  };
  await beat('');
  await beat('/fail');
  await Promise.race([receiver.count(CHANNELS.length), delay(20_000)]);
  // Time in which another server would send the messages again.
  await delay(5_000);
  const endedAt = Date.now();
  await beat('');
  await Promise.race([receiver.count(2 * CHANNELS.length), delay(60_000)]);
  const waitedMs = Date.now() - endedAt;
  await delay(5_000);
  const sent = receiver.received.map(({ path, json }) => `${path} ${json['type']}`).sort();
  const expected = CHANNELS.flatMap((name) => [`/${name} monitor_failing`, `/${name} monitor_recovered`]);
  assert.deepEqual(sent, expected.sort());
  assert.ok(waitedMs >= 9_000 && waitedMs < 30_000, `the recoveries were sent after ${waitedMs} ms`);
});
