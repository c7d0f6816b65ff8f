import { idParams } from '@floe/contract/api/page';
import * as z from 'zod';
import { platformKeyOf } from '../../platform/stored-key.ts';
import { revokeKey as revokeStoredKey } from '../../store/platform-keys.ts';
import { writeVerb } from '../verb.ts';
import { changeableKey } from './find.ts';
import { KEY_ROLES, requireOwnKey } from './whose.ts';

export const revokeKey = writeVerb({
  name: 'keys.revoke',
  method: 'DELETE',
  path: '/api/management/keys/{id}',
  scope: 'management',
  roles: KEY_ROLES,
  summary: 'Revoke a platform key for good; its history stays',
  params: idParams,
  answer: z.null(),
  status: 204,
  changes: 'keys',
  async run({ orgId, actor, clock, writer }, { params }) {
    const row = await changeableKey(writer, orgId, params.id);
    requireOwnKey(actor, row);
    const now = clock.now();
    const revokedNow = await revokeStoredKey(writer, orgId, row.id, { by: actor.id, nowMs: now });
    if (!revokedNow) return { answer: null, audit: 'unchanged' };
    const revoked = { ...row, revoked_at: now, updated_at: now, updated_by: actor.id };
    return {
      answer: null,
      audit: { subject: row.id, before: platformKeyOf(row, now), after: platformKeyOf(revoked, now) },
    };
  },
});
