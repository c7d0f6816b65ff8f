// Streams whose blocks overlap, with empty and split fragments: a reader loses nothing, and every client receives it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import fc from 'fast-check';
import { accumulateResponse, type ResponseBlock } from '../src/canonical-response.ts';
import { UPSTREAM_DIALECTS } from '../src/dialects.ts';
import type { ResponseEvent } from '../src/response-events.ts';
import { ANSWER_READ_OPTIONS, assertEventGrammar, CLIENT_NAMES, translateStream } from './translate.ts';

/** A block of the response that the provider sends in fragments. The text of a call is its arguments. */
interface SentBlock {
  readonly kind: ResponseBlock['kind'];
  readonly fragments: readonly string[];
  readonly index: number;
}

type Frame = readonly [event: string, data: JsonObject];

/** Writes the blocks of a response as frames: those before, those of each block, and those after. */
interface StreamSource {
  readonly kinds: readonly ResponseBlock['kind'][];
  readonly start: readonly Frame[];
  readonly block: (block: SentBlock) => readonly Frame[];
  readonly end: (hasCalls: boolean) => readonly Frame[];
}

const callOf = ({ index }: SentBlock): JsonObject => ({ id: `c${index}`, name: `f${index}` });

const chat: StreamSource = {
  kinds: ['text', 'refusal', 'reasoning', 'tool'],
  start: [],
  block: (block) => {
    const members = { text: 'content', refusal: 'refusal', reasoning: 'reasoning_content' };
    const frame = (delta: JsonObject): Frame => [
      'message',
      { choices: [{ index: 0, delta, finish_reason: null }] },
    ];
    if (block.kind !== 'tool') {
      const member = members[block.kind];
      return block.fragments.map((text) => frame({ [member]: text }));
    }
    const { id, name = '' } = callOf(block);
    const index = block.index;
    const call = { index, id, type: 'function', function: { name, arguments: '' } };
    return [
      frame({ tool_calls: [call] }),
      ...block.fragments.map((text) => frame({ tool_calls: [{ index, function: { arguments: text } }] })),
    ];
  },
  end: (hasCalls) => [
    ['message', { choices: [{ index: 0, delta: {}, finish_reason: hasCalls ? 'tool_calls' : 'stop' }] }],
  ],
};

const messages: StreamSource = {
  kinds: ['text', 'reasoning', 'tool'],
  start: [['message_start', { type: 'message_start', message: { content: [] } }]],
  block: (block) => {
    const frame = (type: string, data: JsonObject): Frame => [type, { type, index: block.index, ...data }];
    const start =
      block.kind === 'tool'
        ? { type: 'tool_use', input: {}, ...callOf(block) }
        : block.kind === 'text'
          ? { type: 'text', text: '' }
          : { type: 'thinking', thinking: '', signature: '' };
    const delta = (text: string): JsonObject =>
      block.kind === 'tool'
        ? { type: 'input_json_delta', partial_json: text }
        : block.kind === 'text'
          ? { type: 'text_delta', text }
          : { type: 'thinking_delta', thinking: text };
    return [
      frame('content_block_start', { content_block: start }),
      ...block.fragments.map((text) => frame('content_block_delta', { delta: delta(text) })),
      frame('content_block_stop', {}),
    ];
  },
  end: (hasCalls) => [
    ['message_delta', { type: 'message_delta', delta: { stop_reason: hasCalls ? 'tool_use' : 'end_turn' } }],
    ['message_stop', { type: 'message_stop' }],
  ],
};

const converse: StreamSource = {
  kinds: ['text', 'reasoning', 'tool'],
  start: [['messageStart', { role: 'assistant' }]],
  block: (block) => {
    const frame = (event: string, data: JsonObject): Frame => [
      event,
      { contentBlockIndex: block.index, ...data },
    ];
    const { id, name } = callOf(block);
    const delta = (text: string): JsonObject =>
      block.kind === 'tool'
        ? { toolUse: { input: text } }
        : block.kind === 'text'
          ? { text }
          : { reasoningContent: { text } };
    return [
      ...(block.kind === 'tool'
        ? [frame('contentBlockStart', { start: { toolUse: { toolUseId: id, name } } })]
        : []),
      ...block.fragments.map((text) => frame('contentBlockDelta', { delta: delta(text) })),
      frame('contentBlockStop', {}),
    ];
  },
  end: (hasCalls) => [['messageStop', { stopReason: hasCalls ? 'tool_use' : 'end_turn' }]],
};

