import assert from 'node:assert/strict';
import { test } from 'node:test';
import { characterReadCounter } from '@floe/conditions/detect/sensitive-data-scan';
import { MAX_INLINE_SCANNED_CHARS } from '../../guardrails/policies/inline-limits.ts';
import { announcesEnd, endsResponse, StreamPolicyData } from './stream-policy-data.ts';

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

test('metadata that a response repeats does not look like the end of the response', () => {
  const created = (metadata: object) => JSON.stringify({ type: 'response.created', response: { metadata } });
  for (const metadata of [{ type: 'message_stop' }, { type: 'response.completed' }, { stop_reason: 'x' }]) {
    assert.equal(announcesEnd(created(metadata)), false);
    assert.equal(endsResponse(created(metadata)), false);
  }
  for (const type of ['message_stop', 'response.completed', 'response.failed'])
    assert.ok(announcesEnd(JSON.stringify({ type })) && endsResponse(JSON.stringify({ type })));
  assert.ok(announcesEnd('[DONE]') && endsResponse('[DONE]'));
  assert.ok(announcesEnd('{"choices":[{"finish_reason":"stop"}]}'));
});
