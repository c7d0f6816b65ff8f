import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatReply } from '../test/chat-replies.ts';
import { startFakeClockGateway } from '../test/fake-clock-gateway.ts';

test('a request that waited too long for an equal one still stops when its client disconnects', async (t) => {
  const gateway = await startFakeClockGateway({
    upstreams: { a: (isStream) => ({ ...chatReply('from a', isStream), isPaced: true }) },
    routes: [{ model: '*', retries: 0 }],
    org: { cache: { enabled: true } },
  });
  t.after(() => gateway.close());
  const { gate, waitForRequests } = gateway.upstream('a');
  const body = { model: 'a/m', messages: [{ role: 'user', content: 'hello' }] };
  const first = gateway.send('chat', body);
  await waitForRequests(1);
  const leaving = new AbortController();
  const rejected = assert.rejects(gateway.send('chat', body, { signal: leaving.signal }));
  // The second request waits for at most 20 s.
  const [, second] = await gateway.settled(waitForRequests(2), 20_000);
  gate.release(1);
  // The response of the first request has been cached as soon as a third request receives it.
  assert.equal((await gateway.settled(first)).status, 200);
  assert.equal((await gateway.settled(gateway.send('chat', body))).headers['x-floe-cache'], 'hit');
  leaving.abort();
  await rejected;
  await gateway.settled(second?.settled ?? assert.fail());
  assert.equal(second?.isAborted, true);
});
