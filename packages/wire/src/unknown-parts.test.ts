// Parts and members that a reader does not know: a loss is refused or reported.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from './dialects.ts';

const chatResponse = (content: JsonObject | readonly JsonObject[] | number): JsonObject => ({
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});
const responsesResponse = (...output: readonly JsonObject[]): JsonObject => ({
  id: 'r',
  status: 'completed',
  output: [...output, { type: 'message', content: [{ type: 'output_text', text: 'T' }] }],
});

function droppedOf(dialect: 'chat' | 'responses', body: JsonObject): readonly string[] {
  const { dropped = [], lostContent = [] } = UPSTREAM_DIALECTS[dialect].readCompleteResponse(body, {
    id: 'x',
  });
  return [...new Set([...dropped, ...lostContent])];
}

test('a part of an unknown type whose text is translated reports its type and its other members', () => {
  for (const [content, dropped] of [
    [[{ type: 'quote', text: 'T', source: 'S', empty: [] }], ['content.quote', 'source']],
    [{ type: 'quote', text: 'T' }, ['content.quote']],
    [[{ type: 7, text: 'T' }], ['content.unknown']],
    [[{ type: 'text', text: 'T' }, { text: 'U' }, { type: 'output_text', text: 'V' }], []],
    [
      [
        { type: 'text', text: 'T' },
        { type: 'quote', source: 'S' },
      ],
      ['content.quote'],
    ],
    [[{ type: 'text', text: { value: 'T' } }], ['content.text']],
    [[{ type: 'refusal', refusal: ['N'] }], ['content.refusal']],
    [
      [
        { type: 'thinking', thinking: 'A', text: 'B' },
        { type: 'text', text: 'T' },
      ],
      ['text'],
    ],
    [7, ['content']],
  ] as const)
    assert.deepEqual(droppedOf('chat', chatResponse(content)), dropped, JSON.stringify(content));
});

test('a part of a Responses response that cannot be read is reported', () => {
  const reasoning = (...summary: readonly JsonObject[]) => ({ type: 'reasoning', summary });
  for (const [item, dropped] of [
    [reasoning({ type: 'sketch', text: 'S', strokes: [1] }), ['reasoning.sketch', 'strokes']],
    [reasoning({ type: 'sketch', strokes: [1] }), ['reasoning.sketch', 'strokes']],
    [reasoning({ type: 'summary_text', text: ['S'] }), ['reasoning.summary_text']],
    [reasoning({ type: 'summary_text', text: 'S' }, { text: 'T' }), []],
    [{ type: 'message', content: [{ type: 'output_text', text: { value: 'T' } }] }, ['content.output_text']],
    [{ type: 'message', content: [{ type: 'refusal', refusal: 7 }] }, ['content.refusal']],
  ] as const)
    assert.deepEqual(droppedOf('responses', responsesResponse(item)), dropped, JSON.stringify(item));
});

const chat = (...messages: readonly JsonObject[]): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', content: 'U' }, ...messages],
});

test('a member of a message that its role cannot have is reported', () => {
  for (const role of ['user', 'system', 'developer'] as const) {
    const message = { role, content: 'U', tool_calls: [{ id: 'c' }], refusal: 'N', audio: { id: 'a' } };
    const { dropped, requiredFeatures } = CLIENT_DIALECTS.chat.readRequest(chat(message));
    assert.deepEqual(dropped, ['messages.tool_calls', 'messages.refusal', 'messages.audio'], role);
    assert.equal(requiredFeatures.size, 0);
  }
  const said = { role: 'assistant', content: 'A', refusal: 'N', reasoning: 'R', tool_calls: [] };
  assert.deepEqual(CLIENT_DIALECTS.chat.readRequest(chat(said)).dropped, []);
});

test('a call or a part of an unknown type requires a target that knows it', () => {
  const call = { id: 'c', type: 'tomorrow', tomorrow: { name: 'f' } };
  for (const [messages, path] of [
    [
      [
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: 'R' },
      ],
      'messages[1].tool_calls[0]',
    ],
    [[{ role: 'user', content: [{ type: 7, text: 'U' }] }], 'messages[1].content[0]'],
    [[{ role: 'user', content: [{ type: 'tomorrow', text: 'U' }] }], 'messages[1].content[0]'],
  ] as const) {
    const { requiredFeatures } = CLIENT_DIALECTS.chat.readRequest(chat(...messages));
    assert.equal(requiredFeatures.get('unknown-content'), path, JSON.stringify(messages));
  }
  const calls = [{ id: 'c', function: { name: 'f', arguments: '{}' } }];
  assert.equal(
    CLIENT_DIALECTS.chat.readRequest(chat({ role: 'assistant', tool_calls: calls })).requiredFeatures.size,
    0,
  );
});

test('a text that is not a string is rejected, and the breakpoint of an empty text is reported', () => {
  for (const text of [7, { value: 'U' }, ['U']])
    assert.throws(
      () => CLIENT_DIALECTS.chat.readRequest(chat({ role: 'user', content: [{ type: 'text', text }] })),
      {
        code: 'invalid_request',
        detail: { param: 'messages[1].content[0].text' },
      },
    );
  const empty = { type: 'text', text: '', cache_control: { type: 'ephemeral' } };
  const { dropped } = CLIENT_DIALECTS.chat.readRequest(chat({ role: 'user', content: [empty] }));
  assert.deepEqual(dropped, ['text.cache_control']);
});

test('content of a reasoning item other than text is reported', () => {
  const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' };
  const { dropped } = CLIENT_DIALECTS.responses.readRequest({
    model: 'm',
    input: [
      { role: 'user', content: 'U' },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'S' }, image] },
    ],
  });
  assert.deepEqual(dropped, ['reasoning.media']);
});
