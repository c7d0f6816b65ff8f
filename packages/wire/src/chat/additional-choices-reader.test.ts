import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { ResponseAccumulator } from '../canonical-response.ts';
import { createResponseReader, readCompleteResponse } from './response-reader.ts';

const OPTIONS = { id: 'x', allChoices: true };
const BASE = { id: 'c', model: 'm' };

test('all choices of a complete response are read, with the finish reason of the first', () => {
  const choices = ['one', 'two'].map((content, index) => ({
    index,
    message: { content },
    finish_reason: index === 0 ? 'stop' : 'length',
  }));
  const { blocks, finish } = readCompleteResponse({ ...BASE, choices }, OPTIONS);
  assert.deepEqual(
    blocks.map(({ text }) => text),
    ['one', 'two'],
  );
  assert.equal(finish?.raw, 'stop');
  const unnumbered = choices.map(({ index: _, ...choice }) => choice);
  assert.equal(readCompleteResponse({ ...BASE, choices: unnumbered }, OPTIONS).blocks.length, 2);
});

test('choices of a stream that alternate or share a chunk become separate blocks', () => {
  const fold = new ResponseAccumulator();
  const reader = createResponseReader((event) => fold.add(event), OPTIONS);
  const piece = (index: number, content: string) => ({ index, delta: { content } });
  for (const choices of [
    [piece(0, 'a')],
    [piece(1, 'x')],
    [piece(0, 'b'), piece(1, 'y')],
    [{ index: 0, delta: {}, finish_reason: 'stop' }],
  ])
    reader.read({ event: 'message', data: JSON.stringify({ ...BASE, choices }) });
  reader.read({ event: 'message', data: '[DONE]' });
  reader.end();
  assert.deepEqual(
    fold.answer.blocks.map(({ text }) => text),
    ['ab', 'xy'],
  );
  assert.equal(fold.answer.finish?.raw, 'stop');
});

/** Reads the chunks of a stream, and returns its response and the number of blocks when its last event was read. */
function readStream(t: TestContext, chunks: readonly JsonObject[]) {
  const parsing = t.mock.method(JSON, 'parse');
  const writing = t.mock.method(JSON, 'stringify');
  const fold = new ResponseAccumulator();
  const reader = createResponseReader((event) => fold.add(event), OPTIONS);
  const frames = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'];
  writing.mock.resetCalls();
  for (const data of frames) reader.read({ event: 'message', data });
  const parsed = parsing.mock.calls.reduce((sum, { arguments: [text] }) => sum + String(text).length, 0);
  const counts = { parsed, sent: frames.join('').length, written: writing.mock.callCount() };
  parsing.mock.restore();
  writing.mock.restore();
  return { ...fold.answer, counts };
}

const FINISH = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };

test('a chunk is parsed once, for any number of choices', (t) => {
  const filler = 'x'.repeat(8 << 20);
  for (const count of [1, 1_000]) {
    const choices = Array.from({ length: count }, (_, index) => ({
      index,
      delta: { content: `text ${index}` },
    }));
    const { blocks, counts } = readStream(t, [{ ...BASE, filler, choices }, FINISH]);
    assert.equal(blocks.length, count);
    assert.equal(blocks.at(-1)?.text, `text ${count - 1}`);
    assert.equal(counts.written, 0);
    assert.ok(counts.parsed <= counts.sent, JSON.stringify(counts));
  }
});

test('the members of a complete response are not copied for every choice', () => {
  let copies = 0;
  const choices = Array.from({ length: 1_000 }, (_, index) => ({
    index,
    message: { content: `text ${index}` },
    finish_reason: 'stop',
  }));
  const body = new Proxy<JsonObject>(
    { ...BASE, choices },
    {
      ownKeys(target) {
        copies += 1;
        return Reflect.ownKeys(target);
      },
    },
  );
  assert.equal(readCompleteResponse(body, OPTIONS).blocks.length, 1_000);
  assert.ok(copies <= 1, String(copies));
});

test('every choice of a chunk is read, also without an index or with the index of another choice', (t) => {
  const say = (content: string, index?: number) => ({
    ...(index !== undefined && { index }),
    delta: { content },
  });
  for (const choices of [
    [say('a'), say('b'), say('c')],
    [say('a', 0), say('b', 0), say('c', 0)],
    [say('a', 1), say('b', 1), say('c', 0)],
    [say('a', 7), say('b', -1), say('c', 7)],
  ]) {
    const { blocks } = readStream(t, [{ choices }, FINISH]);
    assert.deepEqual([...blocks.map(({ text }) => text).join('')].sort(), ['a', 'b', 'c']);
  }
});

test('the last event of a stream completes the blocks of every choice', (t) => {
  const tool_calls = [{ index: 0, id: 'call_1', function: { name: 'f' } }];
  const { blocks, finish } = readStream(t, [
    { choices: [{ index: 0, delta: { content: 'a' } }] },
    { choices: [{ index: 1, delta: { tool_calls }, finish_reason: 'tool_calls' }] },
    FINISH,
  ]);
  assert.deepEqual(
    blocks.map(({ kind }) => kind),
    ['text', 'tool'],
  );
  assert.equal(finish?.raw, 'stop');
});

test('a stream fails if a choice can no longer be read', (t) => {
  const choicesFrom = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ index, delta: { content: 'a' } }));
  assert.equal(readStream(t, [{ choices: choicesFrom(1_024) }, FINISH]).fault, undefined);
  const tooMany = readStream(t, [{ choices: choicesFrom(1_025) }, FINISH]);
  assert.match(tooMany.fault?.message ?? '', /more than 1024 choices/);
  assert.equal(tooMany.finish, undefined);
  const tool_calls = Array.from({ length: 10_001 }, (_, index) => ({ index, id: `call_${index}` }));
  const { fault, finish } = readStream(t, [{ choices: [{ index: 1, delta: { tool_calls } }] }, FINISH]);
  assert.match(fault?.message ?? '', /more than 10000 tool calls/);
  assert.equal(finish, undefined);
});

test('an empty error, false, or the type error does not hide the choices of a chunk or a response', (t) => {
  for (const member of [{ type: 'error' }, { error: false }, { error: null }, { error: {} }, { error: '' }]) {
    const choice = { index: 0, delta: { content: 'a' } };
    const { blocks, fault } = readStream(t, [{ ...member, choices: [choice] }, FINISH]);
    assert.deepEqual([blocks[0]?.text, fault], ['a', undefined]);
    const choices = [{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }];
    assert.equal(readCompleteResponse({ ...member, choices }, OPTIONS).blocks[0]?.text, 'a');
    assert.ok(readCompleteResponse({ ...member, choices: [] }, OPTIONS).fault);
  }
});
