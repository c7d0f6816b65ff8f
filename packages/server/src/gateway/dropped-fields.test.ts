import assert from 'node:assert/strict';
import { test } from 'node:test';
import { truncateDroppedFields } from './dropped-fields.ts';
import { chatReply } from './test/chat-replies.ts';
import { startFakeClockGateway } from './test/fake-clock-gateway.ts';

test('the header and the request log list at most 30 dropped fields', async () => {
  const gateway = await startFakeClockGateway({
    upstreams: { a: (isStream) => chatReply('hello', isStream) },
    routes: [],
  });
  try {
    const unknown = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`unknown_${n}`, 1]));
    const ask = { model: 'a/m', messages: [{ role: 'user', content: 'hi' }], max_tokens: 5, ...unknown };
    for (const stream of [false, true]) {
      const answer = await gateway.settled(gateway.send('messages', { ...ask, stream }));
      assert.equal(answer.status, 200, answer.text);
      const listed = answer.headers['x-floe-dropped']?.split(',') ?? [];
      assert.deepEqual([listed.length, listed.at(-1)], [31, '...']);
    }
    for (const { dropped_json } of gateway.rows) assert.equal(JSON.parse(dropped_json ?? '[]').length, 31);
  } finally {
    await gateway.close();
  }
});

test('a field that both the reader and the writer of a request report is listed once', () => {
  assert.deepEqual(truncateDroppedFields(['reasoning', 'user', 'reasoning']), ['reasoning', 'user']);
});
