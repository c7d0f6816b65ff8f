import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { silentLog } from '../../core/log.ts';
import { createTestDatabase } from '../test/postgres-database.ts';
import { createPostgresPool } from './postgres-pool.ts';

async function openPool(t: TestContext, statementTimeoutMs: number | null) {
  const url = await createTestDatabase(t);
  const pool = createPostgresPool({ url, log: silentLog, connections: 1, statementTimeoutMs });
  t.after(() => pool.end());
  return (text: string) => pool.withConnection((connection) => connection.query<object>(text, []));
}

test('a connection to a server that has become read-only is replaced', async (t) => {
  const query = await openPool(t, 30_000);
  // As on the old primary after a failover: the connection stays open, and reads still work.
  await query('set default_transaction_read_only = on');
  await query('select 1');
  await assert.rejects(
    query('create table later (id text)'),
    (error) => error instanceof Fault && error.code === 'overloaded',
  );
  await query('create table later (id text)');
});

test('a connection has no startup parameters that PgBouncer rejects', async (t) => {
  const received = Promise.withResolvers<string>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      received.resolve(data.toString().slice(8));
      socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const url = `postgres://floe:x@127.0.0.1:${port}/floe`;
  const pool = createPostgresPool({ url, log: silentLog, connections: 1, statementTimeoutMs: 30_000 });
  t.after(() => pool.end());
  await assert.rejects(pool.connect());
  const parts = (await received.promise).split('\0');
  const names = parts.filter((text, index) => index % 2 === 0 && text !== '');
  assert.deepEqual(names.sort(), ['application_name', 'client_encoding', 'database', 'user']);
});

test('each connection has time limits, except for the statements of migrations', async (t) => {
  const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'jit'];
  const text = `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`;
  const read = async (statementTimeoutMs: number | null) =>
    (await (await openPool(t, statementTimeoutMs))(text)).rows[0];
  const always = { idle_in_transaction_session_timeout: '5s', jit: 'off' };
  assert.deepEqual({ ...(await read(30_000)) }, { ...always, statement_timeout: '30s', lock_timeout: '10s' });
  assert.deepEqual({ ...(await read(null)) }, { ...always, statement_timeout: '0', lock_timeout: '0' });
});
