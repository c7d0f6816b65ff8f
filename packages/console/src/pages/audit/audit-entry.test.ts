import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '@floe/contract/api/audit';
import { formatActorName, formatAuditEntryTitle, formatFirstChange } from './audit-entry.ts';

const entry: AuditEntry = {
  id: 'aud_1',
  at: '2027-01-01T00:00:00.000Z',
  actor: 'mem_1',
  actor_name: 'Mara Koch',
  actor_kind: 'member',
  action: 'keys.update',
  subject: 'key_1',
  before: { name: 'ci', scopes: ['gateway'], team: null },
  after: { name: 'ci', scopes: ['gateway', 'read'], team: 'search' },
  reason: null,
  ip_address: null,
  session_id: null,
  seq: 7,
  hash: null,
};

test('a change names the action and the resource as it was called then', () => {
  assert.equal(formatAuditEntryTitle(entry), 'Changed key ci');
  assert.equal(
    formatAuditEntryTitle({ ...entry, action: 'policies.delete', after: null }),
    'Deleted policy ci',
  );
  assert.equal(formatAuditEntryTitle({ ...entry, before: null, after: null }), 'Changed key key_1');
  const switched = { ...entry, action: 'sessions.switch_org', subject: 'ses_1', before: null, after: null };
  assert.equal(formatAuditEntryTitle(switched), 'Switched to this organization');
});

test('an entry without a version before is a creation, whatever verb created it', () => {
  const created = { ...entry, before: null, after: { name: 'nightly' } };
  assert.equal(formatAuditEntryTitle({ ...created, action: 'monitors.replace' }), 'Created monitor nightly');
  assert.equal(formatAuditEntryTitle({ ...created, action: 'keys.apply' }), 'Created key nightly');
  assert.equal(formatAuditEntryTitle({ ...created, action: 'sessions.step_up' }), 'Confirmed own identity');
  assert.equal(formatAuditEntryTitle({ ...created, action: 'keys.revoke' }), 'Revoked key nightly');
  assert.equal(
    formatAuditEntryTitle({ ...created, action: 'monitors.replace', before: { name: 'old' } }),
    'Changed monitor nightly',
  );
});

test('an action without a label is shown as recorded', () => {
  assert.equal(formatAuditEntryTitle({ ...entry, action: 'floes.melt' }), 'floes.melt ci');
});

test('a row shows the first changed field and counts the others', () => {
  assert.equal(formatFirstChange(entry), 'scopes: gateway → gateway, read, 1 more');
  assert.equal(formatFirstChange({ ...entry, before: null }), '');
});

test('the configuration file is named as the actor, and an actor without a name by its id', () => {
  assert.equal(formatActorName(entry), 'Mara Koch');
  assert.equal(formatActorName({ ...entry, actor_kind: 'file', actor_name: null }), 'floe.yaml');
  assert.equal(formatActorName({ ...entry, actor_kind: 'key', actor: 'key_9', actor_name: null }), 'key_9');
});

test('the replacement of a credential is named in the entry', () => {
  const version = { name: 'default', tested_at: null };
  const entry = { subject: 'openai/default', before: version };
  const deed = (action: string, after: object) =>
    formatAuditEntryTitle({ ...entry, action, after: { ...version, ...after } });
  assert.equal(deed('credentials.update', { key: 'replaced' }), 'Replaced credential openai/default');
  assert.equal(
    deed('providers.update', { keys_replaced: ['default'] }),
    'Replaced credential openai/default',
  );
  assert.equal(deed('credentials.update', {}), 'Changed credential default');
});
