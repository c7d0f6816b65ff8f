import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrgSchema } from '@floe/contract/config/org';
import { EXPORTABLE_CONFIG_SECTIONS } from '@floe/contract/exportable-config-sections';
import { DOCUMENT_RESOURCE_KINDS } from './document-resource-kinds.ts';

test('every list of an organization in floe.yaml is applied, compared and exported', () => {
  const org = OrgSchema.parse({ id: 'acme' });
  const lists = Object.entries(org).flatMap(([section, value]) => (Array.isArray(value) ? [section] : []));
  const kinds = DOCUMENT_RESOURCE_KINDS.filter(({ section }) => section.length === 1).map(({ kind }) => kind);
  assert.deepEqual(kinds.toSorted(), lists.toSorted());
  assert.deepEqual(kinds.toSorted(), [...EXPORTABLE_CONFIG_SECTIONS].toSorted());
});
