import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { type CanonicalResponse, ResponseAccumulator } from '../canonical-response.ts';
import { createResponseReader, readCompleteResponse } from './response-reader.ts';

function read(events: readonly JsonObject[]): CanonicalResponse {
  const fold = new ResponseAccumulator();
  const reader = createResponseReader((event) => fold.add(event), { id: 'X' });
  for (const event of events) reader.read({ event: String(event['type']), data: JSON.stringify(event) });
  reader.end();
  return fold.answer;
}

const created: JsonObject = {
  type: 'response.created',
  response: { id: 'r', model: 'm', status: 'in_progress' },
};
const completed = (output: JsonObject[], rest: JsonObject = {}): JsonObject => ({
  type: 'response.completed',
  response: { id: 'r', model: 'm', status: 'completed', output, ...rest },
});
const message = (text: string): JsonObject => ({
  type: 'message',
  id: 'm1',
  content: [{ type: 'output_text', text }],
});
const delta = (text: string): JsonObject => ({
  type: 'response.output_text.delta',
  item_id: 'm1',
  output_index: 0,
  content_index: 0,
  delta: text,
});
const textsOf = (answer: CanonicalResponse): string[] => answer.blocks.map((block) => block.text);

describe('Responses streams that leave something out', () => {
  test('deltas of an item that was never announced', () =>
    assert.deepEqual(textsOf(read([created, delta('a'), delta('b'), completed([])])), ['ab']));

  test('an item that comes only when it is done', () =>
    assert.deepEqual(
      textsOf(
        read([
          created,
          { type: 'response.output_item.done', output_index: 0, item: message('ab') },
          completed([]),
        ]),
      ),
      ['ab'],
    ));

  test('a call whose arguments come only in the final object', () => {
    const item = { type: 'function_call', id: 'f1', call_id: 'c1', name: 'f', arguments: '{"x":1}' };
    const added = { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } };
    const answer = read([created, added, completed([item])]);
    assert.deepEqual(textsOf(answer), ['{"x":1}']);
    assert.equal(answer.finish?.reason, 'tool');
  });

  test('ids that change between events: the index decides, nothing is doubled', () => {
    const added = {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...message(''), id: 'p', content: [] },
    };
    const final = { ...message('ab'), id: 'q' };
    assert.deepEqual(textsOf(read([created, added, { ...delta('ab'), item_id: 'z' }, completed([final])])), [
      'ab',
    ]);
  });

  test('an item without an id whose index belongs to an item of another type is read once', () => {
    const done = (item: JsonObject): JsonObject => ({
      type: 'response.output_item.done',
      output_index: 0,
      item,
    });
    const thought = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'a' }] };
    const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' };
    const { id: _, ...said } = message('b');
    assert.deepEqual(textsOf(read([created, done(thought), done(call), completed([])])), ['a', '{}']);
    assert.deepEqual(textsOf(read([created, done(thought), done(said), completed([])])), ['a', 'b']);
  });

  test('summaries in several parts are one reasoning with a blank line between', () => {
    const part = (index: number, text: string): JsonObject => ({
      type: 'response.reasoning_summary_text.delta',
      item_id: 'r1',
      output_index: 0,
      summary_index: index,
      delta: text,
    });
    const item = { type: 'reasoning', id: 'r1', summary: [], encrypted_content: 'e' };
    const added = { type: 'response.output_item.added', output_index: 0, item };
    const done = { type: 'response.output_item.done', output_index: 0, item };
    const [block] = read([created, added, part(0, 'a'), part(1, 'b'), done, completed([])]).blocks;
    assert.ok(block?.kind === 'reasoning');
    assert.deepEqual([block.text, block.seal?.value], ['a\n\nb', 'e']);
  });
});

describe('Responses endings', () => {
  test('no terminal event is an error', () =>
    assert.equal(read([created, delta('a')]).fault?.code, 'upstream_stream_broken'));

  test('a cancelled response is an error', () =>
    assert.ok(read([created, { type: 'response.cancelled', response: { id: 'r' } }]).fault));

  test('a filtered answer is a refusal, a cut one has its length reached', () => {
    const ended = (reason: string): JsonObject => ({
      type: 'response.incomplete',
      response: { id: 'r', status: 'incomplete', incomplete_details: { reason }, output: [] },
    });
    assert.equal(read([created, ended('content_filter')]).finish?.reason, 'refusal');
    assert.equal(read([created, ended('max_output_tokens')]).finish?.reason, 'length');
  });

  test('a whole answer that failed is an error', () => {
    const body = { output: [], status: 'failed', error: { code: 'server_error', message: 'no' } };
    assert.equal(readCompleteResponse(body, { id: 'X' }).fault?.message, 'no');
  });
});

describe('a Responses response that is incomplete', () => {
  const call = { type: 'function_call', id: 'f1', call_id: 'c1', name: 'f', arguments: '{"x":' };
  const cut = { ...call, status: 'incomplete' };

  test('the event states it, and the response does not', () => {
    const response = { id: 'r', model: 'm', output: [call], incomplete_details: null };
    const answer = read([created, { type: 'response.incomplete', response }]);
    assert.equal(answer.finish?.reason, 'length');
  });

  test('only an item states it', () => {
    const done = { type: 'response.output_item.done', output_index: 0, item: cut };
    const whole = { id: 'r', model: 'm', status: 'completed', output: [cut] };
    for (const answer of [
      read([created, done, completed([])]),
      read([created, completed([cut])]),
      readCompleteResponse(whole, { id: 'X' }),
    ])
      assert.equal(answer.finish?.reason, 'length');
  });
});

