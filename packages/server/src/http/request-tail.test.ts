import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { formatLiveEventId } from '../store/live-event-ids.ts';
import { getLatestOrgEventPosition } from '../store/live-events.ts';
import { type RunningApi, runApi } from './test/running-api.ts';

const LIST = '/api/analytics/requests?limit=500&live=true';
const TAIL = '/api/analytics/tail';
const ROUNDS = process.env['FLOE_TEST_FULL'] ? 60 : 12;

let api: RunningApi;
let key: string;
before(async () => {
  api = await runApi();
  key = (await api.addKey('acme', { scopes: ['read'] })).key;
});
after(() => api.close());

const ask = async (path: string) => {
  const { status, body } = await api.call('GET', path, { key });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const idsOf = (body: Awaited<ReturnType<typeof ask>>) =>
  Object.values(body.data ?? {}).map(({ id }) => String(id));

let made = 0;
/** Rows of several requests, each in a transaction of its own; every third one was refused. */
async function commit(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1, made += 1)
    await api.addExchange('acme', { id: `exc_t${made}`, status: made % 3 === 0 ? 429 : 200 });
}

for (const [filter, passes] of [
  ['', () => true],
  ['&status=error', (n: number) => n % 3 === 0],
] as const)
  test(`a list that is read during writes, and its tail, contain each row once: ${filter || 'all'}`, async () => {
    const first = made;
    for (let round = 0; round < ROUNDS; round += 1) {
      const writing = commit(4);
      const list = await ask(LIST + filter);
      await writing;
      const tail = await ask(`${TAIL}?after=${list.live_id}&limit=2${filter}`);
      const whole = await ask(`${TAIL}?after=${list.live_id}&limit=500${filter}`);
      const counted = idsOf(list).length + Number(tail.count);
      const all = Array.from({ length: made }, (_, n) => n).filter(passes);
      assert.equal(counted, all.length, `round ${round} after ${first}`);
      assert.deepEqual(new Set([...idsOf(list), ...idsOf(whole)]).size, counted);
      assert.deepEqual(
        [tail.sampled, idsOf(tail).length],
        [Number(tail.count) > 2, Math.min(2, Number(tail.count))],
      );
    }
  });

test('a tail ends at the requested event, and continues from there', async () => {
  const { live_id: start } = await ask(LIST);
  await commit(2);
  const { live_id: middle } = await ask(LIST);
  await commit(3);
  const early = await ask(`${TAIL}?after=${start}&until=${middle}`);
  assert.deepEqual([early.count, early.live_id], [2, middle]);
  const late = await ask(`${TAIL}?after=${early.live_id}`);
  assert.equal(late.count, 3);
  assert.equal((await ask(`${TAIL}?after=${late.live_id}&until=${middle}`)).live_id, late.live_id);
});

test('if no tail can be exact, the list must be read again; an invalid id is rejected', async () => {
  const { live_id } = await ask(LIST);
  const { read } = api.database;
  const { xid, seq } = await getLatestOrgEventPosition(read, 'acme');
  const later = formatLiveEventId(read, 'acme', { xid, seq: seq + 1_000 });
  const future = await ask(`${TAIL}?after=${later}`);
  assert.deepEqual([future.resync, future.count], [true, 0]);
  await commit(401);
  assert.equal((await ask(`${TAIL}?after=${live_id}`)).resync, true);
  for (const wrong of ['', '?after=x', '?after=1', `?after=${live_id}&until=soon`])
    assert.equal((await api.call('GET', TAIL + wrong, { key })).status, 400, wrong);
});

test('only a live first page states the event up to which it is exact', async () => {
  assert.equal((await ask('/api/analytics/requests?limit=1')).live_id, undefined);
  const { next_cursor } = await ask('/api/analytics/requests?limit=1&live=true');
  assert.equal(
    (await ask(`/api/analytics/requests?limit=1&live=true&cursor=${next_cursor}`)).live_id,
    undefined,
  );
});
