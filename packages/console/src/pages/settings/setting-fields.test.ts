import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  getSettingValue,
  type OrgSettingsResource,
  SETTING_GROUPS,
  toSettingsFormValues,
  toSettingsPatch,
} from './setting-fields.ts';

const settings: OrgSettingsResource = {
  chat_reasoning: 'strip',
  stored_responses: true,
  resource_scope: 'key',
  analytics: { metadata_keys: ['team'] },
  attribution: { user_headers: [] },
  monitoring: { grace_period_minutes: 5 },
  bodies: { keep: false, redact: true },
  passthrough: { a: [], b: [] },
  ide: { error_profile: true, freeform_tools: 'function', capture: false },
  relay: {
    mode: 'observe',
    ask_fallback: 'deny',
    offline: 'decide',
    self_tamper: 'enforce',
    approvals: { enabled: false, expires_minutes: 10 },
    keep_text: 'masked',
  },
  sources: {},
};

test('every field of the page is a setting in the API', () => {
  for (const { fields } of Object.values(SETTING_GROUPS).flat())
    for (const { path } of fields) assert.notEqual(getSettingValue(settings, path), '', path);
});

test('a change contains only the values that differ', () => {
  const form = toSettingsFormValues('data', settings);
  assert.deepEqual(toSettingsPatch(settings, form), {});
  const changed = { ...form, 'bodies.keep': true, 'analytics.metadata_keys': ['team', 'app'] };
  assert.deepEqual(toSettingsPatch(settings, changed), {
    bodies: { keep: true },
    analytics: { metadata_keys: ['team', 'app'] },
  });
  assert.deepEqual(toSettingsPatch(settings, { chat_reasoning: 'forward' }), { chat_reasoning: 'forward' });
});
