import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { createSseReply } from '@floe/testkit/upstream-reply';
import { startFakeClockGateway } from '../test/fake-clock-gateway.ts';

const CARD = '4111 1111 1111 1111';

const POLICY = { name: 'out', on: 'answer', action: 'deny', mode: 'enforce' };

/** Sends the choices of each chunk through a policy, and returns what the client receives. */
async function readStream(
  chunks: readonly (readonly JsonObject[])[],
  ...policies: readonly JsonObject[]
): Promise<string> {
  const frames = chunks.map((choices) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices,
  }));
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => createSseReply([...frames, 'data: [DONE]\n\n']) },
    routes: [],
    org: { policies: policies.map((policy, at) => ({ ...POLICY, name: `out-${at}`, ...policy })) },
  });
  try {
    const messages = [{ role: 'user', content: 'hi' }];
    const response = await gateway.settled(gateway.send('chat', { model: 'a/m', messages, stream: true }));
    return response.text;
  } finally {
    await gateway.close();
  }
}

/** Returns the text of a stream that a policy stops at its second event. */
function readStoppedStream(finish: string | null): Promise<string> {
  const chunks = ['fine ', CARD].map((content) => [{ index: 0, delta: { content }, finish_reason: finish }]);
  return readStream(chunks, { detect: { pii: ['credit_card'] } });
}

test('a frame whose finish reason is null as text or empty is not held back', async () => {
  for (const finish of ['null', '', null]) {
    const text = await readStoppedStream(finish);
    assert.match(text, /"fine "/, String(finish));
    assert.match(text, /policy_denied/);
    assert.ok(!text.includes(CARD));
  }
  assert.doesNotMatch(await readStoppedStream('stop'), /"fine "/);
});

test('a stream with more tool calls than Floe reads is stopped', async () => {
  const deltas = Array.from({ length: 11 }, (_, part) => ({
    tool_calls: Array.from({ length: 1_000 }, (_, at) => {
      const index = part * 1_000 + at;
      return {
        index,
        id: `call_${index}`,
        function: { name: index === 10_500 ? 'forbidden' : 'f', arguments: '{}' },
      };
    }),
  }));
  const chunks = [
    ...deltas.map((delta) => [{ index: 0, delta }]),
    [{ index: 0, delta: {}, finish_reason: 'stop' }],
  ];
  const text = await readStream(chunks, { when: 'answer.tools.exists(name, name == "forbidden")' });
  assert.match(text, /more than 10000 tool calls/);
  assert.doesNotMatch(text, /"forbidden"|"stop"|\[DONE\]/);
});

test('a policy without a detector exempts a stream from the policies after it', async () => {
  const chunks = [[{ index: 0, delta: { content: CARD } }], [{ index: 0, delta: {}, finish_reason: 'stop' }]];
  const detect = { pii: ['credit_card'] };
  const exempt = { when: 'request.model == "a/m"', action: 'allow' };
  assert.match(await readStream(chunks, exempt, { detect }), /4111 1111.*\[DONE\]/s);
  for (const policies of [
    [{ ...exempt, when: 'request.model == "b/m"' }, { detect }],
    [{ ...exempt, mode: 'monitor' }, { detect }],
    [{ detect }, exempt],
  ])
    assert.doesNotMatch(await readStream(chunks, ...policies), /4111|\[DONE\]/);
});
