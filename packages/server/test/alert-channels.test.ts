import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';

const KEY = `eis_${'k'.repeat(40)}`;

test('a channel in floe.yaml is stored, read-only in the API, can be tested, and reveals no secret', async (t) => {
  const paths: (string | undefined)[] = [];
  const receiver = createServer((request, response) => {
    paths.push(request.url);
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  t.after(() => receiver.close());
  const address = receiver.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const channel = { name: 'ops', kind: 'webhook', url: `http://127.0.0.1:${address.port}/T0PSECRET` };
  const silent = { ...channel, name: 'silent', enabled: false };
  const keys = [{ name: 'ci', key: KEY, scopes: ['monitoring'] }];
  // Two orgs: private addresses are closed but for those the file names.
  const orgs = [{ id: 'acme', keys, channels: [channel, silent] }, { id: 'other' }];
  const floe = await startFloeProcess({ yaml: JSON.stringify({ orgs }) });
  t.after(() => floe.stop());
  const ask = (method: string, path: string, body?: string) =>
    callHttp(`${floe.url}/api/monitoring/channels${path}`, {
      method,
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    });
  const read = await ask('GET', '/ops');
  assert.equal(read.status, 200);
  assert.ok(!read.text.includes('T0PSECRET'));
  const enabled = async (name: string) => ask('GET', `/${name}`).then(({ text }) => JSON.parse(text).enabled);
  assert.deepEqual([await enabled('ops'), await enabled('silent')], [true, false]);
  assert.equal((await ask('PATCH', '/ops', '{"tags":["x"]}')).status, 409);
  const tested = (await ask('POST', '/ops/test', '')).json();
  assert.ok(isJsonObject(tested) && tested['ok'] === true, JSON.stringify(tested));
  assert.deepEqual(paths, ['/T0PSECRET']);
  const elsewhere = { ...channel, name: 'draft', url: `http://localhost:${address.port}/` };
  const refused = (await ask('POST', '/test', JSON.stringify(elsewhere))).json();
  assert.ok(isJsonObject(refused) && String(refused['error']).includes('security.private_networks'));
  const metrics = await callHttp(`${floe.url}/metrics`, { method: 'GET' });
  assert.match(metrics.text, /^floe_alert_messages_pending 0$/m);
});
