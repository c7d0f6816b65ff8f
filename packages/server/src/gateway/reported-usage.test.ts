import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCutResponseFault } from '@floe/testkit/connection-faults';
import { createSseReply } from '@floe/testkit/upstream-reply';
import { startFakeClockGateway } from './test/fake-clock-gateway.ts';

const event = (type: string, more: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const USAGE = {
  input_tokens: 21,
  cache_read_input_tokens: 4,
  cache_creation_input_tokens: 0,
  output_tokens: 1,
};
const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: USAGE };

test('a finish reason of any length is limited in the row and unchanged in the response', async (t) => {
  const finish = 'x'.repeat(50_000);
  const choice = { index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: finish };
  const completion = { id: 'c', object: 'chat.completion', model: 'm', choices: [choice] };
  const gateway = await startFakeClockGateway({
    upstreams: { chatting: () => ({ status: 200, body: Buffer.from(JSON.stringify(completion)) }) },
    providers: { chatting: { kind: 'openai-compatible' } },
    routes: [{ model: 'alone', targets: ['chatting/m'], retries: 0 }],
  });
  t.after(() => gateway.close());
  const turn = { model: 'alone', messages: [{ role: 'user', content: 'hello' }] };
  const answer = await gateway.settled(gateway.send('chat', turn), 0);
  assert.ok(JSON.stringify(answer).includes(finish));
  assert.equal(gateway.rows.at(-1)?.finish_reason, finish.slice(0, 100));
});

test('usage that a provider reported before its connection broke is in the row', async (t) => {
  const gateway = await startFakeClockGateway({
    upstreams: {
      messaging: () =>
        createSseReply([
          event('message_start', { message: MESSAGE }),
          event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
          event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'The ice' } }),
          event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: ' is thick.' } }),
        ]),
    },
    providers: { messaging: { kind: 'anthropic-compatible' } },
    routes: [{ model: 'alone', targets: ['messaging/m'], retries: 0 }],
  });
  t.after(() => gateway.close());
  // Closed within a chunk, which is a broken connection too; a reset could overtake what was sent before it.
  await gateway.upstream('messaging').setFaults(createCutResponseFault({ by: 'fin', framing: 'chunked' }));
  for (const surface of ['messages', 'chat'] as const) {
    const turn = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 9 };
    await gateway.settled(gateway.send(surface, { model: 'alone', stream: true, ...turn }), 0);
    const row = gateway.rows.at(-1);
    assert.deepEqual([row?.usage_source, row?.input_tokens], ['provider', 25], `${surface}: ${row?.state}`);
  }
});

test('an implausible count of any billed unit is not charged and saves nothing', async (t) => {
  const usage = {
    prompt_tokens: 3,
    completion_tokens: 2,
    num_search_queries: 5e11,
    prompt_tokens_details: { cached_tokens: 5e11 },
    prompt_audio_seconds: 1.5,
  };
  const choice = { index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' };
  const completion = { id: 'c', object: 'chat.completion', model: 'm', choices: [choice], usage };
  const units = { web_search: 10_000, audio_second: 2 };
  const gateway = await startFakeClockGateway({
    upstreams: { chatting: () => ({ status: 200, body: Buffer.from(JSON.stringify(completion)) }) },
    providers: { chatting: { kind: 'openai-compatible', prices: { m: { input: 1, output: 1, units } } } },
    routes: [{ model: 'alone', targets: ['chatting/m'], retries: 0 }],
    org: { cache: { enabled: true } },
  });
  t.after(() => gateway.close());
  const turn = { model: 'alone', messages: [{ role: 'user', content: 'hello' }] };
  for (let sent = 0; sent < 2; sent++) await gateway.settled(gateway.send('chat', turn), 0);
  const cost = 5 * 1000 + 1.5 * 2000;
  const [first, cached] = gateway.rows;
  assert.deepEqual([first?.cost_nano_usd, first?.prompt_saved_nano_usd], [cost, 0]);
  assert.deepEqual([cached?.state, cached?.saved_nano_usd], ['cached', 5 * 1000]);
});
