import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripReasoningParts } from './strip-reasoning-parts.ts';

const THINKING = { type: 'thinking', thinking: 'plan' };

test('text parts without other information become a string', () => {
  for (const more of [{}, { citations: null }, { annotations: [] }, { logprobs: {}, id: '' }]) {
    const parts = [THINKING, { type: 'text', text: 'a', ...more }, { type: 'text', text: 'b' }];
    assert.equal(stripReasoningParts(JSON.stringify(parts)), '"ab"', JSON.stringify(more));
  }
});

test('text parts with other information stay parts', () => {
  for (const more of [{ citations: ['c'] }, { index: 0 }, { cached: false }]) {
    const part = { type: 'text', text: 'a', ...more };
    assert.equal(stripReasoningParts(JSON.stringify([THINKING, part])), JSON.stringify([part]));
  }
});
