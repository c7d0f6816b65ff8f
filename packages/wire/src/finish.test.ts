import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFinishReason } from './finish.ts';

test('one word for every spelling, with the raw value beside it', () => {
  for (const raw of ['stop', 'STOP', 'end_turn', 'eos', 'COMPLETE'])
    assert.deepEqual(parseFinishReason(raw), { reason: 'stop', raw });
  for (const raw of ['length', 'MAX_TOKENS', 'model_length'])
    assert.equal(parseFinishReason(raw).reason, 'length');
  for (const raw of ['tool_calls', 'function_call', 'TOOL_CALL'])
    assert.equal(parseFinishReason(raw).reason, 'tool');
  for (const raw of ['content_filter', 'SAFETY', 'refusal'])
    assert.equal(parseFinishReason(raw).reason, 'refusal');
  for (const raw of ['error', 'pause_turn', 'insufficient_system_resource', 'brand_new'])
    assert.deepEqual(parseFinishReason(raw), { reason: 'other', raw });
});
