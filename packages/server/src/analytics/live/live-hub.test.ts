import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { EVENT_STREAM_TOPICS, type EventStreamTopic } from '@floe/contract/api/events';
import { Fault } from '@floe/contract/faults';
import { FakeClock } from '@floe/testkit/fake-clock';
import { Kysely } from 'kysely';
import { silentLog } from '../../core/log.ts';
import { getCurrentOrgId } from '../../core/org-context.ts';
import { getAuditKey, setAuditKey } from '../../store/audit-context.ts';
import { appendAuditEntry } from '../../store/audit-entries.ts';
import type { ExchangeFilters } from '../../store/exchange-filters.ts';
import { expireLiveEvents, type LiveEventPosition, publishLiveEvent } from '../../store/live-events.ts';
import { openDatabase } from '../../store/open-database.ts';
import { insertOrg } from '../../store/orgs.ts';
import type { Database, DatabaseReader } from '../../store/store-interfaces.ts';
import { ingestRows } from '../../store/test/ingest-rows.ts';
import { createTestExchangeRow, TEST_ORG_ID } from '../../store/test/rows.ts';
import { createTemporaryDirectory } from '../../store/test/temporary-directory.ts';
import { LiveHub } from './live-hub.ts';
import type { LiveWatcher } from './live-watcher.ts';

const OTHER = 'org_two';

interface Watching {
  readonly orgId?: string;
  readonly topics?: readonly EventStreamTopic[];
  readonly filters?: ExchangeFilters;
  readonly after?: LiveEventPosition | null;
  readonly isAllowed?: () => Promise<boolean>;
}

async function openHarness(t: TestContext) {
  const clock = new FakeClock();
  const database = await openDatabase('sqlite:', {
    dataDir: createTemporaryDirectory(t),
    log: silentLog,
    clock,
  });
  t.after(() => database.close());
  await database.transaction(async (writer) => {
    await insertOrg(writer, { id: TEST_ORG_ID, name: 'One', created_at: 1 });
    await insertOrg(writer, { id: OTHER, name: 'Two', created_at: 1 });
  });
  const openHub = (read = database.read) => {
    const rowTransaction: Database['rowTransaction'] = (work) => database.rowTransaction(work);
    const hub = new LiveHub({ database: { read, rowTransaction }, clock, log: silentLog });
    t.after(() => hub.close());
    return hub;
  };
  const hub = openHub();
  return { clock, database, hub, openHub };
}

function watch(hub: LiveHub, options: Watching = {}): LiveWatcher {
  return hub.watch({
    orgId: options.orgId ?? TEST_ORG_ID,
    topics: new Set(options.topics ?? EVENT_STREAM_TOPICS),
    filters: options.filters ?? {},
    after: options.after ?? null,
    isAllowed: options.isAllowed ?? (async () => true),
    show: ({ id, status }) => ({ id, status }),
  });
}

/** One look of the hub at the database. */
async function look(clock: FakeClock, hub: LiveHub, ms = 500): Promise<void> {
  clock.advance(ms);
  await hub.whenIdle();
}

interface Heard {
  readonly events: readonly { readonly topic: string; readonly data: ReturnType<typeof JSON.parse> }[];
  readonly id: string | undefined;
}

/** Everything that waits for a watcher. */
async function hear(watcher: LiveWatcher): Promise<Heard> {
  const text = watcher.isIdle ? '' : String((await watcher.next()).value);
  const frames = text.split('\n\n').map((frame) => new Map(frame.split('\n').map(lineOf)));
  return {
    events: frames.flatMap((frame) => {
      const topic = frame.get('event');
      return topic === undefined ? [] : [{ topic, data: JSON.parse(frame.get('data') ?? 'null') }];
    }),
    id: frames.flatMap((frame) => frame.get('id') ?? []).at(-1),
  };
}

function lineOf(line: string): [string, string] {
  const at = line.indexOf(': ');
  return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 2)];
}

const topicsOf = ({ events }: Heard) => events.map(({ topic }) => topic);

let changes = 0;
function change(database: Database, action: string, orgId = TEST_ORG_ID): Promise<void> {
  const entry = { id: `aud_${changes++}`, org_id: orgId, at: 1, actor: 'key_one', action, subject: 'x' };
  return database.transaction((writer) =>
    appendAuditEntry(writer, { ...entry, before_json: null, after_json: null }),
  );
}

