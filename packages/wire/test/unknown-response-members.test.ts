// Next month's members: whatever a reader does not know in any object of a response, it reports.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '@floe/contract/json';
import { accumulateResponse, type CanonicalResponse } from '../src/canonical-response.ts';
import { UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { asObject, asString, isJsonArray, isJsonObject } from '../src/json-narrowing.ts';
import type { ResponseEvent } from '../src/response-events.ts';
import { ANSWER_READ_OPTIONS } from './translate.ts';

type Dialect = keyof typeof UPSTREAM_DIALECTS;

/** Members whose content belongs to the model or is not shown to clients: arguments, token counts and seals. */
const OPAQUE = new Set('input args usage usageMetadata metrics reasoning_details'.split(' '));

const RESPONSES: Readonly<Record<Dialect, JsonObject>> = {
  chat: {
    id: 'r',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: [
            { type: 'text', text: 'T' },
            { type: 'thinking', thinking: [{ type: 'text', text: 'H' }] },
            { type: 'refusal', refusal: 'N' },
          ],
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } },
            { id: 'c2', type: 'custom', custom: { name: 'g', input: 'I' } },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
  },
  responses: {
    id: 'r',
    status: 'completed',
    output: [
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'S' }],
        encrypted_content: 'E',
      },
      {
        type: 'message',
        content: [
          { type: 'output_text', text: 'T' },
          { type: 'refusal', refusal: 'N' },
        ],
      },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'g', input: 'I' },
    ],
  },
  messages: {
    id: 'r',
    content: [
      { type: 'thinking', thinking: 'H', signature: 'S' },
      { type: 'redacted_thinking', data: 'D' },
      { type: 'text', text: 'T' },
      { type: 'tool_use', id: 'c1', name: 'f', input: {}, caller: { type: 'direct' } },
    ],
    stop_reason: 'tool_use',
  },
  gemini: {
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'H', thought: true },
            { text: 'T', thoughtSignature: 'S' },
            { functionCall: { name: 'f', args: {} } },
          ],
        },
        finishReason: 'STOP',
      },
    ],
    promptFeedback: {},
  },
  converse: {
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'H', signature: 'S' } } },
          { text: 'T' },
          { toolUse: { toolUseId: 'c1', name: 'f', input: {} } },
        ],
      },
    },
    stopReason: 'tool_use',
  },
  cohere: {
    id: 'r',
    message: {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'H' },
        { type: 'text', text: 'T' },
      ],
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    finish_reason: 'TOOL_CALL',
  },
};

/** The events of a stream, in order. The events of Converse are the member of their name. */
const STREAMS: Readonly<Record<Dialect, readonly JsonObject[]>> = {
  chat: [
    { id: 'r', choices: [{ index: 0, delta: { reasoning_content: 'H' } }] },
    { id: 'r', choices: [{ index: 0, delta: { content: 'T' } }] },
    {
      id: 'r',
      choices: [
        {
          index: 0,
          delta: { tool_calls: [{ index: 0, id: 'c1', function: { name: 'f', arguments: '{}' } }] },
        },
      ],
    },
    { id: 'r', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ],
  responses: [
    { type: 'response.created', response: { id: 'r', output: [] } },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'reasoning', id: 'i0', summary: [] },
    },
    {
      type: 'response.reasoning_summary_part.added',
      output_index: 0,
      summary_index: 0,
      part: { type: 'summary_text', text: '' },
    },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'S' },
    { type: 'response.reasoning_summary_text.done', output_index: 0, summary_index: 0, text: 'S' },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'reasoning', id: 'i0', summary: [{ type: 'summary_text', text: 'S' }] },
    },
    { type: 'response.output_item.added', output_index: 1, item: { type: 'message', id: 'i1', content: [] } },
    { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'T' },
    { type: 'response.output_text.done', output_index: 1, content_index: 0, text: 'T' },
    {
      type: 'response.content_part.done',
      output_index: 1,
      content_index: 0,
      part: { type: 'output_text', text: 'T' },
    },
    {
      type: 'response.output_item.done',
      output_index: 1,
      item: { type: 'message', id: 'i1', content: [{ type: 'output_text', text: 'T' }] },
    },
    {
      type: 'response.output_item.added',
      output_index: 2,
      item: { type: 'function_call', id: 'i2', call_id: 'c1', name: 'f', arguments: '' },
    },
    { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{}' },
    { type: 'response.function_call_arguments.done', output_index: 2, arguments: '{}' },
    {
      type: 'response.output_item.done',
      output_index: 2,
      item: { type: 'function_call', id: 'i2', call_id: 'c1', name: 'f', arguments: '{}' },
    },
    { type: 'response.completed', response: { id: 'r', status: 'completed', output: [] } },
  ],
  messages: [
    { type: 'message_start', message: { id: 'r', content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'H' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'S' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'T' } },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: 'c', name: 'f', input: {} },
    },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{}' } },
    { type: 'content_block_stop', index: 2 },
    { type: 'content_block_start', index: 3, content_block: { type: 'redacted_thinking', data: 'D' } },
    { type: 'content_block_stop', index: 3 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ],
  gemini: [
    { candidates: [{ content: { parts: [{ text: 'H', thought: true }] } }] },
    { candidates: [{ content: { parts: [{ text: 'T' }] } }] },
    {
      candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: {} } }] }, finishReason: 'STOP' }],
    },
  ],
  converse: [
    { messageStart: { role: 'assistant' } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { text: 'H' } } } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { signature: 'S' } } } },
    { contentBlockStop: { contentBlockIndex: 0 } },
    { contentBlockDelta: { contentBlockIndex: 1, delta: { text: 'T' } } },
    { contentBlockStop: { contentBlockIndex: 1 } },
    { contentBlockStart: { contentBlockIndex: 2, start: { toolUse: { toolUseId: 'c1', name: 'f' } } } },
    { contentBlockDelta: { contentBlockIndex: 2, delta: { toolUse: { input: '{}' } } } },
    { contentBlockStop: { contentBlockIndex: 2 } },
    { messageStop: { stopReason: 'tool_use' } },
    { metadata: { usage: {} } },
  ],
  cohere: [
    { type: 'message-start', id: 'r', delta: { message: { role: 'assistant', content: [] } } },
    { type: 'content-start', index: 0, delta: { message: { content: { type: 'thinking', thinking: '' } } } },
    { type: 'content-delta', index: 0, delta: { message: { content: { thinking: 'H' } } } },
    { type: 'content-end', index: 0 },
    { type: 'content-start', index: 1, delta: { message: { content: { type: 'text', text: '' } } } },
    { type: 'content-delta', index: 1, delta: { message: { content: { text: 'T' } } } },
    { type: 'content-end', index: 1 },
    { type: 'tool-plan-delta', delta: { message: { tool_plan: 'P' } } },
    {
      type: 'tool-call-start',
      index: 0,
      delta: {
        message: { tool_calls: { id: 'c1', type: 'function', function: { name: 'f', arguments: '' } } },
      },
    },
    {
      type: 'tool-call-delta',
      index: 0,
      delta: { message: { tool_calls: { function: { arguments: '{}' } } } },
    },
    { type: 'tool-call-end', index: 0 },
    { type: 'message-end', delta: { finish_reason: 'TOOL_CALL', usage: {} } },
  ],
};

