// Streams that Floe keeps in memory, because it evaluates them or responds with a complete response.
// Tier: ci. Streams 260 MB.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { createSseReply } from '@floe/testkit/upstream-reply';
import { startFakeClockGateway } from './test/fake-clock-gateway.ts';

/** One megabyte each. */
const ASCII = 'a'.repeat(1024 * 1024);
const MULTI_BYTE = '\u20ac'.repeat((1024 * 1024) / 3);

interface LongStreamRequest {
  readonly stream: boolean;
  readonly org?: JsonObject;
  readonly surface?: 'chat' | 'messages';
  readonly piece?: string;
}

/** Sends a request to a provider that streams `megabytes`, and returns the start and the end of the response. */
async function readLongStream(
  megabytes: number,
  { stream, org = {}, surface = 'chat', piece = ASCII }: LongStreamRequest,
): Promise<string> {
  const choices = [{ index: 0, delta: { content: piece } }];
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
    const request = { model: 'a/m', max_tokens: 9, messages, stream };
    const { text } = await gateway.settled(gateway.send(surface, request));
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

const TOO_LARGE = /larger than 64 MB/;

test('a stream that Floe keeps in memory has a maximum size', async () => {
  assert.match(await readLongStream(65, { stream: false }), TOO_LARGE);
  const stopped = await readLongStream(65, { stream: true, org: { policies: [POLICY] } });
  assert.match(stopped, TOO_LARGE);
  assert.doesNotMatch(stopped, /"stop"|\[DONE\]/);
  assert.match(await readLongStream(65, { stream: true }), /\[DONE\]/);
  assert.match(await readLongStream(65, { stream: true, surface: 'messages' }), TOO_LARGE);
});

test('the maximum size of a stream that is translated counts bytes, not characters', async () => {
  const org = { policies: [POLICY] };
  const stopped = await readLongStream(65, { stream: true, org, surface: 'messages', piece: MULTI_BYTE });
  assert.match(stopped, TOO_LARGE);
  assert.doesNotMatch(stopped, /end_turn|message_stop/);
});