test('a watcher receives what commits after it connected: its topics, its filters, its organization', async (t) => {
  const { clock, database, hub } = await openHarness(t);
  await change(database, 'keys.create');
  const all = watch(hub);
  const config = watch(hub, { topics: ['config'] });
  const refused = { status: { any: [{ from: 400, to: 499 }], none: [] } };
  const filtered = watch(hub, { topics: ['requests'], filters: refused });
  const elsewhere = watch(hub, { orgId: OTHER });
  await look(clock, hub);
  for (const watcher of [all, config, filtered, elsewhere])
    assert.deepEqual(topicsOf(await hear(watcher)), []);
  await change(database, 'limits.create');
  await ingestRows(t, database, [
    createTestExchangeRow('exc_1'),
    createTestExchangeRow('exc_2', { status: 429, error_code: 'rate_limit_exceeded' }),
  ]);
  await look(clock, hub);
  const heard = await hear(all);
  assert.deepEqual(topicsOf(heard), ['config', 'limits', 'limits', 'requests']);
  assert.deepEqual(heard.events[2]?.data, { rejected: 1 });
  assert.deepEqual(heard.events[3]?.data, {
    count: 2,
    sampled: false,
    data: [
      { id: 'exc_2', status: 429 },
      { id: 'exc_1', status: 200 },
    ],
  });
  assert.deepEqual(topicsOf(await hear(config)), ['config']);
  const [only] = (await hear(filtered)).events;
  assert.deepEqual(only?.data, { count: 1, sampled: false, data: [{ id: 'exc_2', status: 429 }] });
  assert.deepEqual(topicsOf(await hear(elsewhere)), []);
});

test('of many rows, the last ones are sent with the exact count of all rows', async (t) => {
  const { clock, database, hub } = await openHarness(t);
  const watcher = watch(hub, { topics: ['requests'] });
  await look(clock, hub);
  await hear(watcher);
  const rows = Array.from({ length: 700 }, (_, n) =>
    createTestExchangeRow(`exc_${n}`, { created_at: 1_000_000 + n }),
  );
  await ingestRows(t, database, rows);
  await look(clock, hub);
  const [event] = (await hear(watcher)).events;
  assert.deepEqual([event?.data.count, event?.data.sampled, event?.data.data.length], [700, true, 100]);
  assert.equal(event?.data.data[0].id, 'exc_699');
});

test('a watcher that reconnects to any process resumes where it stopped', async (t) => {
  const { clock, database, hub, openHub } = await openHarness(t);
  const first = watch(hub);
  await look(clock, hub);
  await change(database, 'keys.create');
  await look(clock, hub);
  const { id } = await hear(first);
  await first.return();
  await change(database, 'keys.revoke');
  await ingestRows(t, database, [createTestExchangeRow('exc_1')]);
  const second = openHub();
  const again = watch(second, { after: second.parseEventId(TEST_ORG_ID, id ?? '') });
  await look(clock, second, 0);
  const heard = await hear(again);
  assert.deepEqual(
    heard.events.map(({ topic, data }) => [topic, data.action ?? data.count]),
    [
      ['config', 'keys.revoke'],
      ['requests', 1],
    ],
  );
  await change(database, 'keys.update');
  await look(clock, second);
  assert.deepEqual(topicsOf(await hear(again)), ['config']);
});

test('a watcher that reconnects too late is asked to reload, and receives new events', async (t) => {
  const { clock, database, hub } = await openHarness(t);
  await change(database, 'keys.create');
  await database.rowTransaction((writer) => expireLiveEvents(writer, clock.now()));
  const watcher = watch(hub, { after: { xid: 0, seq: 0 } });
  await look(clock, hub, 0);
  assert.deepEqual(topicsOf(await hear(watcher)), ['resync']);
  await change(database, 'keys.revoke');
  await look(clock, hub);
  assert.deepEqual(topicsOf(await hear(watcher)), ['config']);
});

test('a slow reader has a bounded buffer, delays no one and misses nothing', async (t) => {
  const { clock, database, hub } = await openHarness(t);
  const [slow, quick] = [watch(hub, { topics: ['config'] }), watch(hub, { topics: ['config'] })];
  await look(clock, hub);
  await hear(slow);
  const name = 'x'.repeat(20_000);
  let most = 0;
  for (let n = 0; n < 20; n++) {
    await change(database, `keys.${n}.${name}`);
    await look(clock, hub);
    most = Math.max(most, slow.pendingChars);
    if (n > 0) assert.equal((await hear(quick)).events.length, 1);
    else await hear(quick);
  }
  assert.ok(most > 0 && most <= 256 * 1024, `${most} characters waited`);
  const heard: string[] = [];
  for (let rounds = 0; rounds < 5; rounds++) {
    for (const { data } of (await hear(slow)).events) heard.push(String(data.action).split('.')[1] ?? '');
    await look(clock, hub);
  }
  assert.deepEqual(
    heard,
    Array.from({ length: 20 }, (_, n) => String(n)),
  );
});