describe('content that only one event of a Responses stream contains', () => {
  const added = (item: JsonObject): JsonObject => ({
    type: 'response.output_item.added',
    output_index: 0,
    item: { id: 'i1', ...item },
  });
  const at = { item_id: 'i1', output_index: 0, content_index: 0, summary_index: 0 };

  test('a part that is done', () => {
    const part = { type: 'output_text', text: 'ab', annotations: [], logprobs: [{ token: 'ab' }] };
    const answer = read([
      created,
      added({ type: 'message', content: [] }),
      { type: 'response.content_part.done', ...at, part },
      completed([]),
    ]);
    assert.deepEqual([textsOf(answer), answer.dropped], [['ab'], ['logprobs']]);
  });

  test('the first event of a call', () => {
    const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"x":1}' };
    assert.deepEqual(textsOf(read([created, added(call), completed([])])), ['{"x":1}']);
  });

  test('the delta of an item that is unknown, or of an unknown kind', () => {
    for (const type of ['response.function_call_arguments.delta', 'response.audio.delta']) {
      const answer = read([created, { type, delta: 'x', output_index: 3 }, completed([message('ab')])]);
      assert.deepEqual(textsOf(answer), ['ab']);
      assert.deepEqual(answer.lostContent, [type.split('.')[1]]);
    }
  });

  test('reasoning: its text, what was not streamed, and the other source', () => {
    const summary = [
      { type: 'summary_text', text: 'S' },
      { type: 'summary_text', text: 'U' },
    ];
    const content = [{ type: 'reasoning_text', text: 'T' }];
    const delta = (type: string): JsonObject => ({ type: `response.${type}.delta`, ...at, delta: 'S' });
    const done = (item: JsonObject): JsonObject => ({ ...added(item), type: 'response.output_item.done' });
    const streamed = (type: string, item: JsonObject): CanonicalResponse =>
      read([
        created,
        added({ type: 'reasoning', summary: [] }),
        delta(type),
        done({ type: 'reasoning', ...item }),
        completed([message('ab')]),
      ]);
    const rest = streamed('reasoning_summary_text', { summary, content });
    assert.deepEqual([textsOf(rest), rest.dropped], [['S\n\nU', 'ab'], ['reasoning.content']]);
    assert.deepEqual(textsOf(streamed('reasoning', {})), ['S', 'ab']);
  });

  test('a part of the reasoning that is done', () => {
    const whole = (summary_index: number, text: string): JsonObject => ({
      type: 'response.reasoning_summary_text.done',
      ...at,
      summary_index,
      text,
    });
    const part = { type: 'response.reasoning_summary_text.delta', ...at, delta: 'S' };
    const text = { type: 'response.reasoning_text.done', ...at, text: 'T' };
    const partsOf = (...events: JsonObject[]): string[] =>
      textsOf(read([created, added({ type: 'reasoning', summary: [] }), ...events, completed([])]));
    assert.deepEqual(partsOf(part, whole(0, 'ST'), whole(1, 'U'), whole(1, 'U')), ['ST\n\nU']);
    assert.deepEqual(partsOf(whole(0, 'S'), whole(0, 'S'), whole(0, 'other')), ['S']);
    assert.deepEqual(partsOf(text), ['T']);
  });

  test('the end of a part without the part loses nothing', () => {
    const done = { type: 'response.content_part.done', ...at };
    const answer = read([
      created,
      added({ type: 'message' }),
      { ...delta('ab'), ...at },
      done,
      completed([]),
    ]);
    assert.deepEqual([textsOf(answer), answer.lostContent], [['ab'], undefined]);
  });
});

test('the time to read a part does not depend on the number of earlier parts', () => {
  const item = { type: 'message', id: 'm1' };
  const parts = Array.from({ length: 20_000 }, (_, content_index) => ({ ...delta('a'), content_index }));
  const startedAt = performance.now();
  const answer = read([created, { type: 'response.output_item.added', output_index: 0, item }, ...parts]);
  assert.equal(answer.blocks.length, 20_000);
  assert.ok(performance.now() - startedAt < 2_000);
});

describe('a Responses stream that is longer than Floe can keep in memory', () => {
  const LONG = 'a'.repeat(1024 * 1024);
  const readFault = (event: (at: number) => JsonObject, count: number): string | undefined => {
    let message: string | undefined;
    const reader = createResponseReader(
      (out) => {
        if (out.type === 'error') message = out.fault.message;
      },
      { id: 'X' },
    );
    for (let at = 0; at < count && message === undefined; at += 1) {
      const data = event(at);
      reader.read({ event: String(data['type']), data: JSON.stringify(data) });
    }
    return message;
  };
  const added = (item: JsonObject, output_index: number): JsonObject => ({
    type: 'response.output_item.added',
    output_index,
    item,
  });

  test('ends with an error', () => {
    assert.match(readFault(() => delta(LONG), 65) ?? '', /64 MB/);
    const items = (at: number) => added({ ...message(''), id: `m${at}` }, at);
    assert.match(readFault(items, 70_000) ?? '', /64 MB/);
    const full = (at: number) => added({ ...message(LONG), id: `m${at}` }, at);
    assert.match(readFault(full, 65) ?? '', /64 MB/);
  });

  test('does not end with an error if its data are not kept, such as preliminary images', () => {
    const image = { type: 'image_generation_call', id: 'ig_1', result: LONG };
    assert.equal(
      readFault(
        (at) =>
          at === 0
            ? added({ ...image, result: '' }, 0)
            : {
                type: 'response.image_generation_call.partial_image',
                output_index: 0,
                partial_image_b64: LONG,
              },
        70,
      ),
      undefined,
    );
    const done = (at: number) => ({
      type: 'response.output_item.done',
      output_index: at,
      item: { ...image, id: `ig_${at}` },
    });
    assert.equal(readFault(done, 70), undefined);
  });
});
