import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accumulateResponse } from '../src/canonical-response.ts';
import { findRecordedStream, RECORDED_STREAMS } from './samples.ts';
import {
  assertEventGrammar,
  CLIENT_NAMES,
  createAnswerContext,
  readStreamEvents,
  translateStream,
  translateWhole,
} from './translate.ts';

const UPSTREAMS = ['chat', 'responses', 'messages', 'gemini', 'converse', 'cohere'] as const;

describe('own recordings in every client dialect', () => {
  for (const { dialect, scenario, body } of RECORDED_STREAMS)
    test(`${dialect} ${scenario}`, () => {
      const events = readStreamEvents(dialect, body, 1 << 30);
      assertEventGrammar(events);
      for (let size = 1; size < 40; size += 1)
        assert.equal(
          JSON.stringify(readStreamEvents(dialect, body, size)),
          JSON.stringify(events),
          `cut every ${size} bytes`,
        );
      for (const client of CLIENT_NAMES) {
        const { failed } = translateStream(events, client);
        translateStream(
          events,
          client,
          createAnswerContext({ sealOrigin: 'cred1', chatReasoning: 'forward' }),
        );
        if (!failed) translateWhole(accumulateResponse(events), client);
      }
    });
});

describe('what the providers said', () => {
  const answerOf = (dialect: (typeof UPSTREAMS)[number], scenario: string) =>
    accumulateResponse(readStreamEvents(dialect, findRecordedStream(dialect, scenario).body, 1 << 30));

  for (const dialect of UPSTREAMS) {
    test(`${dialect}: text and usage`, () => {
      const answer = answerOf(dialect, 'text');
      assert.deepEqual(
        answer.blocks.map((block) => block.text),
        ['Grüße, Welt ✓'],
      );
      assert.equal(answer.finish?.reason, 'stop');
      const { input, cached, output } = answer.usage?.units ?? {};
      assert.deepEqual({ input, cached, output }, { input: 20, cached: 4, output: 8 });
    });

    test(`${dialect}: two calls, with the arguments they were given`, () => {
      const answer = answerOf(dialect, 'parallel-tools');
      const calls = answer.blocks.flatMap((block) =>
        block.kind === 'tool' ? [[block.name, block.text]] : [],
      );
      assert.deepEqual(calls, [
        ['look_up', '{"q":"x"}'],
        ['measure', '{"n":1}'],
      ]);
      assert.equal(answer.finish?.reason, 'tool');
    });

    test(`${dialect}: a call without arguments ends in \`tool\`, whatever the provider called it`, () => {
      const answer = answerOf(dialect, 'no-args-tool');
      const call = answer.blocks.at(-1);
      assert.ok(call?.kind === 'tool' && call.id !== '');
      assert.ok(call.text === '' || call.text === '{}');
      assert.equal(answer.finish?.reason, 'tool');
    });

    test(`${dialect}: reasoning stays apart from the text`, () => {
      const answer = answerOf(dialect, 'thinking');
      const said = (kind: string) =>
        answer.blocks.map((block) => (block.kind === kind ? block.text : '')).join('');
      assert.deepEqual([said('reasoning'), said('text')], ['First, consider.', 'Done.']);
    });

    test(`${dialect}: an answer cut short says so`, () =>
      assert.equal(answerOf(dialect, 'length').finish?.reason, 'length'));

    test(`${dialect}: a stream that ends before its finish is an error`, () => {
      const answer = answerOf(dialect, 'cut');
      assert.equal(answer.finish, undefined);
      assert.equal(answer.fault?.code, 'upstream_stream_broken');
    });

    test(`${dialect}: an error inside a stream keeps its words`, () => {
      assert.match(answerOf(dialect, 'error-inside').fault?.message ?? '', /Something broke|Internal error/);
      const before = answerOf(dialect, 'error-before').fault;
      assert.equal(before?.code, 'upstream_error');
      assert.match(before?.message ?? '', /overloaded/i);
    });
  }

  test('a prompt that Gemini blocks is a refusal without text', () => {
    const answer = answerOf('gemini', 'refusal');
    assert.deepEqual([answer.blocks, answer.finish?.reason], [[], 'refusal']);
  });

  test('a finish word that means failure is an error', () =>
    assert.equal(answerOf('gemini', 'malformed-call').fault?.code, 'upstream_error'));

  test('arguments streamed by path come together', () => {
    const [call] = answerOf('gemini', 'partial-args').blocks;
    assert.equal(call?.text, '{"q":"ab","list":[{"n":1}]}');
  });

  test("a provider's own tool is reported, not shown", () => {
    const answer = answerOf('messages', 'hosted-tool');
    assert.deepEqual(answer.dropped, ['server_tool_use', 'web_search_tool_result', 'citations']);
    assert.deepEqual(
      answer.blocks.map((block) => block.text),
      ['Found it.'],
    );
  });

  test('a host that sends neither ids nor indices still gives two calls with ids', () => {
    const answer = answerOf('chat', 'odd-host');
    const ids = answer.blocks.flatMap((block) => (block.kind === 'tool' ? [block.id] : []));
    assert.equal(new Set(ids).size, 2);
    assert.deepEqual(answer.usage?.units, { input: 5, output: 6 });
  });
});
