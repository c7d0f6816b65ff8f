import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import fc from 'fast-check';
import type { ChatScanOptions } from './chat-scanner.ts';
import {
  parseSimpleChatResponse,
  prepareForwardedChatResponse,
  scanChatResponse,
} from './forward-response.ts';

const PLAIN: ChatScanOptions = { stripReasoning: false, thinkTags: false };
const CUT: ChatScanOptions = { stripReasoning: true, thinkTags: false };
const ALL: ChatScanOptions = { stripReasoning: true, thinkTags: true };

describe('a forwarded whole Chat answer', () => {
  const answer = (message: unknown, rest: object = {}) =>
    Buffer.from(
      `\n\n${JSON.stringify({ id: 'c1', model: 'm1', choices: [{ index: 0, message, finish_reason: 'stop' }], ...rest })}\n`,
    );

  test('passes unchanged and tells what it carried, leading blank lines included', () => {
    const body = answer({ content: 'hi' }, { usage: { prompt_tokens: 3, completion_tokens: 1 } });
    const told = prepareForwardedChatResponse(body, PLAIN);
    assert.equal(told.body, body);
    assert.deepEqual(
      { ...told, body: undefined },
      {
        body: undefined,
        usage: { units: { input: 3, output: 1 }, tier: undefined },
        finish: { reason: 'stop', raw: 'stop' },
        model: 'm1',
        id: 'c1',
      },
    );
  });

  test('loses its reasoning in every form', () => {
    const body = answer({ content: '<think>hm</think>\n\nyes', reasoning: 'hm', reasoning_details: [{}] });
    assert.equal(
      prepareForwardedChatResponse(body, ALL).body.toString(),
      answer({ content: 'yes' }).toString(),
    );
    const array = answer({
      content: [
        { type: 'thinking', thinking: [] },
        { type: 'text', text: 'yes' },
      ],
    });
    assert.equal(
      prepareForwardedChatResponse(array, ALL).body.toString(),
      answer({ content: 'yes' }).toString(),
    );
    const open = answer({ content: '<thin' });
    assert.equal(prepareForwardedChatResponse(open, ALL).body.toString(), open.toString());
  });

  const faulty: readonly [string, string][] = [
    ['truncated JSON', answer({ content: 'hi' }).toString().slice(0, -4)],
    ['no body', ''],
    ['HTML', '<html></html>'],
    ['an error', '{"error":{"message":"no"}}'],
    ['an error beside choices', '{"error":{"message":"no"},"choices":[{"finish_reason":"stop"}]}'],
    ['a flat error', '{"message":"no","type":"x"}'],
    ['null choices', '{"choices":null,"usage":{"prompt_tokens":1}}'],
    ['no choices', '{"id":"c1"}'],
    ['empty choices', '{"choices":[]}'],
    ['no finish', '{"choices":[{"message":{"content":"x"},"finish_reason":null}]}'],
    ['one choice of two unfinished', '{"choices":[{"finish_reason":"stop"},{"message":{}}]}'],
    ['a null message', '{"choices":[{"message":null,"finish_reason":"stop"}]}'],
    ['no message', '{"choices":[{"message":"x","delta":null,"text":null,"finish_reason":"stop"}]}'],
    [
      'one choice of two without a message',
      '{"choices":[{"message":{},"finish_reason":"stop"},{"index":1,"finish_reason":"stop"}]}',
    ],
    ['another root', '[]'],
  ];
  for (const [name, body] of faulty)
    test(`is an upstream error with ${name}`, () => {
      const { fault } = prepareForwardedChatResponse(Buffer.from(body), ALL);
      assert(fault instanceof Fault);
      assert.deepEqual([fault.code, fault.detail.upstreamBody], ['upstream_error', body]);
    });

  test('passes unchanged with its content in a delta or a text', () => {
    for (const said of ['"message":null,"text":"hi"', '"delta":{"content":"hi"}']) {
      const body = Buffer.from(`{"choices":[{${said},"finish_reason":"stop"}]}`);
      const forwarded = prepareForwardedChatResponse(body, ALL);
      assert.deepEqual([forwarded.fault, forwarded.body.toString()], [undefined, body.toString()]);
    }
  });

  test('is an upstream error when it is not UTF-8', () => {
    const body = Buffer.concat([answer({ content: 'hi' }), Buffer.from([0xff])]);
    assert.equal(prepareForwardedChatResponse(body, PLAIN).fault?.code, 'upstream_error');
  });
});

