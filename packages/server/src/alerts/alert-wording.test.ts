import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAlertMessage } from './alert-message.ts';
import { composeAlertWording, toSingleLine } from './alert-wording.ts';
import { CHANNEL_DEFINITIONS } from './channels/channel-definitions.ts';
import { createFailingAlert } from './test/test-outbox.ts';

const NOW = Date.UTC(2026, 10, 21, 12, 1);

test('texts are not truncated within a character', () => {
  for (let length = 5; length < 9; length++) {
    const text = toSingleLine('😀'.repeat(20), length);
    assert.ok(text.isWellFormed() && text.endsWith('😀…') && text.length <= length, text);
  }
  const alert = createFailingAlert('x');
  assert.ok(alert.event === 'monitor_failing');
  const described = { ...alert, fields: { ...alert.fields, description: `a${'😀'.repeat(600)}` } };
  const content = { id: 'dlv_1', thread: 'dlv_1', phase: 'opens', repetition: 0, failureCount: 1 } as const;
  const notice = createAlertMessage({ ...content, alerts: [described] }, 'https://floe.example', NOW);
  const { http } = CHANNEL_DEFINITIONS.slack;
  const config = {
    name: 'a',
    enabled: true,
    kind: 'slack',
    url: 'https://x.example',
    tags: [],
    realert_minutes: 0,
  } as const;
  // JSON contains an unpaired surrogate only as an escape, which receivers reject.
  assert.doesNotMatch(http?.message(notice, config, { previousSecret: null }).body ?? '', /\\ud[89a-f]/);
});

test('a name cannot change the direction of the text that follows it', () => {
  const alert = createFailingAlert('x', { name: 'backup\u202e\u2067\u2028 of 👩\u200d💻' });
  const { title } = composeAlertWording(alert, { nowMs: NOW, repetition: 0, failureCount: 1 });
  assert.equal(title, 'backup  of 👩\u200d💻 is failing');
});
