import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { BeatQueue } from './beat-queue.ts';
import { parseHeartbeat } from './parse-heartbeat.ts';
import type { BeatReceipt, ReceivedBeat } from './received-beat.ts';

const NOBODY = 'refused by the store';

function callOf(id: string): ReceivedBeat {
  const body = Buffer.from(JSON.stringify({ monitor_id: id }));
  return { ...parseHeartbeat(body, undefined, 'acme').call, receivedAt: 1 };
}

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
