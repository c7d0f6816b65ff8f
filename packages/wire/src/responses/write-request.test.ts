import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@floe/contract/json';
import { readRequest } from '../messages/read-request.ts';
import { writeRequest } from './write-request.ts';

/** Writes a conversation with a tool result of this content, and returns the output of the result. */
function writeResult(content: Json, isError: boolean): Json | undefined {
  const result = { type: 'tool_result', tool_use_id: 'c', content, is_error: isError };
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
    { role: 'user', content: [result] },
  ];
  const { body } = writeRequest(readRequest({ model: 'm', max_tokens: 9, messages }));
  const { input }: { input: JsonObject[] } = JSON.parse(JSON.stringify(body));
  return input.find(({ type }) => type === 'function_call_output')?.['output'];
}

const text = { type: 'text', text: 'T' };
const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
const written = { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' };

test('a failed tool result states that it failed, regardless of its parts', () => {
  assert.equal(writeResult([text], true), 'Error: T');
  assert.deepEqual(writeResult([text, image], true), [{ type: 'input_text', text: 'Error: T' }, written]);
  for (const parts of [[image], [image, text]])
    assert.deepEqual(writeResult(parts, true), [
      { type: 'input_text', text: 'Error:' },
      ...parts.map((part) => (part === image ? written : { type: 'input_text', text: 'T' })),
    ]);
  assert.deepEqual(writeResult([image], false), [written]);
});