test('a reader that reads nothing for 30 seconds is disconnected', async (t) => {
  const { clock, database, hub } = await openHarness(t);
  const [stuck, fine] = [watch(hub), watch(hub)];
  await look(clock, hub);
  await hear(fine);
  await change(database, 'keys.create');
  await look(clock, hub);
  await hear(fine);
  for (let seconds = 0; seconds < 32; seconds++) {
    await look(clock, hub, 1_000);
    await hear(fine);
  }
  assert.deepEqual(
    [stuck.disconnectSignal.aborted, fine.disconnectSignal.aborted, hub.watcherCount],
    [true, false, 1],
  );
});

test('the number of connections is limited, and a connection that ends makes a slot available', async (t) => {
  const { clock, hub } = await openHarness(t);
  const isFull = (error: unknown) => error instanceof Fault && error.code === 'rate_limit_exceeded';
  const watchers: LiveWatcher[] = [];
  for (let org = 0; org < 4; org++)
    for (let n = 0; n < 250; n++) watchers.push(watch(hub, { orgId: `org_${org}` }));
  assert.throws(() => watch(hub, { orgId: 'org_0' }), isFull);
  assert.throws(() => watch(hub, { orgId: 'org_9' }), isFull);
  await look(clock, hub);
  assert.equal(hub.watcherCount, 1_000);
  const held = watchers.reduce((sum, { pendingChars }) => sum + pendingChars, 0);
  assert.ok(held < 1_000 * 100, `${held} characters wait`);
  await watchers[0]?.return();
  watch(hub, { orgId: 'org_9' });
});

test('a watcher that lost its permissions is disconnected within a second', async (t) => {
  const { clock, database, hub } = await openHarness(t);
  let mayWatch = true;
  const watcher = watch(hub, { isAllowed: async () => mayWatch });
  await look(clock, hub);
  await hear(watcher);
  mayWatch = false;
  await change(database, 'keys.revoke');
  await look(clock, hub, 1_000);
  assert.deepEqual(await watcher.next(), { done: true, value: undefined });
  assert.equal(hub.watcherCount, 0);
});

test('a process that shuts down notifies every watcher and accepts no new ones', async (t) => {
  const { clock, hub } = await openHarness(t);
  const watcher = watch(hub);
  await look(clock, hub);
  await hear(watcher);
  await hub.close();
  assert.deepEqual(await watcher.next(), { done: true, value: undefined });
  assert.throws(
    () => watch(hub),
    (error) => error instanceof Fault && error.code === 'shutting_down',
  );
});

test('without watchers, no events are read', async (t) => {
  const { clock, hub } = await openHarness(t);
  const idle = clock.pending().length;
  const watcher = watch(hub);
  await look(clock, hub);
  assert.ok(clock.pending().length > idle);
  await watcher.return();
  await look(clock, hub);
  assert.equal(clock.pending().length, idle);
});

test('without events, a watcher receives a keep-alive with its position every 15 seconds', async (t) => {
  const { clock, hub } = await openHarness(t);
  const watcher = watch(hub, { topics: ['approvals'] });
  await look(clock, hub);
  await hear(watcher);
  let texts = 0;
  for (let n = 0; n < 60; n++) {
    await look(clock, hub);
    if (watcher.isIdle) continue;
    texts += 1;
    assert.match((await hear(watcher)).id ?? '', /^[\w-]{22}$/);
  }
  assert.equal(texts, 2);
});

