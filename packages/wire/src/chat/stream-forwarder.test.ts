import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, test } from 'node:test';
import type { Fault } from '@floe/contract/faults';
import { isJsonObject } from '@floe/contract/json';
import fc from 'fast-check';
import { type ChatForwardOptions, ChatStreamForwarder } from './stream-forwarder.ts';

const PLAIN: ChatForwardOptions = {
  stripReasoning: false,
  thinkTags: false,
  dropUsageFrame: false,
  choices: 1,
};
const ALL: ChatForwardOptions = { stripReasoning: true, thinkTags: true, dropUsageFrame: true, choices: 1 };
const DONE = 'data: [DONE]\n\n';

interface Result {
  readonly out: string;
  readonly stream: ChatStreamForwarder;
  readonly fault: Fault | undefined;
}

function forward(chunks: readonly string[], options: ChatForwardOptions = PLAIN): Result {
  const stream = new ChatStreamForwarder(options);
  const out = chunks.map((chunk) => stream.push(Buffer.from(chunk))?.toString() ?? '').join('');
  return { out, stream, fault: stream.end() };
}

const frame = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: unknown, finish: string | null = null, index = 0) =>
  frame({ id: 'c1', model: 'm1', choices: [{ index, delta, finish_reason: finish }] });
const REFERENCES = '[ {"type":"reference","reference_ids":[12345678901234567890, 1.0]} ]';
const start = chunk({ role: 'assistant', content: '' });
const stop = chunk({}, 'stop');

/** The deltas of a forwarded stream, parsed. */
function deltas(out: string): unknown[] {
  return out.split('\n\n').flatMap((text) => {
    if (text === '' || text.endsWith('[DONE]')) return [];
    const value: unknown = JSON.parse(text.slice('data: '.length));
    const choice = isJsonObject(value) && Array.isArray(value.choices) ? value.choices[0] : undefined;
    return isJsonObject(choice) ? [choice.delta] : [];
  });
}

