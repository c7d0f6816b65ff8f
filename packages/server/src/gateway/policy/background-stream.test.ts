import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { createJsonReply, createSseReply } from '@floe/testkit/upstream-reply';
import { startFakeClockGateway } from '../test/fake-clock-gateway.ts';

const KEY = 'ghp_aB3dE5gH7jK9mN2pQ4sT6vW8xY1zaB3dE5gH';
/** Arguments of a tool in which other text surrounds JSON. */
const ARGUMENTS = `Result: {"log":"a\\n${KEY}"}`;

const responseOf = (id: string, status: string, output: readonly JsonObject[] = []) => ({
  id,
  object: 'response',
  created_at: 1,
  model: 'm',
  background: true,
  status,
  output,
});

/** A background stream with a tool call. */
function createToolStream() {
  const item = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'run', status: 'completed' };
  const place = { item_id: 'fc_1', output_index: 0 };
  const half = ARGUMENTS.length - 20;
  const done = { ...item, arguments: ARGUMENTS };
  const pieces = [ARGUMENTS.slice(0, half), ARGUMENTS.slice(half)];
  return toSse([
    { type: 'response.created', response: responseOf('resp_b', 'queued') },
    { type: 'response.in_progress', response: responseOf('resp_b', 'in_progress') },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
    ...pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
    { type: 'response.function_call_arguments.done', ...place, name: 'run', arguments: ARGUMENTS },
    { type: 'response.output_item.done', output_index: 0, item: done },
    { type: 'response.completed', response: responseOf('resp_b', 'completed', [done]) },
  ]);
}

function toSse(events: readonly JsonObject[]) {
  return createSseReply(
    events.map(
      (event, at) =>
        `event: ${event['type']}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`,
    ),
  );
}

test('a background stream that failed over passes no secret that a policy denies or redacts', async () => {
  for (const action of ['deny', 'redact']) {
    const gateway = await startFakeClockGateway({
      upstreams: { a: () => createJsonReply({}, 500), b: createToolStream },
      providers: { a: { kind: 'openai' }, b: { kind: 'openai' } },
      routes: [{ model: 'both', targets: ['a/m', 'b/m'], retries: 0 }],
      org: {
        policies: [{ name: 'out', on: 'answer', detect: { secrets: true }, action, mode: 'enforce' }],
      },
    });
    try {
      const ask = { model: 'both', input: 'hi', background: true, stream: true };
      const { text } = await gateway.settled(gateway.send('responses', ask));
      assert.match(text, /resp_b.*"code":"policy_denied"/s);
      assert.doesNotMatch(text, /xY1zaB3dE5gH|response\.completed/);
    } finally {
      await gateway.close();
    }
  }
});
