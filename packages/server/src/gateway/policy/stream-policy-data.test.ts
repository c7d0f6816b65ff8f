import assert from 'node:assert/strict';
import { test } from 'node:test';
import { characterReadCounter } from '@floe/conditions/detect/sensitive-data-scan';
import { MAX_INLINE_SCANNED_CHARS } from '../../guardrails/policies/inline-limits.ts';
import { StreamPolicyData } from './stream-policy-data.ts';

test('all texts of an event share the scan limit of the main thread, and no text is skipped', () => {
  const data = new StreamPolicyData({ early: new Set(['email', 'credit_card']), detects: true }, null);
  const hostile = '4111-1111-1111-1112 +1 555 010 9999 a@b GB00 ';
  const texts = Array.from({ length: 50 }, (_, at) => `${at} ${hostile.repeat(200)}`);
  const before = characterReadCounter.reads;
  data.addStrings(JSON.stringify({ type: 'novelty', texts }));
  const reads = characterReadCounter.reads - before;
  const waiting = data.takeLongTexts();
  assert.ok(reads > 0 && reads < MAX_INLINE_SCANNED_CHARS * 4, String(reads));
  assert.deepEqual(waiting, texts.slice(-waiting.length));
  assert.ok(waiting.length > 40, String(waiting.length));

  data.addStrings(JSON.stringify({ type: 'novelty', text: 'mail to ada@example.org' }));
  assert.deepEqual([data.takeLongTexts(), data.takeKinds()], [[], ['email']]);
});