describe('a plain Chat answer', () => {
  const often = <Value>(value: Value, other: fc.Arbitrary<unknown> = fc.jsonValue()) =>
    fc.oneof({ weight: 6, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: other });
  const seldom = (other: fc.Arbitrary<unknown> = fc.jsonValue()) =>
    fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: other });
  const tagged = fc
    .array(fc.constantFrom('<think>', '</think>', '<thi', ' ', '\n', 'a', '<'), { maxLength: 5 })
    .map((parts) => parts.join(''));
  const parts = fc.array(fc.record({ type: fc.constantFrom('text', 'thinking', 'x'), text: fc.string() }));
  const message = fc.record({
    role: fc.constant('assistant'),
    content: fc.oneof(fc.string({ unit: 'binary' }), fc.constant(null), fc.jsonValue(), tagged, parts),
    tool_calls: seldom(),
    reasoning: seldom(),
    thinking_blocks: seldom(),
  });
  const choice = fc.record({
    index: fc.oneof(fc.nat(2), fc.constant(undefined), seldom()),
    message: fc.oneof({ weight: 8, arbitrary: message }, { weight: 1, arbitrary: fc.jsonValue() }),
    delta: seldom(),
    usage: seldom(fc.record({ prompt_tokens: fc.nat() })),
    finish_reason: often('stop', fc.oneof(fc.constant('length'), fc.constant(''), fc.constant(null))),
  });
  const root = fc.record({
    id: often('c1'),
    object: often('chat.completion', fc.constant('error')),
    model: often('m1', fc.constant('')),
    choices: fc.oneof(
      {
        weight: 8,
        arbitrary: fc.array(fc.oneof({ weight: 9, arbitrary: choice }, fc.jsonValue()), { maxLength: 3 }),
      },
      { weight: 1, arbitrary: fc.jsonValue() },
    ),
    usage: often({ prompt_tokens: 3, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 1 } }),
    error: seldom(fc.oneof(fc.constant(null), fc.constant(''), fc.constant({ message: 'no' }))),
    base_resp: seldom(fc.record({ status_code: fc.nat(1) })),
    message: seldom(),
    detail: seldom(),
    x_host: seldom(fc.record({ usage: fc.constant({ prompt_tokens: 9 }) })),
    ['__proto__']: seldom(),
  });
  const text = fc
    .tuple(fc.oneof({ weight: 20, arbitrary: root }, fc.jsonValue()), fc.constantFrom('', ' ', '\t\n'))
    .map(([value, blank]) => `${blank}${JSON.stringify(value, null, blank)}${blank}`);

  /** Whether it was taken, whatever is cut. */
  const check = (body: Buffer): boolean => {
    const taken = [PLAIN, CUT, ALL].map((options) => {
      const read = parseSimpleChatResponse(body, options);
      if (read !== null) assert.deepEqual(read, scanChatResponse(body, options), body.toString());
      return read !== null;
    });
    return !taken.includes(false);
  };

  test('is read as a walk over its bytes reads it, or left to that', () => {
    let taken = 0;
    fc.assert(
      fc.property(text, (json) => {
        if (check(Buffer.from(json))) taken += 1;
      }),
      { numRuns: 3_000 },
    );
    assert(taken > 100, `${taken} of 3,000 were taken`);
  });

  test('is read so with any one byte lost, doubled or replaced', () => {
    const bytes = fc.constantFrom(...Buffer.from('{}[]",:\\x01'), 0x00, 0x1f, 0x80, 0xff);
    fc.assert(
      fc.property(text, fc.nat(), bytes, fc.constantFrom(0, 1, 2), (json, where, byte, gone) => {
        const body = Buffer.from(json);
        const at = where % body.length;
        check(Buffer.concat([body.subarray(0, at), Buffer.of(byte), body.subarray(at + gone)]));
      }),
      { numRuns: 3_000 },
    );
  });

  test('is taken as most hosts send it', () => {
    const usual = {
      index: 0,
      message: { role: 'assistant', content: 'hi' },
      logprobs: null,
      finish_reason: 'stop',
    };
    const told = { id: 'c1', object: 'chat.completion', model: 'm1', choices: [usual], error: null };
    assert(check(Buffer.from(JSON.stringify(told))));
  });
});
