import { leakReport } from '@floe/contract/api/keys';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { toPlatformKeyResource } from '../../platform/stored-platform-key.ts';
import { type PlatformKeyRow, updatePlatformKey } from '../../store/platform-keys.ts';
import { defineWriteOperation } from '../operation.ts';
import { requirePlatformKey } from './require-platform-key.ts';

/**
 * The operation that revokes the key that the request is authenticated with. The key itself is the
 * proof, so the person who found it needs no account. For a rotated key, only the presented value
 * is revoked. A key from floe.yaml stays revoked until the file has another value.
 */
export const reportLeakedKeyOperation = defineWriteOperation({
  name: 'keys.report_leak',
  method: 'POST',
  path: '/api/management/keys/report-leak',
  scope: null,
  roles: [],
  summary:
    'Report the platform key of this request as leaked; the key is revoked immediately, or only its previous value if the request contains the previous value of a rotated key',
  body: leakReport,
  answer: z.null(),
  status: 204,
  invalidates: 'keys',
  async run({ orgId, actor, clock, writer }, { body }) {
    if (!actor.key)
      throw new Fault(
        'insufficient_role',
        'This request is not authenticated with a platform key. To report a leaked key, use the leaked key to authenticate the request.',
      );
    const row = await requirePlatformKey(writer, orgId, actor.id);
    const now = clock.now();
    const columns: Partial<PlatformKeyRow> = {
      ...(actor.key.hash === row.previous_hash
        ? { previous_until: now }
        : { revoked_at: row.revoked_at ?? now, leaked_at: now }),
      updated_at: now,
      updated_by: actor.id,
    };
    await updatePlatformKey(writer, orgId, row.id, columns);
    const after = { ...toPlatformKeyResource({ ...row, ...columns }, now), found_in: body?.found_in ?? null };
    return { answer: null, audit: { subject: row.id, before: toPlatformKeyResource(row, now), after } };
  },
});
