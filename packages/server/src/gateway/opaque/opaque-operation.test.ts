import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { nextEventLoopTurn } from '@floe/testkit/fake-clock';
import { createSseReply } from '@floe/testkit/upstream-reply';
import { silentLog } from '../../core/log.ts';
import { startFakeClockGateway } from '../test/fake-clock-gateway.ts';
import { NO_STORES } from '../test/no-stores.ts';

/** Streams a stored response through a gateway that cannot record its owner. */
async function streamUnrecorded(t: TestContext, events: readonly object[]) {
  const logged: unknown[] = [];
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => createSseReply(events) },
    routes: [],
    org: { passthrough: { a: ['a'] } },
    dependencies: {
      log: { ...silentLog, error: (_: object, text: string) => void logged.push(text) },
      resourceOwners: {
        ...NO_STORES.resourceOwners,
        record: () => Promise.reject(new Error('the database is unavailable')),
      },
    },
  });
  t.after(() => gateway.close());
  const answer = await gateway
    .settled(gateway.sendNative('a/v1/responses', { model: 'm', input: 'hi', stream: true }))
    .catch((error: unknown) => error);
  await nextEventLoopTurn();
  return { answer, logged, row: gateway.rows.at(-1) };
}

const CREATED = { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } };
const DELTA = { type: 'response.output_text.delta', delta: 'hi' };
const COMPLETED = { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [] } };

test('if the owner of a streamed response cannot be recorded, the exchange fails', async (t) => {
  const { row, logged } = await streamUnrecorded(t, [CREATED, DELTA, COMPLETED]);
  assert.equal(row?.state, 'partial');
  assert.deepEqual(logged, ['unexpected error in a gateway request']);
});

test('if the stream fails too, both errors are recorded', async (t) => {
  const { row, logged } = await streamUnrecorded(t, [CREATED, DELTA]);
  assert.equal(row?.state, 'partial');
  assert.equal(row?.error_code, 'upstream_stream_broken');
  assert.deepEqual(logged, ['owner of a stored response could not be recorded']);
});