test('event ids do not show whether other organizations have events', async (t) => {
  const { clock, database, hub, openHub } = await openHarness(t);
  await change(database, 'keys.create');
  const watcher = watch(hub);
  await look(clock, hub);
  const { id: first } = await hear(watcher);
  const ids = new Set<string | null | undefined>();
  for (let n = 0; n < 40; n++) {
    await change(database, 'keys.create', OTHER);
    await look(clock, hub);
    if (!watcher.isIdle) ids.add((await hear(watcher)).id);
  }
  const other = openHub();
  const again = watch(other);
  await look(clock, other, 0);
  ids.add((await hear(again)).id);
  assert.deepEqual([...ids], [first]);
  assert.notDeepEqual(hub.parseEventId(OTHER, first ?? ''), hub.parseEventId(TEST_ORG_ID, first ?? ''));
  await change(database, 'keys.revoke');
  await look(clock, hub);
  assert.notEqual((await hear(watcher)).id, first);
});

/** Filters that SQLite rejects when the hub reads the rows of an event. */
const REJECTED_FILTERS: ExchangeFilters = {
  metadata: Object.fromEntries(Array.from({ length: 1_100 }, (_, n) => [`m${n}`, { any: ['x'], none: [] }])),
};

test('a watcher whose rows cannot be read is ended, and delays and repeats nothing for others', async (t) => {
  const { clock, database, hub } = await openHarness(t);
  const [before, broken, after] = [
    watch(hub, { orgId: 'org_a', topics: ['requests'] }),
    watch(hub, { orgId: 'org_b', topics: ['requests'], filters: REJECTED_FILTERS }),
    watch(hub, { orgId: 'org_c', topics: ['requests'] }),
  ];
  await look(clock, hub);
  const { id } = await hear(broken);
  for (const watcher of [before, after]) await hear(watcher);
  for (const org_id of ['org_a', 'org_b', 'org_c'])
    await ingestRows(t, database, [createTestExchangeRow(`exc_${org_id}`, { org_id })]);
  const heard = { before: 0, after: 0, beats: 0 };
  for (let n = 0; n < 40; n++) {
    await look(clock, hub);
    heard.before += topicsOf(await hear(before)).filter((topic) => topic === 'requests').length;
    const topics = topicsOf(await hear(after));
    heard.after += topics.filter((topic) => topic === 'requests').length;
    heard.beats += topics.filter((topic) => topic === 'beat').length;
  }
  assert.deepEqual(heard, { before: 1, after: 1, beats: 1 });
  assert.deepEqual(await broken.next(), { done: true, value: undefined });

  // After it has reconnected, the events that it missed cannot be read either.
  const again = watch(hub, {
    orgId: 'org_b',
    topics: ['requests'],
    filters: REJECTED_FILTERS,
    after: hub.parseEventId('org_b', id ?? ''),
  });
  await look(clock, hub);
  await hear(again);
  assert.deepEqual(await again.next(), { done: true, value: undefined });
  await ingestRows(t, database, [createTestExchangeRow('exc_last', { org_id: 'org_c' })]);
  await look(clock, hub);
  assert.deepEqual(topicsOf(await hear(after)), ['requests']);
});

test('a watcher receives no events from before it connected, whoever watches other organizations', async (t) => {
  const { clock, database, hub, openHub } = await openHarness(t);
  watch(hub);
  await look(clock, hub);
  for (let n = 0; n < 3; n++) await change(database, 'keys.create', OTHER);
  await look(clock, hub);
  const watcher = watch(hub, { orgId: OTHER });
  await look(clock, hub, 0);
  assert.deepEqual(topicsOf(await hear(watcher)), []);

  // Another process has sent later events than this one has read.
  const second = openHub();
  const elsewhere = watch(second, { orgId: OTHER });
  await look(clock, second, 0);
  await change(database, 'keys.update', OTHER);
  clock.advance(250);
  await watcher.return();
  await look(clock, second, 250);
  const { id } = await hear(elsewhere);
  await hub.whenIdle();
  await change(database, 'keys.revoke', OTHER);
  const again = watch(hub, { orgId: OTHER, after: hub.parseEventId(OTHER, id ?? '') });
  await look(clock, hub, 0);
  await look(clock, hub);
  const [event, ...others] = (await hear(again)).events;
  assert.deepEqual([event?.topic, event?.data.action, others], ['config', 'keys.revoke', []]);
});

test('watchers that miss events because they were deleted before this process read them are asked to reload', async (t) => {
  const { clock, database, hub } = await openHarness(t);
  const watcher = watch(hub, { topics: ['config'] });
  await look(clock, hub);
  await hear(watcher);
  await database.transaction(async (writer) => {
    for (let n = 0; n < 2_050; n++)
      await publishLiveEvent(writer, { orgId: TEST_ORG_ID, topic: 'config', at: clock.now(), data: { n } });
    await expireLiveEvents(writer, clock.now());
  });
  for (let n = 0; n < 3; n++) await look(clock, hub);
  const topics = topicsOf(await hear(watcher));
  assert.equal(topics[0], 'resync');
});

