// What watchers hear of real processes: requests of one, of its neighbour, and of its end.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp, type SseFrame } from '@floe/testkit/http-client';
import { followEvents } from '../src/http/test/follow-events.ts';
import { createTestDatabase } from '../src/store/test/postgres-database.ts';
import { createTemporaryDirectory } from '../src/store/test/temporary-directory.ts';
import { buildChatBody, CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

const keys = [
  { name: 'full', key: GATEWAY_KEYS.full, scopes: ['gateway', 'monitoring', 'management', 'read'] },
];
const yaml = JSON.stringify({
  orgs: [{ id: 'acme', keys, providers: [{ id: 'sandbox', kind: 'sandbox' }] }],
});
const headers = { 'x-api-key': GATEWAY_KEYS.full };

const watch = (t: TestContext, { url }: FloeProcess, query: string, more = {}) =>
  followEvents(t, `${url}/api/events?${query}`, { ...headers, ...more });

async function ask({ url }: FloeProcess, model = 'sandbox/echo'): Promise<string> {
  const answer = await callHttp(url + CHAT_COMPLETIONS_PATH, { headers, body: buildChatBody({ model }) });
  return answer.headers['x-request-id'] ?? '';
}

const idsIn = ({ event, data }: SseFrame): string[] =>
  event === 'requests' ? JSON.parse(data).data.map((row: { readonly id: string }) => row.id) : [];

test('a watcher receives each request that matches its filters, and continues after a restart', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const first = await startFloeProcess({ yaml, dataDir });
  t.after(() => first.stop());
  const stream = await watch(t, first, 'topics=requests&status=4xx&status=5xx');
  await stream.position();
  await ask(first);
  const refused = await ask(first, 'sandbox/none');
  const frame = await stream.until((one) => idsIn(one).includes(refused));
  assert.deepEqual(idsIn(frame), [refused]);
  const position = await stream.position();
  assert.equal((await first.stop()).code, 0);
  await stream.ended;
  assert.doesNotMatch(first.output(), /still under way/, 'watchers do not keep a process from ending');
  const second = await startFloeProcess({ yaml, dataDir });
  t.after(() => second.stop());
  const missed = await ask(second, 'sandbox/none');
  const again = await watch(t, second, 'topics=requests&status=4xx', { 'last-event-id': position });
  await again.until((one) => idsIn(one).includes(missed));
});

test('a watcher of one process receives the requests of another on the same PostgreSQL', async (t) => {
  const env = { FLOE_DATABASE_URL: await createTestDatabase(t), FLOE_SECRET_KEY: 'a'.repeat(64) };
  const one = await startFloeProcess({ yaml, env });
  t.after(() => one.stop());
  const other = await startFloeProcess({ yaml, env });
  t.after(() => other.stop());
  const stream = await watch(t, one, 'topics=requests');
  await stream.position();
  const id = await ask(other);
  await stream.until((frame) => idsIn(frame).includes(id));
});
