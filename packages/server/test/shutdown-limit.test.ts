// A receiver, a provider, a database or a disk that does not respond delays the end of a process only for a limited time.
// Tier: ci. Each shutdown waits for its limits.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { startWebhookReceiver } from '../src/alerts/test/webhook-receiver.ts';
import { createTestDatabase } from '../src/store/test/postgres-database.ts';
import { startTcpProxy } from '../src/store/test/tcp-proxy.ts';
import { buildChatBody, buildGatewayConfig, CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';
import { fillDisk, mountSmallDisk } from './small-disk.ts';

const headers = { authorization: `Bearer ${GATEWAY_KEYS.full}` };
const LATE = /shutdown was not completed in time/;

/** A provider that starts background responses, and does not answer questions about them. */
async function startSilentProvider(t: TestContext) {
  const upstream = await startFakeUpstream({
    respond: ({ method }) =>
      method === 'POST'
        ? createJsonReply({
            id: 'resp_1',
            object: 'response',
            model: 'm',
            background: true,
            output: [],
            status: 'queued',
          })
        : { body: '{}', isPaced: true },
  });
  t.after(() => upstream.close());
  const provider = {
    id: 'keeper',
    kind: 'openai',
    base_url: `${upstream.url}/v1`,
    api_key: 'secret',
    models: ['m'],
    prices: { m: { input: 1, output: 10 } },
  };
  const keys = [{ name: 'full', key: GATEWAY_KEYS.full, scopes: ['gateway', 'management', 'read'] }];
  return { upstream, yaml: JSON.stringify({ orgs: [{ id: 'acme', keys, providers: [provider] }] }) };
}

function startResponse(url: string) {
  const body = { model: 'keeper/m', input: 'Hi', background: true, max_output_tokens: 100_000 };
  return callHttp(`${url}/gateway/v1/responses`, { headers, body });
}

function createDataDir(t: TestContext): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'floe-shutdown-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

async function waitForRow(url: string, id: string | undefined): Promise<void> {
  await eventually(async () => {
    const row = `${url}/api/analytics/requests/${id}`;
    return (await callHttp(row, { headers })).status === 200 || undefined;
  });
}

test('a shutdown does not wait for the poll of a background response', async (t) => {
  const { upstream, yaml } = await startSilentProvider(t);
  const floe = await startFloeProcess({ yaml });
  t.after(() => floe.kill());
  assert.equal((await startResponse(floe.url)).status, 200);
  const isPolled = () =>
    upstream.requests.some(({ method, path }) => method === 'GET' && path.includes('resp_1'));
  await eventually(async () => isPolled() || undefined);
  assert.deepEqual(await floe.stop(), { code: 0, signal: null });
  assert.doesNotMatch(floe.output(), LATE);
});

test('a shutdown waits for an alert receiver for a limited time, and stores everything after that', async (t) => {
  const received = Promise.withResolvers<void>();
  const receiver = await startWebhookReceiver(t, () => received.resolve());
  const keys = [{ name: 'full', key: GATEWAY_KEYS.full, scopes: ['beat', 'monitoring'] }];
  const channels = [{ name: 'hook', kind: 'webhook', url: `${receiver.url}/hook` }];
  const monitors = [{ id: 'job', expected_interval_minutes: 60 }];
  const yaml = JSON.stringify({ orgs: [{ id: 'acme', keys, channels, monitors }] });
  const floe = await startFloeProcess({ yaml });
  t.after(() => floe.kill());
  const monitor = await callHttp(`${floe.url}/api/monitoring/monitors/job`, { method: 'GET', headers });
  const [, beatUrl = ''] = /"beat_url":"([^"]+)"/.exec(monitor.text) ?? [];
  for (const path of ['', '/fail']) assert.equal((await callHttp(beatUrl + path)).status, 200);
  await received.promise;
  assert.deepEqual(await floe.stop(), { code: 0, signal: null });
  assert.match(floe.output(), /"steps":\["background_work"\],"msg":"shutdown was not completed in time/);
});

test('a background response whose row the database did not accept has a row after the next start', async (t) => {
  const { yaml } = await startSilentProvider(t);
  const url = await createTestDatabase(t);
  const proxy = await startTcpProxy(url);
  t.after(() => proxy.close());
  const dataDir = createDataDir(t);
  const env = { FLOE_SECRET_KEY: 'a'.repeat(64), FLOE_DATABASE_URL: proxy.url };
  const floe = await startFloeProcess({ yaml, dataDir, env });
  t.after(() => floe.kill());
  // Opens a connection. A statement on it waits longer than a new connection.
  assert.equal((await callHttp(`${floe.url}/api/analytics/requests`, { headers })).status, 200);
  proxy.freeze();
  const answer = await startResponse(floe.url);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(await floe.stop(), { code: 0, signal: null });
  proxy.cut();

  const next = await startFloeProcess({ yaml, dataDir, env: { ...env, FLOE_DATABASE_URL: url } });
  t.after(() => next.stop());
  await waitForRow(next.url, answer.headers['x-request-id']);
});

test('a shutdown reports the rows that neither the disk nor the database accepted', async (t) => {
  const home = mountSmallDisk(t);
  if (home === null) return t.skip('a file system of its own needs root and mount(8)');
  const proxy = await startTcpProxy(await createTestDatabase(t));
  t.after(() => proxy.close());
  const yaml = JSON.stringify(buildGatewayConfig('http://127.0.0.1:1'));
  const env = { FLOE_SECRET_KEY: 'a'.repeat(64), FLOE_DATABASE_URL: proxy.url };
  const floe = await startFloeProcess({ yaml, dataDir: join(home, 'data'), env });
  t.after(() => floe.kill());
  proxy.freeze();
  fillDisk(join(home, 'filler'));
  const body = buildChatBody({ model: 'sandbox/echo' });
  // More than the space of the files that the shutdown removes.
  for (let n = 0; n < 100; n++)
    assert.equal((await callHttp(floe.url + CHAT_COMPLETIONS_PATH, { headers, body })).status, 200);
  await floe.waitForOutput(/spool is not writable/);
  assert.deepEqual(await floe.stop(), { code: 0, signal: null });
  const warnings = floe.output().replace(/^\{"level":"info".*$/gm, '');
  assert.match(warnings, /"lost_rows":[1-9]\d*,"msg":"rows were lost/);
});
