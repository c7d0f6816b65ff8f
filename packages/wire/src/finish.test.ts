import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockEmitter } from './block-emitter.ts';
import { accumulateResponse } from './canonical-response.ts';
import { CLIENT_DIALECTS } from './dialects.ts';
import { parseFinishReason } from './finish.ts';

test('one word for every spelling, with the raw value beside it', () => {
  for (const raw of ['stop', 'STOP', 'end_turn', 'eos', 'COMPLETE'])
    assert.deepEqual(parseFinishReason(raw), { reason: 'stop', raw });
  for (const raw of ['length', 'MAX_TOKENS', 'model_length'])
    assert.equal(parseFinishReason(raw).reason, 'length');
  for (const raw of ['tool_calls', 'function_call', 'TOOL_CALL'])
    assert.equal(parseFinishReason(raw).reason, 'tool');
  for (const raw of ['content_filter', 'SAFETY', 'refusal'])
    assert.equal(parseFinishReason(raw).reason, 'refusal');
  for (const raw of ['error', 'pause_turn', 'insufficient_system_resource', 'brand_new'])
    assert.deepEqual(parseFinishReason(raw), { reason: 'other', raw });
});

test('a response that paused or ended for an unknown reason does not look complete', () => {
  const request = CLIENT_DIALECTS.chat.readRequest({
    model: 'm',
    messages: [{ role: 'user', content: 'U' }],
  });
  const context = { request, id: 'X', requestId: 'r', createdS: 1, nowS: () => 2 };
  const finishes = {
    chat: ['choices', 0, 'finish_reason'],
    responses: ['status'],
    messages: ['stop_reason'],
  };
  const written = (raw: string, client: keyof typeof finishes): unknown => {
    const answer = accumulateResponse([
      { type: 'open', block: 0, kind: 'tool', id: 'c', name: 'f' },
      { type: 'close', block: 0 },
    ]);
    new BlockEmitter((event) => {
      if (event.type === 'finish') answer.finish = event;
    }).finish(raw);
    const { body } = CLIENT_DIALECTS[client].writeCompleteResponse(answer, context);
    return finishes[client].reduce<unknown>((value, key) => Object(value)[key], body);
  };
  for (const raw of ['compaction', 'CONTINUATION', 'brand_new'])
    assert.deepEqual(
      [written(raw, 'chat'), written(raw, 'responses'), written(raw, 'messages')],
      ['length', 'incomplete', 'max_tokens'],
    );
  assert.equal(written('pause_turn', 'messages'), 'pause_turn');
});

test('a provider that aborted the response failed', () => {
  const events: string[] = [];
  new BlockEmitter((event) => events.push(event.type)).finish('abort');
  assert.deepEqual(events, ['error']);
});
