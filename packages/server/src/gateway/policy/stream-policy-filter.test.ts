import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSseReply } from '@floe/testkit/upstream-reply';
import { startFakeClockGateway } from '../test/fake-clock-gateway.ts';

const CARD = '4111 1111 1111 1111';

/** Returns the text of a stream that a policy stops at its second event. */
async function readStoppedStream(finish: string | null): Promise<string> {
  const chunks = ['fine ', CARD].map((content) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { content }, finish_reason: finish }],
  }));
  const policy = {
    name: 'out',
    on: 'answer',
    action: 'deny',
    mode: 'enforce',
    detect: { pii: ['credit_card'] },
  };
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => createSseReply([...chunks, 'data: [DONE]\n\n']) },
    routes: [],
    org: { policies: [policy] },
  });
  try {
    const messages = [{ role: 'user', content: 'hi' }];
    const response = await gateway.settled(gateway.send('chat', { model: 'a/m', messages, stream: true }));
    return response.text;
  } finally {
    await gateway.close();
  }
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
