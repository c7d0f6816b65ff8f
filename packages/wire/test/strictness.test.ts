// The checks themselves: each defect that breaks a real client must be found.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CLIENT_DIALECTS } from '../src/dialects.ts';
import { findRecordedStream } from './samples.ts';
import { assertStrictStream } from './strictness.ts';
import { type ClientName, createAnswerContext, readStreamEvents } from './translate.ts';

function good(client: ClientName, scenario: string): string {
  const writer = CLIENT_DIALECTS[client].createResponseWriter(createAnswerContext());
  const events = readStreamEvents('messages', findRecordedStream('messages', scenario).body, 1 << 30);
  return events.map((event) => writer.write(event)).join('');
}

const frames = (sse: string): string[] => sse.split('\n\n').slice(0, -1);
const joined = (list: readonly string[]): string => list.map((frame) => `${frame}\n\n`).join('');
const without = (part: string) => (sse: string) =>
  joined(frames(sse).filter((frame) => !frame.includes(part)));
const replaced = (from: string | RegExp, to: string) => (sse: string) => sse.replace(from, to);

const defects: readonly [ClientName, string, string, (sse: string) => string][] = [
  ['chat', 'text', 'no role in the first chunk', replaced('"role":"assistant",', '')],
  ['chat', 'text', 'no finish', without('"finish_reason":"')],
  [
    'chat',
    'text',
    'two finishes',
    (sse) =>
      joined(
        frames(sse).flatMap((frame) => (frame.includes('"finish_reason":"') ? [frame, frame] : [frame])),
      ),
  ],
  ['chat', 'text', 'a usage chunk without choices', replaced('"choices":[],', '')],
  ['chat', 'text', 'an event line', replaced('data: {"id"', 'event: ping\ndata: {"id"')],
  ['chat', 'text', 'another id', replaced('chatcmpl-X1', 'chatcmpl-X2')],
  ['chat', 'text', 'no [DONE]', without('[DONE]')],
  ['chat', 'parallel-tools', 'a call delta without index', replaced(/"index":1,"function"/, '"function"')],
  ['chat', 'parallel-tools', 'a first call delta without type', replaced('"type":"function",', '')],
  ['chat', 'parallel-tools', 'a first call delta without id', replaced('"id":"toolu_a",', '')],
  ['chat', 'parallel-tools', 'finish stop beside calls', replaced('"tool_calls"}]', '"stop"}]')],
  ['chat', 'no-args-tool', 'empty arguments', without('"arguments":"{}"')],
  ['chat', 'error-inside', '[DONE] after an error', (sse) => `${sse}data: [DONE]\n\n`],
  ['responses', 'text', 'no response.created', without('"type":"response.created"')],
  ['responses', 'text', 'no item added', without('"type":"response.output_item.added"')],
  ['responses', 'text', 'no part added', without('"type":"response.content_part.added"')],
  ['responses', 'text', 'no item done', without('"type":"response.output_item.done"')],
  ['responses', 'text', 'no terminal event', without('"type":"response.completed"')],
  [
    'responses',
    'text',
    'an unknown event',
    replaced(/response\.output_text\.done/g, 'response.sparkle.done'),
  ],
  [
    'responses',
    'text',
    'an empty output at the end',
    (sse) => sse.replace(/"output":\[\{.*?\}\],"parallel/, '"output":[],"parallel'),
  ],
  ['responses', 'error-inside', 'an error event alone', without('"type":"response.failed"')],
  ['messages', 'text', 'no event lines', replaced(/event: [a-z_]+\n/g, '')],
  ['messages', 'text', 'no usage at the start', replaced(/"usage":\{[^}]*\}/, '"usage":null')],
  ['messages', 'text', 'no block start', without('"type":"content_block_start"')],
  ['messages', 'text', 'no block stop', without('"type":"content_block_stop"')],
  ['messages', 'text', 'indices from one', replaced(/"index":0/g, '"index":1')],
  ['messages', 'text', 'no message_stop', without('"type":"message_stop"')],
  [
    'messages',
    'text',
    'a finish after an error',
    (sse) =>
      `${sse}event: error\ndata: {"type":"error","error":{}}\n\nevent: ping\ndata: {"type":"ping"}\n\n`,
  ],
];

describe('each known defect is found', () => {
  for (const [client, scenario, name, spoil] of defects)
    test(`${client}: ${name}`, () => {
      const sse = good(client, scenario);
      assertStrictStream(client, sse);
      const spoilt = spoil(sse);
      assert.notEqual(spoilt, sse, 'the defect was put in');
      assert.throws(() => assertStrictStream(client, spoilt), assert.AssertionError);
    });
});
