import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { eventually } from '@floe/testkit/eventually';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { BeatQueue } from './beat-queue.ts';
import { parseHeartbeat } from './parse-heartbeat.ts';
import type { BeatReceipt, ReceivedBeat } from './received-beat.ts';

const NOBODY = 'refused by the store';

function callOf(id: string, orgId = 'acme'): ReceivedBeat {
  const body = Buffer.from(JSON.stringify({ monitor_id: id }));
  return { ...parseHeartbeat(body, undefined, orgId).call, receivedAt: 1 };
}

function findOrg({ address }: ReceivedBeat): string | null {
  return 'id' in address ? address.orgId : null;
}

const VALID_URL_BEAT: ReceivedBeat = { ...callOf('m'), address: { tokenHash: 'valid' } };
const lookUpOrgs = async (calls: readonly ReceivedBeat[]) =>
  calls.map(({ address }) => ('tokenHash' in address && address.tokenHash === 'valid' ? 'acme' : null));

const answerOf = (receivedAt: number): BeatReceipt => {
  return { monitorId: 'm', beatId: 'beat_1', receivedAt, status: 'healthy', nextExpectedAt: null };
};

/** A store that refuses every batch in which one monitor stands, with this fault. */
function queueOver(fault: Fault) {
  const refuse = (calls: readonly ReceivedBeat[]) => {
    if (calls.some(({ address }) => 'id' in address && address.id === NOBODY)) throw fault;
  };
  return new BeatQueue({
    clock: systemClock,
    log: silentLog,
    applyOptimistically: async (calls) => {
      refuse(calls);
      return [];
    },
    commit: async (calls) => {
      refuse(calls);
      return calls.map(({ receivedAt }) => answerOf(receivedAt));
    },
    findOrg,
    lookUpOrgs,
  });
}

async function outcomes(fault: Fault): Promise<readonly string[]> {
  const queue = queueOver(fault);
  const beats = await Promise.allSettled(['one', NOBODY, 'two'].map((id) => queue.add(callOf(id))));
  return beats.map((beat) => (beat.status === 'fulfilled' ? 'taken' : String(beat.reason.code)));
}

test('a beat that the database rejects is rejected alone, whatever other beats arrive', async () => {
  const fault = new Fault('invalid_request', 'Text must not contain the character U+0000.');
  assert.deepEqual(await outcomes(fault), ['taken', 'invalid_request', 'taken']);
});

test('while the database is unavailable, all beats are rejected with a retry time after one attempt each', async () => {
  const fault = new Fault('overloaded', 'away', { retryAfterMs: 1_000 });
  assert.deepEqual(await outcomes(fault), ['overloaded', 'overloaded', 'overloaded']);
});

test('an id that the database cannot store is an unknown monitor', () => {
  const { address } = callOf('a\0b\ud800');
  assert.ok('id' in address);
  assert.equal(address.id, 'a\ufffdb\ufffd');
});

/** A queue whose batches are committed when the test says so. */
function createManualQueue() {
  const batches: { readonly orgs: readonly (string | null)[]; readonly commit: () => void }[] = [];
  const queue = new BeatQueue({
    clock: systemClock,
    log: silentLog,
    applyOptimistically: async () => [],
    commit: async (calls) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      batches.push({ orgs: calls.map(findOrg), commit: resolve });
      await promise;
      return calls.map(({ receivedAt }) => answerOf(receivedAt));
    },
    findOrg,
    lookUpOrgs,
    batchSize: 10,
    maxQueued: 100,
  });
  const invalidUrlBeats = (count: number) =>
    Promise.allSettled(
      Array.from({ length: count }, async (_, n) =>
        queue.add({ ...callOf('m'), address: { tokenHash: `invalid ${n}` } }),
      ),
    );
  const nextBatch = (count: number) =>
    eventually(() => (batches.length === count ? batches.at(-1) : undefined));
  return { queue, invalidUrlBeats, nextBatch };
}

test('the beats of an organization with many waiting beats do not delay those of another one', async () => {
  const { queue, nextBatch } = createManualQueue();
  const many = Array.from({ length: 60 }, (_, n) => queue.add(callOf(`m${n}`, 'hostile')));
  const first = await nextBatch(1);
  const one = queue.add(callOf('job', 'acme'));
  first.commit();
  const second = await nextBatch(2);
  assert.equal(second.orgs.filter((org) => org === 'acme').length, 1);
  second.commit();
  await one;
  for (let at = 3; at <= 7; at++) (await nextBatch(at)).commit();
  await Promise.all(many);
});

test('if the queue is full, beats of the organization with the most beats are rejected', async () => {
  const { queue, nextBatch } = createManualQueue();
  const outcome = (beat: Promise<BeatReceipt>) =>
    beat.then(
      () => 'taken',
      (error) => (error instanceof Fault ? error.code : 'failed'),
    );
  const many = Array.from({ length: 100 }, (_, n) => outcome(queue.add(callOf(`m${n}`, 'hostile'))));
  assert.throws(
    () => queue.add(callOf('further', 'hostile')),
    (error) => error instanceof Fault && error.code === 'overloaded',
  );
  const others = Array.from({ length: 3 }, (_, n) => outcome(queue.add(callOf(`job${n}`, 'acme'))));
  for (let at = 1; at <= 10; at++) (await nextBatch(at)).commit();
  assert.deepEqual(await Promise.all(others), ['taken', 'taken', 'taken']);
  assert.deepEqual(
    (await Promise.all(many)).flatMap((code, at) => (code === 'taken' ? [] : [[at, code]])),
    [97, 98, 99].map((at) => [at, 'overloaded']),
  );
});

test('beat URLs that do not exist neither delay nor displace beats of a URL that was not used before', async () => {
  const { queue, invalidUrlBeats, nextBatch } = createManualQueue();
  const busy = queue.add(callOf('job', 'other'));
  const first = await nextBatch(1);
  const invalid = invalidUrlBeats(90);
  const valid = queue.add(VALID_URL_BEAT);
  const isWaiting = (count: number) => eventually(() => (queue.length === count ? true : undefined));
  await isWaiting(2);
  assert.equal(queue.oldestReceivedAt(), 1);
  const more = invalidUrlBeats(150);
  first.commit();
  await busy;
  (await nextBatch(2)).commit();
  await valid;
  await queue.flush();
  const codes = [...(await invalid), ...(await more)].map(
    (beat) => beat.status === 'rejected' && beat.reason.code,
  );
  assert.deepEqual([...new Set(codes)], ['monitor_not_found', 'overloaded']);
  assert.deepEqual(codes.indexOf('overloaded'), 90 + 100);
});

test('if organizations of beat URLs cannot be looked up, these beats are rejected', async () => {
  const queue = new BeatQueue({
    clock: systemClock,
    log: silentLog,
    applyOptimistically: async () => [],
    commit: async (calls) => calls.map(({ receivedAt }) => answerOf(receivedAt)),
    findOrg,
    lookUpOrgs: async () => {
      throw new Fault('overloaded', 'away');
    },
  });
  const [url, id] = [queue.add(VALID_URL_BEAT), queue.add(callOf('job'))];
  await assert.rejects(url, (error) => error instanceof Fault && error.code === 'overloaded');
  await id;
  await queue.flush();
  assert.equal(queue.length, 0);
});
