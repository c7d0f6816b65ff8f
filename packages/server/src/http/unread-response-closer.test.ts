import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { RawClient } from '@floe/testkit/raw-client';
import {
  encodeFastPathRequest,
  encodeNodeHttpRequest,
  startDualPathServer,
} from './fast-path/test/dual-path-server.ts';

const LARGE = Buffer.alloc(32 << 20, 'x');
const PATHS = [encodeFastPathRequest(''), encodeNodeHttpRequest('')];

async function start() {
  const clock = new FakeClock();
  const harness = await startDualPathServer(clock, (client) => client.sendAnswer(200, [], LARGE));
  return { clock, ...harness };
}

/** Lets the network transfer what it can. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
}

test('the connection of a client that reads nothing for five minutes is closed, and its response is incomplete', async () => {
  for (const request of PATHS) {
    const { clock, url, server } = await start();
    const client = await RawClient.connect(url);
    await client.send(request);
    await client.readBytes(1);
    await turns();
    clock.advance(310_000);
    let size = 1;
    for (let bytes = await client.readBytes(1 << 20); bytes.length > 0; size += bytes.length)
      bytes = await client.readBytes(1 << 20);
    assert.ok(size < LARGE.length, `${size} bytes arrived`);
    client.hangUp();
    await server.drain(0);
  }
});

test('a client that reads slowly gets the whole response', async () => {
  for (const request of PATHS) {
    const { clock, url, server } = await start();
    const client = await RawClient.connect(url);
    await client.send(request);
    let size = 0;
    while (size < LARGE.length) {
      const bytes = await client.readBytes(1 << 20);
      assert.ok(bytes.length > 0, `the connection closed after ${size} bytes`);
      size += bytes.length;
      await turns();
      clock.advance(3_000);
    }
    client.hangUp();
    await server.drain(0);
  }
});
