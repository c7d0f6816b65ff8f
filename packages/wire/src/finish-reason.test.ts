import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { BlockEmitter } from './block-emitter.ts';
import { accumulateResponse } from './canonical-response.ts';
import { prepareForwardedChatResponse } from './chat/forward-response.ts';
import { ChatStreamForwarder } from './chat/stream-forwarder.ts';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from './dialects.ts';
import { parseFinishReason, readRawFinishReason } from './finish-reason.ts';
import type { DialectName, ResponseEvent } from './response-events.ts';

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

test('null as text does not end a response', () => {
  for (const value of ['null', '', null, 0, undefined]) assert.equal(readRawFinishReason(value), undefined);
  const choice = { index: 0, delta: { content: 'a' }, finish_reason: 'null' };
  const message = { index: 0, message: { content: 'a' }, finish_reason: 'null' };
  const stream = new ChatStreamForwarder({
    stripReasoning: false,
    thinkTags: false,
    dropUsageFrame: false,
    choices: 1,
  });
  stream.push(Buffer.from(`data: ${JSON.stringify({ choices: [choice] })}\n\n`));
  assert.equal(stream.finish, undefined);
  assert.equal(stream.end()?.code, 'upstream_stream_broken');
  const bodies: readonly [keyof typeof UPSTREAM_DIALECTS, JsonObject][] = [
    ['chat', { choices: [message] }],
    ['messages', { content: [{ type: 'text', text: 'a' }], stop_reason: 'null' }],
    ['gemini', { candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'null' }] }],
    ['converse', { output: { message: { content: [{ text: 'a' }] } }, stopReason: 'null' }],
    ['cohere', { message: { content: [{ type: 'text', text: 'a' }] }, finish_reason: 'null' }],
  ];
  for (const [dialect, body] of bodies) {
    const { finish, fault } = UPSTREAM_DIALECTS[dialect].readCompleteResponse(body, { id: 'X' });
    assert.equal(finish, undefined, dialect);
    assert.ok(fault, dialect);
  }
});

test('a provider that aborted the response failed', () => {
  const events: string[] = [];
  new BlockEmitter((event) => events.push(event.type)).finish('abort');
  assert.deepEqual(events, ['error']);
});

const STREAMS = {
  chat: {
    names: { stop: 'stop', length: 'length', refusal: 'content_filter', tool: 'tool_calls' },
    finish: (finish_reason) => [
      'message',
      { choices: [{ index: 0, delta: { content: 'a' }, finish_reason }] },
    ],
    end: ['message', {}],
  },
  messages: {
    names: { stop: 'end_turn', length: 'max_tokens', refusal: 'refusal', tool: 'tool_use' },
    finish: (stop_reason) => ['message_delta', { type: 'message_delta', delta: { stop_reason } }],
    end: ['message_stop', { type: 'message_stop' }],
  },
  gemini: {
    names: { stop: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY', tool: 'STOP' },
    finish: (finishReason) => [
      'message',
      { candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason }] },
    ],
    end: ['message', {}],
  },
  converse: {
    names: { stop: 'end_turn', length: 'max_tokens', refusal: 'guardrail_intervened', tool: 'tool_use' },
    finish: (stopReason) => ['messageStop', { stopReason }],
    end: ['metadata', { usage: {} }],
  },
} as const satisfies Partial<Record<DialectName, SeveralFinishes>>;

interface SeveralFinishes {
  readonly names: Readonly<Record<'stop' | 'length' | 'refusal' | 'tool', string>>;
  finish(raw: string): readonly [event: string, data: JsonObject];
  readonly end: readonly [event: string, data: JsonObject];
}

const ORDERS = [
  [['stop', 'length'], 'length'],
  [['length', 'stop'], 'length'],
  [['length', 'tool', 'stop'], 'length'],
  [['stop', 'refusal'], 'refusal'],
  [['refusal', 'stop'], 'refusal'],
  [['length', 'refusal'], 'refusal'],
  [['refusal', 'length'], 'refusal'],
  [['stop', 'tool'], 'stop'],
] as const;

test('a streamed response with several finish reasons is incomplete if one of them states it', () => {
  for (const dialect of ['chat', 'messages', 'gemini', 'converse'] as const) {
    const { names, finish, end } = STREAMS[dialect];
    for (const [reasons, expected] of ORDERS) {
      const events: ResponseEvent[] = [];
      const reader = UPSTREAM_DIALECTS[dialect].createResponseReader((event) => events.push(event), {
        id: 'X',
      });
      for (const [event, data] of [...reasons.map((reason) => finish(names[reason])), finish('null'), end])
        reader.read({ event, data: JSON.stringify(data) });
      reader.end();
      const answer = accumulateResponse(events);
      assert.equal(answer.finish?.reason, expected, `${dialect}: ${reasons}`);
    }
  }
});

test('a complete response with several finish reasons is incomplete if one of them states it', () => {
  const { names, finish } = STREAMS.gemini;
  for (const [reasons, expected] of ORDERS) {
    const chunks = reasons.map((reason) => finish(names[reason])[1]);
    const gemini = UPSTREAM_DIALECTS.gemini.readCompleteResponse(chunks, { id: 'X' });
    assert.equal(gemini.finish?.reason, expected, `gemini: ${reasons}`);
    const choices = reasons.map((reason) => ({
      index: 0,
      message: { content: 'a' },
      finish_reason: STREAMS.chat.names[reason],
    }));
    const chat = UPSTREAM_DIALECTS.chat.readCompleteResponse({ choices }, { id: 'X' });
    assert.equal(chat.finish?.reason, expected, `chat: ${reasons}`);
    const settings = { stripReasoning: false, thinkTags: false };
    const body = Buffer.from(JSON.stringify({ choices }));
    assert.equal(prepareForwardedChatResponse(body, settings).finish?.reason, expected);
  }
});

test('a blocked prompt stays a refusal, whatever finish reason follows', () => {
  const blocked = { promptFeedback: { blockReason: 'OTHER' } };
  const stop = { candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }] };
  for (const chunks of [
    [blocked, stop],
    [stop, blocked],
  ])
    assert.deepEqual(UPSTREAM_DIALECTS.gemini.readCompleteResponse(chunks, { id: 'X' }).finish, {
      reason: 'refusal',
      raw: 'OTHER',
    });
});
