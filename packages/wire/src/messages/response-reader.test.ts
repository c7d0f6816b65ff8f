import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { accumulateResponse } from '../canonical-response.ts';
import type { ResponseEvent } from '../response-events.ts';
import { createResponseReader } from './response-reader.ts';

function read(frames: readonly JsonObject[]) {
  const events: ResponseEvent[] = [];
  const reader = createResponseReader((event) => events.push(event), { id: 'X' });
  for (const data of frames) reader.read({ event: String(data['type']), data: JSON.stringify(data) });
  reader.end();
  return accumulateResponse(events);
}

test('content in the first event of a stream is part of the response', () => {
  const content = [{ type: 'text', text: 'A' }];
  const answer = read([
    { type: 'message_start', message: { content } },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'B' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ]);
  assert.deepEqual(
    answer.blocks.map(({ text }) => text),
    ['A', 'B'],
  );
});

test('the reason for the end that only this dialect has is reported as dropped', () => {
  const stop_details = { type: 'refusal', category: null, explanation: 'E' };
  const delta = { stop_reason: 'refusal', stop_sequence: 'END', stop_details };
  const answer = read([
    { type: 'message_start', message: {} },
    { type: 'message_delta', delta },
    { type: 'message_stop' },
  ]);
  assert.deepEqual(answer.dropped, ['stop_sequence', 'stop_details']);
});

test('the content of a second response within a stream is not read', () => {
  const types: string[] = [];
  const reader = createResponseReader(({ type }) => types.push(type), { id: 'X' });
  const start = { type: 'message_start', message: { content: [{ type: 'text', text: 'A' }] } };
  for (const _ of [1, 2]) reader.read({ event: start.type, data: JSON.stringify(start) });
  assert.deepEqual(types, ['start', 'open', 'delta', 'close', 'error']);
});

test('a stream with more signatures or open blocks than Floe can keep in memory ends with an error', () => {
  const long = 'a'.repeat(1024 * 1024);
  const blockStart = (index: number) => ({
    type: 'content_block_start',
    index,
    content_block: { type: 'thinking', thinking: '' },
  });
  const signature = {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'signature_delta', signature: long },
  };
  for (const [event, count] of [
    [(at: number) => (at === 0 ? blockStart(0) : signature), 66],
    [blockStart, 70_000],
  ] as const) {
    const types: string[] = [];
    const reader = createResponseReader(({ type }) => types.push(type), { id: 'X' });
    for (let at = 0; at < count && types.at(-1) !== 'error'; at += 1)
      reader.read({ event: '', data: JSON.stringify(event(at)) });
    assert.equal(types.at(-1), 'error');
  }
});
