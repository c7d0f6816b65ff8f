import { leakReport } from '@floe/contract/api/keys';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { toPlatformKey } from '../../platform/stored-key.ts';
import { type PlatformKeyRow, updatePlatformKey } from '../../store/platform-keys.ts';
import { defineWriteVerb } from '../verb.ts';
import { requirePlatformKey } from './require-platform-key.ts';

/**
 * Who holds a key may end it: the key itself is the proof, so whoever finds one can act without an account. Of a
 * rotated key only the value that was presented ends. One of floe.yaml stays revoked until the file holds another.
 */
export const reportLeakedKeyVerb = defineWriteVerb({
  name: 'keys.report_leak',
  method: 'POST',
  path: '/api/management/keys/report-leak',
  scope: null,
  roles: [],
  summary: 'Report that the platform key this request is made with has leaked: it is revoked at once',
  body: leakReport,
  answer: z.null(),
  status: 204,
  invalidates: 'keys',
  async run({ orgId, actor, clock, writer }, { body }) {
    if (!actor.key) throw new Fault('insufficient_role', 'Send this with the key that leaked.');
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
    const after = { ...toPlatformKey({ ...row, ...columns }, now), found_in: body?.found_in ?? null };
    return { answer: null, audit: { subject: row.id, before: toPlatformKey(row, now), after } };
  },
});