describe('a forwarded Chat stream', () => {
  test('passes unchanged, in the memory it came in, and tells what it carried', () => {
    const usage = { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 };
    const text = `: keep-alive\n\n${start}${chunk({ content: 'hi' })}${stop}${frame({ choices: [], usage })}${DONE}`;
    const bytes = Buffer.from(text);
    const stream = new ChatStreamForwarder(PLAIN);
    const out = stream.push(bytes) ?? assert.fail();
    assert.deepEqual(
      [out.buffer, out.byteOffset, out.length],
      [bytes.buffer, bytes.byteOffset, bytes.length],
    );
    assert.equal(stream.end(), undefined);
    assert.deepEqual([stream.id, stream.model, stream.hasContent], ['c1', 'm1', true]);
    assert.deepEqual(stream.finish, { reason: 'stop', raw: 'stop' });
    assert.deepEqual(stream.usage?.units, { input: 4, output: 2 });
  });

  test('has begun with the first text, call, reasoning or finish, not with a role, comment or empty choice', () => {
    const silent = [
      start,
      ': ping\n\n',
      frame({ choices: [] }),
      chunk({ content: null, tool_calls: [] }),
      chunk({ reasoning: null }),
    ];
    for (const text of silent) assert.equal(forward([text]).stream.hasContent, false, text);
    const spoken = [
      chunk({ content: 'x' }),
      chunk({ tool_calls: [{ index: 0 }] }),
      chunk({ function_call: { name: 'f' } }),
      chunk({ refusal: 'no' }),
      chunk({ audio: { id: 'a' } }),
      chunk({ reasoning_content: 'hm' }),
      stop,
    ];
    for (const text of spoken) assert.equal(forward([text]).stream.hasContent, true, text);
  });

  test('is whole only when every opened choice has finished', () => {
    assert.equal(forward([start, stop]).fault, undefined);
    assert.equal(forward([start]).fault?.code, 'upstream_stream_broken');
    assert.equal(forward([]).fault?.code, 'upstream_stream_broken');
    assert.equal(
      forward([start, chunk({ content: 'x' }, null, 1), stop]).fault?.code,
      'upstream_stream_broken',
    );
    assert.equal(forward([start, chunk({}, 'length', 1), stop]).fault, undefined);
    assert.equal(forward([start, stop.slice(0, -1)]).fault?.code, 'upstream_stream_broken');
    assert.equal(
      forward([start, stop, stop.slice(0, -1)]).fault,
      undefined,
      'nothing is missing behind a finish',
    );
    assert.equal(
      forward([start, frame({ choices: [{ delta: {}, finish_reason: '' }] })]).fault?.code,
      'upstream_stream_broken',
    );
  });

  test('misses a choice that was asked for, unless [DONE] says that there is none', () => {
    const two = { ...PLAIN, choices: 2 };
    assert.equal(forward([start, stop], two).fault?.code, 'upstream_stream_broken');
    assert.equal(forward([start, stop, DONE], two).fault, undefined);
    assert.equal(forward([start, stop, chunk({}, 'stop', 1)], two).fault, undefined);
  });

  test('withholds a [DONE] that comes before the finish, and ignores what follows a true one', () => {
    const early = forward([start + DONE]);
    assert.deepEqual([early.out, early.fault?.code], [start, 'upstream_stream_broken']);
    const late = forward([stop + DONE + start, chunk({ content: 'late' })]);
    assert.deepEqual([late.out, late.fault], [stop + DONE, undefined]);
  });

  const faulty: readonly [string, string, string][] = [
    ['an error object', frame({ error: { message: 'no', code: 502 } }), 'upstream_error'],
    [
      'an error beside choices',
      frame({ error: { message: 'no' }, choices: [{ delta: {}, finish_reason: 'error' }] }),
      'upstream_error',
    ],
    ['an error text', frame({ code: 'x', error: 'no' }), 'upstream_error'],
    ['a flat error', frame({ object: 'error', message: 'no', code: 500 }), 'upstream_error'],
    ['a rate limit', frame({ error: { message: 'no', code: 429 } }), 'upstream_rate_limited'],
    ['an error in an array', frame([{ error: { message: 'no' } }]), 'upstream_error'],
    [
      'a status in the answer',
      frame({ choices: null, base_resp: { status_code: 1004, status_msg: 'no' } }),
      'upstream_error',
    ],
    ['an error event', 'event: error\ndata: no\n\n', 'upstream_error'],
    ['no JSON', 'data: {"choices":[{"delta":{"content":"x}]}\n\n', 'upstream_stream_broken'],
    ['two values', 'data: {} {}\n\n', 'upstream_stream_broken'],
    ['no object', 'data: 12\n\n', 'upstream_stream_broken'],
  ];
  for (const [name, text, code] of faulty)
    test(`ends before a frame with ${name}`, () => {
      const { out, fault } = forward([start + text + stop, DONE]);
      assert.deepEqual([out, fault?.code], [start, code]);
      if (code === 'upstream_error') assert.equal(fault?.message, 'no');
    });

  test('takes no harm from null errors, empty data, named events and unknown members', () => {
    const text = `data:\n\nevent: chunk\ndata: {"error":null,"choices":[{"delta":{"error":"x"},"finish_reason":"stop"}],"base_resp":{"status_code":0},"message":null,"p":"abc"}\n\n`;
    const { out, fault } = forward([text]);
    assert.deepEqual([out, fault], [text, undefined]);
  });

  test('reads usage wherever it stands, and the last one counts', () => {
    const chunks = [
      frame({ choices: [], usage: { prompt_tokens: 4, completion_tokens: 1 } }),
      frame({ choices: [], x_vendor: { id: 'r', usage: { prompt_tokens: 5 } } }),
      frame({
        choices: [{ delta: {}, finish_reason: 'stop', usage: { completion_tokens: 9 } }],
        usage: null,
      }),
    ];
    assert.deepEqual(forward(chunks).stream.usage?.units, { input: 5, output: 9 });
  });

  test('drops the usage chunk that the gateway asked for and no other', () => {
    const filter = frame({ choices: [], prompt_filter_results: [], usage: null });
    const usage = frame({ choices: [], usage: { prompt_tokens: 1 } });
    const withUsage = frame({ choices: [{ delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 1 } });
    const { out, stream } = forward([filter + withUsage + usage + DONE], { ...PLAIN, dropUsageFrame: true });
    assert.equal(out, filter + withUsage + DONE);
    assert.deepEqual(stream.usage?.units, { input: 1 });
  });

  test('ends at a frame over 16 MiB instead of holding it', () => {
    assert.equal(forward([`data: "${'x'.repeat(17 << 20)}`]).fault?.code, 'upstream_error');
  });
});

describe('a forwarded Chat stream without its reasoning', () => {
  test('keeps frames that held only reasoning, with an empty delta', () => {
    const { out, stream } = forward([chunk({ reasoning_content: 'hm', reasoning: 'hm' }), stop], ALL);
    assert.deepEqual(deltas(out), [{}, {}]);
    assert.equal(stream.hasContent, true);
  });

  test('cuts members with their comma and leaves every other byte', () => {
    const delta = (inner: string) =>
      `data: {"reasoning":1, "choices":[ {"delta":{${inner}} ,"finish_reason":"stop"}]}\r\n\r\n`;
    const cases: readonly [string, string][] = [
      [' "reasoning":"a" , "content":"x" ', ' "content":"x" '],
      ['"content":"x" , "reasoning":[{"a":"}"}] ', '"content":"x" '],
      ['"a":1,"thinking":{},"reasoning":null,"b":2', '"a":1,"b":2'],
      ['"reasoning":"a","thinking_blocks":[] ', ' '],
      ['"reason\\u0069ng":"a","role":"assistant"', '"role":"assistant"'],
      ['"content":"\\"reasoning\\":"', '"content":"\\"reasoning\\":"'],
      // A number that no number of JavaScript is.
      [`"content": ${REFERENCES}, "reasoning":"a"`, `"content": ${REFERENCES}`],
    ];
    for (const [before, after] of cases) assert.equal(forward([delta(before)], ALL).out, delta(after));
  });

  test('turns arrays of content into plain text', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'a"' },
      { type: 'text', text: 'b' },
    ];
    const reference = { type: 'reference', reference_ids: [1] };
    const { out } = forward(
      [
        chunk({ content }),
        chunk({ content: content.slice(0, 1) }),
        chunk({ content: [...content.slice(0, 1), reference] }),
        stop,
      ],
      ALL,
    );
    assert.deepEqual(deltas(out), [{ content: 'a"b' }, { content: '' }, { content: [reference] }, {}]);
    const kept = chunk({ content }) + stop;
    assert.equal(forward([kept], PLAIN).out, kept);
  });

  test('keeps an array whose text has other members, and the notation of their numbers', () => {
    const delta = (content: string) => `data: {"choices":[{"delta":{"content":${content}}}]}\n\n`;
    const annotated = '{"type":"text","text":"a","annotations":[{"type":"url_citation","score":1.0}]}';
    const mixed = delta(`[{"type":"thinking","thinking":"hm"},${annotated}]`);
    for (const before of [delta(`[${annotated}]`), delta(`[ ${annotated}, {"type":"text","text":"b"} ]`)])
      assert.equal(forward([before], ALL).out, before);
    assert.equal(forward([mixed], ALL).out, delta(`[${annotated}]`));
  });

  test('removes tagged reasoning per choice, split over frames', () => {
    const text =
      chunk({ content: '<th' }) +
      chunk({ content: 'other' }, null, 1) +
      chunk({ content: 'ink>hm</think>' }) +
      chunk({ content: '\n\nyes' }) +
      stop;
    const { out } = forward([text], ALL);
    assert.deepEqual(deltas(out), [
      { content: '' },
      { content: 'other' },
      { content: '' },
      { content: 'yes' },
      {},
    ]);
    assert.equal(
      forward([text + chunk({}, 'stop', 1)], { ...ALL, thinkTags: false }).out,
      text + chunk({}, 'stop', 1),
    );
  });

  test('gives back what waited for a tag when the choice finishes, wherever its last chunk has room', () => {
    const last: readonly [unknown, unknown][] = [
      [{}, { content: '<thi' }],
      [{ role: 'assistant' }, { content: '<thi', role: 'assistant' }],
      [{ content: null }, { content: '<thi' }],
      [{ content: 'x' }, { content: '<thix' }],
      [{ reasoning: 'hm' }, { content: '<thi' }],
      [undefined, { content: '<thi' }],
      [null, { content: '<thi' }],
    ];
    for (const [delta, expected] of last)
      assert.deepEqual(deltas(forward([chunk({ content: '<thi' }) + chunk(delta, 'stop')], ALL).out), [
        { content: '' },
        expected,
      ]);
  });

  test('edits frames whose data has several lines', () => {
    const text =
      'event: x\ndata: {"choices":[{"delta":{"reasoning":"a",\ndata: "content":"b"},\ndata: "finish_reason":"stop"}]}\n\n';
    const { out, fault } = forward([text], ALL);
    assert.equal(
      out,
      'event: x\ndata: {"choices":[{"delta":{"content":"b"},\ndata: "finish_reason":"stop"}]}\n\n',
    );
    assert.equal(fault, undefined);
  });

  test('has at most 10,000 choices', () => {
    const choices = (count: number) =>
      frame({ choices: Array.from({ length: count }, (_, index) => ({ index, delta: {} })) });
    assert.match(forward([choices(10_000)]).fault?.message ?? '', /before the response was complete/);
    assert.match(forward([choices(10_001)]).fault?.message ?? '', /more than 10,000 choices/);
  });

  test('leaves no reasoning member and loses nothing else, whatever the deltas hold', () => {
    const value = fc.jsonValue({ maxDepth: 2 });
    const delta = fc.record(
      {
        reasoning: value,
        content: fc.string({ unit: 'binary' }),
        reasoning_content: value,
        x: value,
        thinking: value,
        role: value,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(delta, { maxLength: 6 }), fc.nat(), (values, cut) => {
        const bytes = Buffer.from(values.map((item) => chunk(item)).join('') + stop);
        const at = cut % bytes.length;
        const stream = new ChatStreamForwarder({ ...ALL, thinkTags: false });
        const out = [bytes.subarray(0, at), bytes.subarray(at)]
          .map((part) => stream.push(part)?.toString() ?? '')
          .join('');
        const expected = values.map(({ reasoning, reasoning_content, thinking, ...left }) => left);
        assert.deepEqual(deltas(out), JSON.parse(JSON.stringify([...expected, {}])));
      }),
      { numRuns: 1_000 },
    );
  });
});
