import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { createTestDatabase } from '../store/test/postgres-database.ts';

const SECRET = 'a secret key of more than thirty-two characters';

async function start(t: TestContext, url: string, env: Record<string, string> = {}): Promise<FloeProcess> {
  const floe = await startFloeProcess({
    env: { FLOE_DATABASE_URL: url, FLOE_SECRET_KEY: SECRET, FLOE_LOG_LEVEL: 'warn', ...env },
  });
  t.after(() => floe.kill());
  return floe;
}

interface Caller {
  readonly floe: FloeProcess;
  readonly key: string;
}

async function call({ floe, key }: Caller, method: string, path: string, body?: object) {
  const answer = await fetch(`${floe.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
}

const chat = (floe: FloeProcess, key: string) =>
  call({ floe, key }, 'POST', '/gateway/v1/chat/completions', {
    model: 'sandbox/echo',
    messages: [{ role: 'user', content: 'hello' }],
  });

/** Asks again until it is so; the test's own time limit ends it. */
async function until(holds: () => Promise<boolean>): Promise<number> {
  const started = performance.now();
  while (!(await holds())) await wait(20);
  return performance.now() - started;
}

test('two processes on one database share keys, and a key that one revokes is rejected by the other within 2 seconds', async (t) => {
  const url = await createTestDatabase(t);
  const one = await start(t, url);
  const first = await one.waitForKey();
  const two = await start(t, url);
  assert.equal((await chat(two, first)).status, 200);
  const created = await call({ floe: one, key: first }, 'POST', '/api/management/keys', {
    name: 'ci',
    scopes: ['gateway'],
  });
  assert.equal(created.status, 201);
  const key: string = created.body.key;
  const takenOverMs = await until(async () => (await chat(two, key)).status === 200);
  const revoked = await call({ floe: one, key: first }, 'DELETE', `/api/management/keys/${created.body.id}`);
  assert.equal(revoked.status, 204);
  assert.equal((await chat(one, key)).body.error?.code, 'key_revoked');
  const refusedMs = await until(async () => (await chat(two, key)).body.error?.code === 'key_revoked');
  t.diagnostic(
    `the other process knew a new key after ${takenOverMs.toFixed(0)} ms, a revoked one after ${refusedMs.toFixed(0)} ms`,
  );
  // Rows of both are in one list.
  let seen = 0;
  await until(async () => {
    const list = await call({ floe: one, key: first }, 'GET', '/api/analytics/requests?state=complete');
    seen = list.body.data.length;
    return seen >= 2;
  });
  const summary = await call({ floe: two, key: first }, 'GET', '/api/analytics/summary');
  assert.ok(summary.body.requests >= seen);
});

test('PostgreSQL requires the secret key that it was first used with', async (t) => {
  const url = await createTestDatabase(t);
  const one = await start(t, url);
  await one.waitForKey();
  await one.stop();
  await assert.rejects(
    startFloeProcess({ env: { FLOE_DATABASE_URL: url } }),
    /floe: FLOE_SECRET_KEY is not set/,
  );
  await assert.rejects(
    start(t, url, { FLOE_SECRET_KEY: `another ${SECRET}` }),
    /floe: The database was used with a different secret key/,
  );
});
