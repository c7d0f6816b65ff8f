import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { systemClock } from './clock.ts';

test('after a stall of the process, data that has arrived is read before time limits expire', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
  const [peer] = await once(server, 'connection');
  t.after(() => {
    client.destroy();
    server.close();
  });
  const events: string[] = [];
  client.on('data', () => events.push('data'));
  const expired = Promise.withResolvers<void>();
  systemClock.after(100, () => {
    events.push('expired');
    expired.resolve();
  });
  const canceled = systemClock.after(100, () => events.push('canceled'));
  client.once('data', () => canceled.cancel());
  peer.write('answer');
  // As a signal SIGSTOP or the pause of a virtual machine does.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  await expired.promise;
  assert.deepEqual(events, ['data', 'expired']);
});
