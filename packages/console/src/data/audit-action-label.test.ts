import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAuditAction } from './audit-action-label.ts';

test('viewing the bodies of a request is described in words', () => {
  assert.equal(formatAuditAction('requests.bodies', 'exc_1'), 'Viewed the bodies of request exc_1');
});
