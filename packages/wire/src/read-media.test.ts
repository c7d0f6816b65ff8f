import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { readRequest } from './messages/read-request.ts';

const read = (source: JsonObject) =>
  readRequest({
    model: 'm',
    max_tokens: 9,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'document', source, title: 'Log' },
          { type: 'text', text: 'Q' },
        ],
      },
    ],
  });

test('a document whose source is content blocks with text is read as text', () => {
  for (const content of [
    'A\nB',
    [
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B' },
    ],
  ]) {
    const { turns, requiredFeatures } = read({ type: 'content', content });
    const [part] = turns[0]?.parts ?? [];
    assert.ok(part?.type === 'text');
    assert.deepEqual([part.text, part.document?.title, requiredFeatures.size], ['A\nB', 'Log', 0]);
  }
});

test('a document whose source contains an image is content that only its own dialect supports', () => {
  const image = { type: 'image', source: { type: 'url', url: 'https://ice.test/a.png' } };
  const { requiredFeatures } = read({ type: 'content', content: [{ type: 'text', text: 'A' }, image] });
  assert.deepEqual([...requiredFeatures], [['unknown-content', 'messages[0].content[0]']]);
});
