import assert from 'node:assert/strict';
import { test } from 'node:test';
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
