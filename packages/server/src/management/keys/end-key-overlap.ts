import { platformKeyResource } from '@floe/contract/api/keys';
import { idParams } from '@floe/contract/api/page';
import { toPlatformKeyResource } from '../../platform/stored-platform-key.ts';
import { updatePlatformKey } from '../../store/platform-keys.ts';
import { defineWriteOperation } from '../operation.ts';
import { KEY_EDITOR_ROLES, requireChangeableKey } from './key-owner.ts';
import { requirePlatformKey } from './require-platform-key.ts';

/**
 * The operation that ends the overlap of a rotated key. The previous value is then invalid.
 * Changes nothing if there is no overlap.
 */
export const endKeyOverlapOperation = defineWriteOperation({
  name: 'keys.end_overlap',
  method: 'POST',
  path: '/api/management/keys/{id}/end-overlap',
  scope: 'management',
  roles: KEY_EDITOR_ROLES,
  summary: 'Revoke the previous value of a rotated platform key immediately; the current value remains valid',
  params: idParams,
  answer: platformKeyResource,
  status: 200,
  invalidates: 'keys',
  async run({ orgId, actor, clock, writer }, { params }) {
    const row = await requirePlatformKey(writer, orgId, params.id);
    requireChangeableKey(row, actor);
    const now = clock.now();
    const before = toPlatformKeyResource(row, now);
    if (before.previous === null) return { answer: before, audit: 'unchanged' };
    const columns = { previous_until: now, updated_at: now, updated_by: actor.id };
    await updatePlatformKey(writer, orgId, row.id, columns);
    const after = toPlatformKeyResource({ ...row, ...columns }, now);
    return { answer: after, audit: { subject: row.id, before, after } };
  },
});
