import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { type CanonicalResponse, toResponseEvents } from '../canonical-response.ts';
import { CLIENT_DIALECTS } from '../dialects.ts';
import type { Usage } from '../usage.ts';
import { createResponseWriter, writeCompleteResponse } from './response-writer.ts';

const REQUEST = CLIENT_DIALECTS.messages.readRequest({
  model: 'm',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'U' }],
});
const CONTEXT = { request: REQUEST, id: 'X', requestId: 'r', createdS: 1, nowS: () => 2, inputEstimate: 7 };

function createAnswer(usage?: Usage): CanonicalResponse {
  return {
    id: '',
    model: '',
    blocks: [
      { kind: 'text', text: 'twelve bytes' },
      { kind: 'tool', id: 'a', name: 'tool', freeform: false, text: '{}' },
    ],
    dropped: [],
    finish: { reason: 'tool', raw: 'tool_calls' },
    ...(usage && { usage }),
  };
}

/** The token counts of the complete response, and of the last event with usage of the stream. */
function countsOf(usage?: Usage): unknown[] {
  const { body } = writeCompleteResponse(createAnswer(usage), CONTEXT);
  const writer = createResponseWriter(CONTEXT);
  let text = '';
  for (const event of toResponseEvents(createAnswer(usage))) text += writer.write(event);
  const last: JsonObject = JSON.parse(/data: (\{"type":"message_delta".*)/.exec(text)?.[1] ?? '{}');
  return [body['usage'], last['usage']].map(
    (counts) => isJsonObject(counts) && [counts['input_tokens'], counts['output_tokens']],
  );
}

test('token counts that the provider did not report are estimated, in streams and complete responses', () => {
  assert.deepEqual(countsOf(), [
    [7, 5],
    [7, 5],
  ]);
  assert.deepEqual(countsOf({ units: { input: 3 } }), [
    [3, 5],
    [3, 5],
  ]);
  assert.deepEqual(countsOf({ units: { input: 3, output: 2 } }), [
    [3, 2],
    [3, 2],
  ]);
});
