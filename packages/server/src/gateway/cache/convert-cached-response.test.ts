import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatReply } from '../test/chat-replies.ts';
import { startFakeClockGateway } from '../test/fake-clock-gateway.ts';

test('a cached response with too many values is not converted, and the provider responds', async (t) => {
  let values = '';
  const gateway = await startFakeClockGateway({
    upstreams: {
      a: (isStream) => {
        const reply = chatReply('hello', isStream);
        return isStream
          ? reply
          : { ...reply, body: `{"system_fingerprint":[${values}0],${String(reply.body).slice(1)}` };
      },
    },
    routes: [{ model: '*', retries: 0 }],
    org: { cache: { enabled: true } },
  });
  t.after(() => gateway.close());
  const outcomes = [];
  for (const count of [1, 330_000]) {
    values = '1.10,'.repeat(count);
    const body = { model: 'a/m', messages: [{ role: 'user', content: `count to ${count}` }] };
    await gateway.settled(gateway.send('chat', body));
    const stream = await gateway.settled(gateway.send('chat', { ...body, stream: true }));
    assert.match(stream.text, /hello/);
    outcomes.push(stream.headers['x-floe-cache'] === 'hit');
  }
  assert.deepEqual(outcomes, [true, false]);
});
