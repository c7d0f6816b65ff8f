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
const MONITORS = ['backup', 'report', 'last'];
/** Longer than the difference between a lease and the longest attempt. */
const AHEAD_MS = 90_000;
const SET_AHEAD = `data:text/javascript,const now = Date.now; Date.now = () => now() + ${AHEAD_MS};`;

const BEAT_URL = z.object({ beat_url: z.string() });
const ALERT = z.object({
  type: z.string(),
  data: z.object({ subject: z.object({ id: z.string() }) }),
});

async function startServers(t: TestContext, receiverUrl: string): Promise<readonly FloeProcess[]> {
  const channels = CHANNELS.map((name) => ({ kind: 'webhook', name, url: `${receiverUrl}/${name}` }));
  const monitors = MONITORS.map((id) => ({ id, expected_interval_minutes: 60 }));
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
  const beat = async (monitor: string, path: string) => {
    const url = `${server?.url}/api/monitoring/monitors/${monitor}`;
    const { beat_url } = BEAT_URL.parse((await callHttp(url, { method: 'GET', headers })).json());
    const { status, text } = await callHttp(`${beat_url}${path}`);
    assert.equal(status, 200, `${beat_url} ${text} ${server?.output()}`);
  };
  const receive = (perChannel: number) =>
    Promise.race([receiver.count(perChannel * CHANNELS.length), delay(60_000)]);
  await beat('backup', '');
  await beat('backup', '/fail');
  await receive(1);
  // The recovery is delayed, so the next failure of another monitor is sent before it.
  await beat('backup', '');
  await beat('report', '/fail');
  await receive(3);
  // Another server would repeat a message while its receiver responds, so before it receives a later message.
  await beat('last', '/fail');
  await receive(4);
  const expected = ['backup failing', 'report failing', 'backup recovered', 'last failing'];
  for (const name of CHANNELS) {
    const messages = receiver.received.filter(({ path }) => path === `/${name}`);
    const received = messages.map(({ json }) => ALERT.parse(json));
    assert.deepEqual(
      received.map(({ type, data }) => `${data.subject.id} ${type.replace('monitor_', '')}`),
      expected,
    );
  }
});
