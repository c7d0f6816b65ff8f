// Streams that Floe keeps in memory, because it evaluates them or responds with a complete response.
// Tier: ci. Streams 195 MB.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { createSseReply } from '@floe/testkit/upstream-reply';
import { startFakeClockGateway } from './test/fake-clock-gateway.ts';

const PIECE = 'a'.repeat(1024 * 1024);

/** Sends a request to a provider that streams `megabytes`, and returns the start and the end of the response. */
async function readLongStream(megabytes: number, stream: boolean, org: JsonObject): Promise<string> {
  const choices = [{ index: 0, delta: { content: PIECE } }];
  const frames = Array.from({ length: megabytes }, () => ({
    id: 'c',
    object: 'chat.completion.chunk',
    choices,
  }));
  const last = { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  const reply = createSseReply([...frames, last, 'data: [DONE]\n\n']);
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => reply },
    routes: [{ model: '*', retries: 0 }],
    org,
  });
  try {
    const messages = [{ role: 'user', content: 'hi' }];
    const { text } = await gateway.settled(gateway.send('chat', { model: 'a/m', messages, stream }));
    return text.slice(0, 400) + text.slice(-400);
  } finally {
    await gateway.close();
  }
}

const POLICY = {
  name: 'out',
  on: 'answer',
  when: 'answer.finish == "never"',
  action: 'deny',
  mode: 'enforce',
};

test('a stream that Floe keeps in memory has a maximum size', async () => {
  const tooLarge = /larger than 64 MB/;
  assert.match(await readLongStream(65, false, {}), tooLarge);
  const stopped = await readLongStream(65, true, { policies: [POLICY] });
  assert.match(stopped, tooLarge);
  assert.doesNotMatch(stopped, /"stop"|\[DONE\]/);
  assert.match(await readLongStream(65, true, {}), /\[DONE\]/);
});
