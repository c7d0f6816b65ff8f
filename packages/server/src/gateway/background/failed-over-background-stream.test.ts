import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createJsonReply, createSseReply } from '@floe/testkit/upstream-reply';
import { startFakeClockGateway } from '../test/fake-clock-gateway.ts';

test('a background response of a target that failed is not attributed to the next target', async () => {
  const response = { id: 'resp_a', object: 'response', created_at: 1, model: 'm', background: true };
  const created = {
    type: 'response.created',
    sequence_number: 0,
    response: { ...response, status: 'queued' },
  };
  const gateway = await startFakeClockGateway({
    upstreams: {
      a: () => createSseReply([`event: response.created\ndata: ${JSON.stringify(created)}\n\n`]),
      b: () => createJsonReply({ error: { message: 'broken' } }, 500),
    },
    providers: { a: { kind: 'openai' }, b: { kind: 'openai' } },
    routes: [{ model: 'both', targets: ['a/m', 'b/m'], retries: 0 }],
  });
  try {
    const ask = { model: 'both', input: 'hi', background: true, stream: true };
    await gateway.settled(gateway.send('responses', ask));
    // The test gateway cannot poll responses in the background, so it records no row of an exchange that waits for one.
    assert.deepEqual(
      gateway.rows.map(({ provider, state, cost_nano_usd: cost }) => [provider, state, cost]),
      [['b', 'failed', null]],
    );
  } finally {
    await gateway.close();
  }
});