test('a watcher is not asked to reload because events from before it connected were deleted', async (t) => {
  const { clock, database, hub } = await openHarness(t);
  await change(database, 'keys.create');
  await database.rowTransaction((writer) => expireLiveEvents(writer, clock.now()));
  const watcher = watch(hub);
  await look(clock, hub, 0);
  await change(database, 'keys.revoke');
  await look(clock, hub);
  await look(clock, hub);
  assert.deepEqual(topicsOf(await hear(watcher)), ['config']);
});

test('rows for a watcher are read as work of its organization', async (t) => {
  const { clock, database, hub } = await openHarness(t);
  const shownFor = new Set<string | undefined>();
  const watcher = hub.watch({
    orgId: TEST_ORG_ID,
    topics: new Set(['requests'] as const),
    filters: {},
    after: null,
    isAllowed: async () => true,
    show: ({ id }) => {
      shownFor.add(getCurrentOrgId());
      return { id };
    },
  });
  await look(clock, hub);
  await hear(watcher);
  await ingestRows(t, database, [createTestExchangeRow('exc_1')]);
  await look(clock, hub);
  assert.deepEqual([...shownFor], [TEST_ORG_ID]);
});

/** Returns a reader that calls `before` before it returns a result for the organization `OTHER`. */
function interceptOther(database: Database, before: () => Promise<void>): DatabaseReader {
  assert.ok(database.read instanceof Kysely);
  const reader: DatabaseReader = database.read.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (getCurrentOrgId() === OTHER) await before();
      return result;
    },
  });
  setAuditKey(reader, getAuditKey(database.read));
  return reader;
}

test('an organization whose reads wait delays no events or heartbeats of others, and misses nothing', {
  timeout: 30_000,
}, async (t) => {
  const { clock, database, openHub } = await openHarness(t);
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  const hub = openHub(interceptOther(database, () => gate.promise));
  const busy = watch(hub, { orgId: OTHER });
  const watcher = watch(hub);
  await look(clock, hub);
  for (const one of [busy, watcher]) await hear(one);
  gate = Promise.withResolvers();
  t.signal.addEventListener('abort', () => gate.resolve());
  await ingestRows(t, database, [createTestExchangeRow('exc_1', { org_id: OTHER })]);
  const late = watch(hub, { orgId: OTHER });
  const heard: string[] = [];
  for (let n = 0; n < 40; n++) {
    if (n % 10 === 0) {
      await change(database, `keys.${n}`);
      await change(database, `keys.${n}`, OTHER);
    }
    // `whenIdle` would also wait for the busy organization. A round ends when it sets the timer of the next one.
    const timers = clock.pending().length;
    clock.advance(500);
    while (clock.pending().length < timers && !t.signal.aborted) await setImmediate();
    heard.push(...topicsOf(await hear(watcher)));
  }
  assert.deepEqual(heard.toSorted(), ['beat', 'config', 'config', 'config', 'config']);
  gate.resolve();
  await hub.whenIdle();
  for (const one of [busy, late]) {
    await look(clock, hub);
    const { events } = await hear(one);
    assert.deepEqual(
      events.flatMap(({ data }) => data.action ?? []),
      ['keys.0', 'keys.10', 'keys.20', 'keys.30'],
    );
  }
});

test('the streams of an organization stay open while its reads are rejected because of overload', async (t) => {
  const { clock, database, openHub } = await openHarness(t);
  let isOverloaded = false;
  const reject = async () => {
    if (isOverloaded) throw new Fault('overloaded', 'Too many reads wait.');
  };
  const hub = openHub(interceptOther(database, reject));
  const watcher = watch(hub, { orgId: OTHER });
  await look(clock, hub);
  await hear(watcher);
  isOverloaded = true;
  await ingestRows(t, database, [createTestExchangeRow('exc_1', { org_id: OTHER })]);
  const late = watch(hub, { orgId: OTHER });
  for (let n = 0; n < 3; n++) await look(clock, hub);
  assert.ok(watcher.isIdle);
  isOverloaded = false;
  await look(clock, hub);
  assert.deepEqual(topicsOf(await hear(watcher)), ['requests']);
  assert.match((await hear(late)).id ?? '', /^[\w-]{22}$/);
});
