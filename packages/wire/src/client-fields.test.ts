import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toClientFieldNames } from './client-fields.ts';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from './dialects.ts';

test('a field that was lost is named by the path that the client wrote', () => {
  const table: readonly [Parameters<typeof toClientFieldNames>[1], string, object, string][] = [
    ['messages', 'user', { metadata: { user_id: 'u' } }, 'metadata.user_id'],
    ['messages', 'stop.clamped', { stop_sequences: ['a'] }, 'stop_sequences.clamped'],
    ['messages', 'max_output_tokens.clamped', { max_tokens: 1 }, 'max_tokens.clamped'],
    ['messages', 'reasoning.effort', { output_config: { effort: 'max' } }, 'output_config.effort'],
    ['messages', 'reasoning.effort', { thinking: { budget_tokens: 9 } }, 'thinking.budget_tokens'],
    ['messages', 'reasoning', { thinking: { type: 'enabled' } }, 'thinking'],
    ['messages', 'response_format', { output_config: { format: {} } }, 'output_config.format'],
    ['messages', 'cache_control', {}, 'cache_control'],
    ['chat', 'user', { user: 'u' }, 'user'],
    ['chat', 'user', { safety_identifier: 'u' }, 'safety_identifier'],
    ['chat', 'max_tokens.clamped', { max_tokens: 1 }, 'max_tokens.clamped'],
    ['chat', 'stop_sequences.clamped', { stop: ['a'] }, 'stop.clamped'],
    ['chat', 'reasoning.effort', { reasoning_effort: 'max' }, 'reasoning_effort'],
    ['responses', 'verbosity', { text: { verbosity: 'low' } }, 'text.verbosity'],
    ['responses', 'response_format.strict', { text: { format: {} } }, 'text.format.strict'],
    ['responses', 'reasoning.effort', { reasoning: { effort: 'max' } }, 'reasoning.effort'],
    ['messages', 'reasoning.seal', {}, 'reasoning.seal'],
  ];
  for (const [dialect, name, body, field] of table)
    assert.deepEqual(toClientFieldNames([name], dialect, { ...body }), [field], `${dialect} ${name}`);
});

test('two names of one field are one', () => {
  assert.deepEqual(toClientFieldNames(new Set(['stop', 'stop_sequences', 'seed']), 'chat', {}), [
    'stop',
    'seed',
  ]);
});

test('white space that is cut off the end of a prefill is reported', () => {
  const messages = [
    { role: 'user', content: 'U' },
    { role: 'assistant', content: 'prefix ' },
  ];
  for (const dialect of ['messages', 'converse'] as const)
    for (const [client, body] of Object.entries({
      chat: { model: 'm', messages },
      responses: { model: 'm', input: messages },
      messages: { model: 'm', max_tokens: 9, messages },
    } as const)) {
      assert.ok(client === 'chat' || client === 'responses' || client === 'messages');
      const { dropped } = UPSTREAM_DIALECTS[dialect].writeRequest(CLIENT_DIALECTS[client].readRequest(body));
      const expected = client === 'responses' ? 'input.clamped' : 'messages.content.clamped';
      assert.deepEqual(toClientFieldNames(dropped, client, body), [expected]);
    }
});
