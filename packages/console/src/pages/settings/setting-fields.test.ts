import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf, type OrgSettings, SETTING_GROUPS, settingsChange, valueAt } from './setting-fields.ts';

const settings: OrgSettings = {
  chat_reasoning: 'strip',
  stored_responses: true,
  resource_scope: 'key',
  analytics: { metadata_keys: ['team'] },
  attribution: { user_headers: [] },
  monitoring: { grace_period_minutes: 5 },
  bodies: { keep: false, redact: true },
  passthrough: { a: [], b: [] },
  ide: { error_profile: true, freeform_tools: 'function', capture: false },
  sources: {},
};

test('every field of the page is a setting of the API', () => {
  for (const { fields } of Object.values(SETTING_GROUPS).flat())
    for (const { path } of fields) assert.notEqual(valueAt(settings, path), '', path);
});

test('a change holds what differs and nothing else', () => {
  const drafts = new Map<string, boolean | string | readonly string[]>([
    ['bodies.keep', true],
    ['bodies.redact', true],
    ['chat_reasoning', 'strip'],
    ['analytics.metadata_keys', ['team', 'app']],
  ]);
  assert.deepEqual(settingsChange(settings, drafts), {
    bodies: { keep: true },
    analytics: { metadata_keys: ['team', 'app'] },
  });
  assert.equal(settingsChange(settings, new Map([['bodies.redact', true]])), null);
});

test('a list is read from lines or from commas', () => {
  assert.deepEqual(linesOf(' team,\n app \n\n'), ['team', 'app']);
});
