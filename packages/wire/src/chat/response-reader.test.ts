import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '@floe/contract/json';
import { type CanonicalResponse, ResponseAccumulator } from '../canonical-response.ts';
import type { ResponseReadOptions } from '../dialect.ts';
import { createResponseReader, readCompleteResponse } from './response-reader.ts';

const OPTIONS: ResponseReadOptions = { id: 'X' };

function read(chunks: readonly (JsonObject | string)[], options = OPTIONS): CanonicalResponse {
  const fold = new ResponseAccumulator();
  const reader = createResponseReader((event) => fold.add(event), options);
  for (const chunk of chunks)
    reader.read({ event: 'message', data: typeof chunk === 'string' ? chunk : JSON.stringify(chunk) });
  reader.end();
  return fold.answer;
}

const delta = (value: JsonObject, finish: string | null = null, rest: JsonObject = {}): JsonObject => ({
  id: 'c1',
  model: 'm',
  choices: [{ index: 0, delta: value, finish_reason: finish }],
  ...rest,
});
const textOf = (answer: CanonicalResponse, kind: string): string =>
  answer.blocks.map((block) => (block.kind === kind ? block.text : '')).join('');

describe('reasoning, wherever the host puts it', () => {
  const cases: readonly [string, JsonObject[]][] = [
    ['reasoning_content', [delta({ reasoning_content: 'hm' })]],
    ['reasoning', [delta({ reasoning: 'hm' })]],
    ['both at once', [delta({ reasoning: 'hm', reasoning_content: 'hm' })]],
    ['reasoning_details', [delta({ reasoning_details: [{ type: 'reasoning.text', text: 'hm', index: 0 }] })]],
    [
      'text beside its details',
      [delta({ reasoning: 'hm', reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] })],
    ],
    [
      'thinking parts',
      [delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] })],
    ],
  ];
  for (const [name, chunks] of cases)
    test(name, () => {
      const answer = read([...chunks, delta({ content: 'ok' }), delta({}, 'stop')]);
      assert.deepEqual([textOf(answer, 'reasoning'), textOf(answer, 'text')], ['hm', 'ok']);
    });

  test('signed details come back whole as a seal', () => {
    const answer = read([
      delta({ reasoning_details: [{ type: 'reasoning.text', text: 'h', index: 0 }] }),
      delta({ reasoning_details: [{ type: 'reasoning.text', text: 'm', index: 0 }] }),
      delta({ reasoning_details: [{ type: 'reasoning.text', signature: 's1', index: 0 }] }),
      delta({ content: 'ok' }, 'stop'),
    ]);
    const [block] = answer.blocks;
    assert.ok(block?.kind === 'reasoning');
    assert.deepEqual(JSON.parse(block.seal?.value ?? ''), [
      { type: 'reasoning.text', text: 'hm', index: 0, signature: 's1' },
    ]);
  });

  for (let cut = 1; cut < 24; cut += 1)
    test(`think tags cut into pieces of ${cut}`, () => {
      const text = '<think>hm < well</think>\n\nok <think>';
      const pieces = text.match(new RegExp(`[\\s\\S]{1,${cut}}`, 'g')) ?? [];
      const chunks = pieces.map((piece) => delta({ content: piece }));
      const answer = read([...chunks, delta({}, 'stop')], { ...OPTIONS, thinkTags: true });
      const shown = textOf(answer, 'text');
      assert.deepEqual([textOf(answer, 'reasoning'), shown], ['hm < well', 'ok <think>']);
    });
});

describe('usage and endings', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
  const places: readonly [string, JsonObject[]][] = [
    ['after the finish', [delta({}, 'stop'), { id: 'c1', choices: [], usage }]],
    ['with the finish', [delta({}, 'stop', { usage })]],
    ['in a vendor envelope', [delta({}, 'stop', { x_groq: { usage } })]],
    [
      'on every chunk, the last counts',
      [
        delta({ content: 'x' }, null, { usage: { prompt_tokens: 3, completion_tokens: 1 } }),
        delta({}, 'stop', { usage }),
      ],
    ],
    ['null before it comes', [delta({ content: 'x' }, null, { usage: null }), delta({}, 'stop', { usage })]],
  ];
  for (const [name, chunks] of places)
    test(`usage ${name}`, () =>
      assert.deepEqual(read([...chunks, '[DONE]']).usage?.units, { input: 3, output: 4 }));

  test('a second finish changes nothing', () => {
    const answer = read([delta({ content: 'x' }, 'length'), delta({}, 'stop'), '[DONE]']);
    assert.deepEqual(answer.finish, { reason: 'length', raw: 'length' });
  });

  const errors: readonly [string, JsonObject | string][] = [
    ['an error object', { error: { message: 'no', code: 500 } }],
    ['an error text', { error: 'no' }],
    ['a flat error', { object: 'error', message: 'no', code: 400 }],
    ['a failed base_resp', { base_resp: { status_code: 1002, status_msg: 'no' } }],
    ['an event that is not JSON', '<html>'],
  ];
  for (const [name, chunk] of errors)
    test(`${name} ends the stream with an error and no finish`, () => {
      const answer = read([delta({ content: 'x' }), chunk, delta({}, 'stop'), '[DONE]']);
      assert.equal(answer.finish, undefined);
      assert.ok(answer.fault);
    });

  test('a 200 that holds an error is an error', () => {
    const answer = readCompleteResponse(
      { error: { message: 'prompt is too long: 9 tokens > 8 maximum' } },
      OPTIONS,
    );
    assert.equal(answer.fault?.detail.dialectCode, 'context_length_exceeded');
    for (const message of [null, 'hello', undefined]) {
      const choices = [{ message, finish_reason: 'stop' }];
      assert.equal(readCompleteResponse({ choices }, OPTIONS).fault?.code, 'upstream_error');
    }
    const text = { choices: [{ message: null, text: 'hello', finish_reason: 'stop' }] };
    assert.equal(textOf(readCompleteResponse(text, OPTIONS), 'text'), 'hello');
    assert.ok(readCompleteResponse({ choices: [] }, OPTIONS).fault);
    assert.ok(readCompleteResponse('hello', OPTIONS).fault);
  });
});

test('usage is read from the place that says something, whatever stands empty beside it', () => {
  const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
  const places: readonly ((usage: Json) => JsonObject)[] = [
    (value) => ({ usage: value }),
    (value) => ({ x_groq: { usage: value } }),
    (value) => ({ choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: value }] }),
  ];
  for (const place of places)
    for (const other of places.filter((one) => one !== place))
      for (const empty of [null, {}, '', []]) {
        const chunk = { ...delta({ content: 'a' }, 'stop'), ...other(empty), ...place(usage) };
        const answer = read([chunk]);
        assert.deepEqual(
          [answer.usage?.units.input, answer.usage?.units.output],
          [5, 2],
          JSON.stringify(chunk),
        );
      }
});