/** Paths of all objects of a response. */
function* objectPaths(value: Json | undefined, path: readonly string[] = []): Generator<readonly string[]> {
  if (OPAQUE.has(path.at(-1) ?? '')) return;
  if (isJsonObject(value)) yield path;
  if (isJsonObject(value) || isJsonArray(value))
    for (const [key, entry] of Object.entries(value)) yield* objectPaths(entry, [...path, key]);
}

/** Copies a value with an unknown member in the object at a path. */
function withUnknownMember(value: Json | undefined, path: readonly string[]): Json {
  const [step, ...rest] = path;
  if (step === undefined) return { ...asObject(value), novelty: 'on' };
  if (isJsonArray(value))
    return value.map((entry, index) => (String(index) === step ? withUnknownMember(entry, rest) : entry));
  return { ...asObject(value), [step]: withUnknownMember(asObject(value)?.[step], rest) };
}

/** @param isNamed whether only the name of an event contains its type */
function readStream(dialect: Dialect, stream: readonly Json[], isNamed = false): CanonicalResponse {
  const events: ResponseEvent[] = [];
  const reader = UPSTREAM_DIALECTS[dialect].createResponseReader(
    (event) => events.push(event),
    ANSWER_READ_OPTIONS,
  );
  for (const event of stream) {
    const [[name, inner] = ['', null]] = Object.entries(asObject(event) ?? {});
    const type = asString(asObject(event)?.['type']) ?? 'message';
    const frame = dialect === 'converse' ? { event: name, data: inner } : { event: type, data: event };
    const data = isNamed ? { ...asObject(frame.data), type: undefined } : frame.data;
    reader.read({ event: frame.event, data: JSON.stringify(data) });
  }
  reader.end();
  return accumulateResponse(events);
}

function assertReported({ dropped, fault }: CanonicalResponse, where: string): void {
  assert.equal(fault, undefined, where);
  assert.ok(
    dropped.some((name) => /(^|\.)novelty$/.test(name)),
    `${where}: reported are ${dropped.join()}`,
  );
}

describe('an unknown member of any object of a response is reported as dropped', () => {
  for (const dialect of Object.keys(RESPONSES) as Dialect[]) {
    test(`${dialect} response`, () => {
      for (const path of objectPaths(RESPONSES[dialect])) {
        const body = withUnknownMember(RESPONSES[dialect], path);
        const answer = UPSTREAM_DIALECTS[dialect].readCompleteResponse(body, ANSWER_READ_OPTIONS);
        assertReported(answer, path.join('.'));
      }
    });
    test(`${dialect} stream`, () => {
      const stream = STREAMS[dialect];
      for (const [at, event] of stream.entries())
        for (const path of objectPaths(event)) {
          if (dialect === 'converse' && path.length === 0) continue;
          const changed = stream.with(at, asObject(withUnknownMember(event, path)) ?? {});
          const where = `${JSON.stringify(event)} at ${path.join('.')}`;
          assertReported(readStream(dialect, changed), where);
          assertReported(readStream(dialect, changed, true), `${where}, with a type only in the name`);
        }
    });
  }
});

test('a response with any number of unknown members has a limited number of reports, and lost content is never missing', () => {
  const names = Array.from({ length: 20_000 }, (_, at) => `novelty_${at}`);
  for (const dialect of Object.keys(RESPONSES) as Dialect[]) {
    const body = { ...RESPONSES[dialect], ...Object.fromEntries(names.map((name) => [name, 'on'])) };
    const { dropped, finish } = UPSTREAM_DIALECTS[dialect].readCompleteResponse(body, ANSWER_READ_OPTIONS);
    assert.ok(finish !== undefined && dropped.length <= 100, `${dialect}: ${dropped.length}`);
  }
  const content = names.map((type) => ({ type }));
  const choices = [{ message: { content, ...Object.fromEntries(names.map((name) => [name, 'on'])) } }];
  const { lostContent } = UPSTREAM_DIALECTS.chat.readCompleteResponse({ choices }, ANSWER_READ_OPTIONS);
  assert.equal(lostContent?.[0], 'content.novelty_0');
  assert.equal(lostContent.length, 100);
});
