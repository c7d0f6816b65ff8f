import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { RawClient } from '@floe/testkit/raw-client';
import type { ClientCall } from '../gateway/client-call.ts';
import { encodeNodeHttpRequest, startDualPathServer } from './fast-path/test/dual-path-server.ts';

async function start(t: TestContext) {
  const clients: ClientCall[] = [];
  const harness = await startDualPathServer(new FakeClock(), (client) => void clients.push(client));
  t.after(() => harness.server.drain(0));
  return { ...harness, clients };
}

const turn = () => new Promise(setImmediate);

test('the connection of a client that closes its sending side while it waits is closed', async (t) => {
  const { url, clients } = await start(t);
  const client = await RawClient.connect(url);
  await client.send(encodeNodeHttpRequest('{}'));
  while (clients.length === 0) await turn();
  client.halfClose();
  await client.waitForEnd();
  assert.equal(clients[0]?.isDisconnected, true);
  client.hangUp();
});

test('a rejected body in chunks of one byte is not read to its end', async (t) => {
  const { url, clients } = await start(t);
  const client = await RawClient.connect(url);
  await client.send('POST /none HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
  while (clients.length === 0) await turn();
  clients[0]?.sendAnswer(401, [], 'rejected');
  void client.send('1\r\nx\r\n'.repeat(1 << 20));
  assert.equal((await client.readAnswer().catch(() => null))?.status, 401);
  await client.waitForEnd();
  client.hangUp();
});
