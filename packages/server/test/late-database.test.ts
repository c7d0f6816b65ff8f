// The real process, started before its database answers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createTestDatabase } from '../src/store/test/postgres-database.ts';

/** How often the server tries before the database answers: longer than anything else keeps a process alive. */
const TRIES = 5;

/** A way to a database that breaks connections until it has broken so many. */
async function lateWay(t: TestContext, to: string, tries: number): Promise<string> {
  const { hostname: host, port } = new URL(to);
  let broken = 0;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    if (broken < tries) {
      broken += 1;
      client.destroy();
      return;
    }
    const upstream = createConnection({ host, port: Number(port) });
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const address = server.address();
  const through = new URL(to);
  through.port = String(typeof address === 'object' && address ? address.port : 0);
  return through.href;
}

test('a server that starts before its database waits for it, and then listens', async (t) => {
  const url = await lateWay(t, await createTestDatabase(t), TRIES);
  const floe = await startFloeProcess({ env: { FLOE_DATABASE_URL: url, FLOE_SECRET_KEY: 'a'.repeat(64) } });
  t.after(() => floe.stop());
  assert.match(floe.output(), /server is waiting for the database/);
  assert.equal((await callHttp(`${floe.url}/readyz`)).status, 200);
});
