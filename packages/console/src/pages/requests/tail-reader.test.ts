import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestTailPage } from '@floe/contract/api/analytics';
import type { LiveBatch } from './live-rows.ts';
import { REFETCH_TAIL_EVENT, type TailEvent, TailReader } from './tail-reader.ts';

/** A server whose nth commit brought `counts[n - 1]` requests; ids of the stream are `0-<n>`. */
class Server {
  readonly counts: number[] = [];
  readonly asked: string[] = [];
  isDown = false;

  commit(count: number): number {
    return this.counts.push(count);
  }

  sum(after: number, until: number): number {
    return this.counts.slice(after, until).reduce((sum, count) => sum + count, 0);
  }

  ask = async (after: string, until: string | null): Promise<RequestTailPage> => {
    this.asked.push(`${after} ${until}`);
    // A moment in which anything may happen.
    await null;
    if (this.isDown) throw new Error('not there');
    const to = until === null ? this.counts.length : placeOf(until);
    const count = this.sum(placeOf(after), to);
    return {
      count,
      sampled: count > 0,
      data: [],
      live_id: idOf(Math.max(placeOf(after), to)),
      resync: false,
    };
  };
}

const idOf = (place: number) => `0-${place}`;
const placeOf = (id: string) => Number(id.split('-')[1]);
const event = (server: Server, after: number, until: number): TailEvent => ({
  after: idOf(after),
  id: idOf(until),
  batch: { rows: [], omitted: server.sum(after, until) },
});

function openReader(server: Server, takesEvents = true, isWatched = () => false) {
  const taken: LiveBatch[] = [];
  const take = (batch: LiveBatch) => taken.push(batch);
  const reader = new TailReader({
    fetchTail: server.ask,
    addBatch: take,
    isWatched,
    acceptsEvents: takesEvents,
  });
  return { reader, counted: () => taken.reduce((sum, { omitted }) => sum + (omitted ?? 0), 0) };
}

test('events that follow upon the list are taken without asking', async () => {
  const server = new Server();
  const { reader, counted } = openReader(server);
  server.commit(5);
  reader.startFrom(idOf(1));
  reader.addEvent(event(server, 0, 1));
  server.commit(7);
  reader.addEvent(event(server, 1, 2));
  server.commit(2);
  reader.addEvent(event(server, 2, 3));
  await reader.read();
  assert.deepEqual([counted(), server.asked], [9, []]);
});

test('where the stream stands elsewhere, what lies between is asked for once, and events fit again', async () => {
  const server = new Server();
  const { reader, counted } = openReader(server);
  for (const count of [1, 2, 3, 4]) server.commit(count);
  reader.startFrom(idOf(2));
  // Over the place where the list stands, and beyond it.
  reader.addEvent(event(server, 1, 3));
  await reader.read();
  server.commit(5);
  reader.addEvent(event(server, 4, 5));
  await reader.read();
  server.commit(6);
  reader.addEvent(event(server, 5, 6));
  await reader.read();
  assert.deepEqual(server.asked, ['0-2 0-3', '0-3 0-5']);
  assert.equal(counted(), 3 + 4 + 5 + 6);
});

test('a list that is turned off and on again goes on from where it was', async () => {
  const server = new Server();
  const { reader, counted } = openReader(server);
  reader.startFrom(idOf(0));
  server.commit(5);
  reader.addEvent(REFETCH_TAIL_EVENT);
  await reader.read();
  server.commit(3);
  reader.startFrom(idOf(0));
  reader.addEvent(REFETCH_TAIL_EVENT);
  await reader.read();
  assert.equal(counted(), 8);
  reader.startFrom(idOf(1));
  reader.addEvent(REFETCH_TAIL_EVENT);
  await reader.read();
  assert.equal(counted(), 8 + 3, 'another list holds less of it');
});

test('what an event only counts is asked for while somebody watches', async () => {
  const server = new Server();
  const { reader, counted } = openReader(server, true, () => true);
  reader.startFrom(idOf(0));
  server.commit(250);
  reader.addEvent(event(server, 0, 1));
  await reader.read();
  assert.deepEqual([counted(), server.asked], [250, ['0-0 0-1']]);
});

test('filters make every event a question, and a server that was away is asked again', async () => {
  const server = new Server();
  const { reader, counted } = openReader(server, false);
  reader.startFrom(idOf(0));
  server.commit(4);
  reader.addEvent(event(server, 0, 1));
  server.isDown = true;
  await assert.rejects(reader.read());
  server.isDown = false;
  reader.addEvent(REFETCH_TAIL_EVENT);
  await reader.read();
  assert.equal(counted(), 4);
});

test('whatever the stream repeats, leaves out or begins anew, each request is counted once', async () => {
  let state = 7;
  const below = (most: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  const rounds = process.env['FLOE_TEST_FULL'] ? 2_000 : 200;
  for (let round = 0; round < rounds; round += 1) {
    const server = new Server();
    const { reader, counted } = openReader(server, below(4) > 0, () => below(2) > 0);
    let told = 0;
    let inList: number | null = null;
    const readings: Promise<void>[] = [];
    for (let step = 0; step < 30; step += 1) {
      const what = below(8);
      if (what < 3) server.commit(below(300));
      else if (what === 3) reader.addEvent(REFETCH_TAIL_EVENT);
      else if (what === 4) told = Math.max(0, told - below(3));
      else if (what === 5) readings.push(reader.read());
      else if (step === 10) {
        inList = server.counts.length;
        reader.startFrom(idOf(inList));
      } else if (told < server.counts.length) {
        const until = told + 1 + below(server.counts.length - told);
        // Now and then one gets lost.
        if (below(6) > 0) reader.addEvent(event(server, told, until));
        told = until;
      }
      await null;
    }
    if (inList === null) reader.startFrom(idOf(0));
    reader.addEvent(REFETCH_TAIL_EVENT);
    await Promise.all(readings);
    await reader.read();
    assert.equal(counted(), server.sum(inList ?? 0, server.counts.length), `round ${round}`);
  }
});
