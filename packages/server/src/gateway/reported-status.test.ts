import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { createJsonReply, createSseReply } from '@floe/testkit/upstream-reply';
import { chatReply } from './test/chat-replies.ts';
import { startFakeClockGateway } from './test/fake-clock-gateway.ts';

const SURFACES = ['chat', 'messages', 'responses'] as const;
/** The places where providers put the status of an error that they send with status 200. */
const PLACES: readonly ((status: number) => JsonObject)[] = [
  (code) => ({ error: { message: 'no', code } }),
  (code) => ({ error: { message: 'no', code: String(code) } }),
  (status) => ({ error: { message: 'no', type: 't', status } }),
  (status_code) => ({ error: { message: 'no' }, status_code }),
];

/** Returns the number of requests to both targets if the first sends this error with status 200. */
async function countRequests(error: JsonObject, surface: (typeof SURFACES)[number], stream: boolean) {
  const gateway = await startFakeClockGateway({
    upstreams: {
      a: (isStream) => (isStream ? createSseReply([error]) : createJsonReply(error)),
      b: (isStream) => chatReply('fine', isStream),
    },
    routes: [{ model: 'smart', targets: ['a/m', 'b/other'], retries: 1 }],
  });
  try {
    const text = [{ role: 'user', content: 'hi' }];
    const prompt = surface === 'responses' ? { input: 'hi' } : { messages: text, max_tokens: 9 };
    const { status } = await gateway.settled(gateway.send(surface, { model: 'smart', stream, ...prompt }));
    return { status, a: gateway.upstream('a').requests.length, b: gateway.upstream('b').requests.length };
  } finally {
    await gateway.close();
  }
}

for (const surface of SURFACES)
  test(`${surface}: an error with status 200 is retried as the status that it contains`, async () => {
    for (const stream of [true, false])
      for (const [place, write] of PLACES.entries()) {
        const count = (status: number) => countRequests(write(status), surface, stream);
        const where = `${stream} ${place}`;
        for (const status of [402, 404, 412, 425])
          assert.deepEqual(await count(status), { status: 200, a: 1, b: 1 }, `${where} ${status}`);
        assert.deepEqual(await count(503), { status: 200, a: 2, b: 1 }, where);
        assert.deepEqual(await count(422), { status: 422, a: 1, b: 0 }, where);
      }
  });
