import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatReply } from '../test/chat-replies.ts';
import { EMPTY_TURN_STORE } from '../test/empty-turn-store.ts';
import { startFakeClockGateway } from '../test/fake-clock-gateway.ts';

test('an IDE cannot continue a response that is still in progress, because its answer would be missing', async (t) => {
  const turn = {
    id: 'exc_1',
    orgId: 'acme',
    keyId: 'key_1',
    previousId: null,
    createdAt: 0,
    origin: 'unknown',
    held: false,
    model: 'a/m',
    input: [{ role: 'user', content: 'first' }],
    response: { id: 'resp_1', status: 'in_progress', output: [] },
  };
  const gateway = await startFakeClockGateway({
    upstreams: { a: (isStream) => chatReply('hello', isStream) },
    routes: [],
    dependencies: {
      turns: { ...EMPTY_TURN_STORE, find: async () => turn, conversation: async () => [turn] },
    },
  });
  t.after(() => gateway.close());
  const body = { model: 'a/m', input: 'second', previous_response_id: 'resp_1' };
  const { text } = await gateway.settled(gateway.send('ide', body));
  assert.match(text, /still in progress/);
  assert.equal(gateway.upstream('a').requests.length, 0);
});