/** Text and refusals are parts of one message, so that the parts overlap too. */
const responses: StreamSource = {
  kinds: ['text', 'refusal', 'reasoning', 'tool'],
  start: [
    ['response.created', { type: 'response.created', response: {} }],
    [
      'response.output_item.added',
      {
        type: 'response.output_item.added',
        output_index: 9,
        item: { type: 'message', id: 'i9', content: [] },
      },
    ],
  ],
  block: (block) => {
    const isPart = block.kind === 'text' || block.kind === 'refusal';
    const output_index = isPart ? 9 : block.index;
    const item_id = `i${output_index}`;
    const frame = (type: string, data: JsonObject): Frame => [type, { type, output_index, item_id, ...data }];
    if (isPart) {
      const content_index = block.index;
      const name = block.kind === 'text' ? 'output_text' : 'refusal';
      return block.fragments.map((delta) => frame(`response.${name}.delta`, { content_index, delta }));
    }
    const { id: call_id, name } = callOf(block);
    const item =
      block.kind === 'tool'
        ? { type: 'function_call', id: item_id, call_id, name, arguments: '' }
        : { type: 'reasoning', id: item_id, summary: [] };
    const event = block.kind === 'tool' ? 'function_call_arguments' : 'reasoning_summary_text';
    return [
      frame('response.output_item.added', { item }),
      ...block.fragments.map((delta) => frame(`response.${event}.delta`, { summary_index: 0, delta })),
      frame('response.output_item.done', { item: { ...item, arguments: undefined } }),
    ];
  },
  end: () => [
    ['response.completed', { type: 'response.completed', response: { status: 'completed', output: [] } }],
  ],
};

const cohere: StreamSource = {
  kinds: ['text', 'reasoning', 'tool'],
  start: [['message-start', { type: 'message-start' }]],
  block: (block) => {
    const frame = (type: string, message: JsonObject): Frame => [
      type,
      { type, index: block.index, delta: { message } },
    ];
    if (block.kind !== 'tool') {
      const name = block.kind === 'text' ? 'text' : 'thinking';
      return [
        frame('content-start', { content: { type: name, [name]: '' } }),
        ...block.fragments.map((text) => frame('content-delta', { content: { [name]: text } })),
        frame('content-end', {}),
      ];
    }
    const { id, name } = callOf(block);
    return [
      frame('tool-call-start', { tool_calls: { id, function: { name, arguments: '' } } }),
      ...block.fragments.map((text) =>
        frame('tool-call-delta', { tool_calls: { function: { arguments: text } } }),
      ),
      frame('tool-call-end', {}),
    ];
  },
  end: (hasCalls) => [
    ['message-end', { type: 'message-end', delta: { finish_reason: hasCalls ? 'TOOL_CALL' : 'COMPLETE' } }],
  ],
};

const SOURCES = { chat, responses, messages, converse, cohere };

const fragment = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom('', '"\\', '😀', '\u2028'),
);

function arbitraryBlocks({ kinds }: StreamSource): fc.Arbitrary<SentBlock[]> {
  const block = fc.record({
    kind: fc.constantFrom(...kinds),
    fragments: fc.array(fragment, { minLength: 1, maxLength: 4 }),
  });
  return fc.array(block, { minLength: 1, maxLength: 4 }).map((blocks) =>
    blocks.map(({ kind, fragments }, index) => {
      if (kind !== 'tool') return { kind, fragments, index };
      const json = JSON.stringify({ text: fragments.join('') });
      return { kind, fragments: ['', json.slice(0, 3), json.slice(3, 9), json.slice(9)], index };
    }),
  );
}

/** Merges the frames of all blocks. Each number of `order` chooses the block that sends its next frame. */
function overlap(blocks: readonly (readonly Frame[])[], order: readonly number[]): Frame[] {
  const left = blocks.map((frames) => [...frames]);
  const merged: Frame[] = [];
  for (let turn = 0; ; turn += 1) {
    const live = left.filter((frames) => frames.length > 0);
    const next = live[(order[turn % order.length] ?? 0) % live.length]?.shift();
    if (next === undefined) return merged;
    merged.push(next);
  }
}

/** The characters of all blocks of a kind, in any order. */
function charactersOf(
  kind: string,
  texts: readonly { readonly kind: string; readonly text: string }[],
): string {
  const all = texts.filter((block) => block.kind === kind).map(({ text }) => text);
  return kind === 'tool' ? all.sort().join('\n') : [...all.join('')].sort().join('');
}

describe('a stream whose blocks overlap loses nothing', () => {
  for (const [name, source] of Object.entries(SOURCES))
    test(name, () => {
      fc.assert(
        fc.property(
          arbitraryBlocks(source),
          fc.array(fc.nat(7), { minLength: 1, maxLength: 8 }),
          (blocks, order) => {
            const frames = [
              ...source.start,
              ...overlap(blocks.map(source.block), order),
              ...source.end(blocks.some(({ kind }) => kind === 'tool')),
            ];
            const events: ResponseEvent[] = [];
            const reader = UPSTREAM_DIALECTS[name as keyof typeof SOURCES].createResponseReader(
              (event) => events.push(event),
              ANSWER_READ_OPTIONS,
            );
            for (const [event, data] of frames) reader.read({ event, data: JSON.stringify(data) });
            reader.end();
            assertEventGrammar(events);
            const answer = accumulateResponse(events);
            assert.equal(answer.fault, undefined);
            assert.deepEqual(answer.dropped, []);
            const sent = blocks.map(({ kind, fragments }) => ({ kind, text: fragments.join('') }));
            for (const kind of source.kinds)
              assert.equal(charactersOf(kind, answer.blocks), charactersOf(kind, sent), kind);
            for (const client of CLIENT_NAMES) translateStream(events, client);
          },
        ),
        { numRuns: process.env['FLOE_TEST_FULL'] === '1' ? 3_000 : 150 },
      );
    });
});
