import { orgPatch, orgResource } from '@floe/contract/api/orgs';
import { Fault } from '@floe/contract/faults';
import { updateOrgDetails } from '../../store/orgs.ts';
import type { GetLoadedOrg } from '../loaded-org.ts';
import { defineWriteOperation, type Operation } from '../operation.ts';
import { requireOrg, toOrgResource } from './org-resource.ts';

/**
 * Defines the operation that changes the organization's name or time zone (`PATCH
 * /api/management/org`).
 */
export function defineUpdateOrgOperation(getLoadedOrg: GetLoadedOrg): Operation {
  return defineWriteOperation({
    name: 'org.update',
    method: 'PATCH',
    path: '/api/management/org',
    scope: 'management',
    summary: 'Change the name or time zone of the organization',
    body: orgPatch,
    answer: orgResource,
    status: 200,
    invalidates: 'org',
    async run({ orgId, actor, clock, writer }, { body }) {
      const row = await requireOrg(writer, orgId);
      const running = getLoadedOrg(orgId);
      if (running.isInFile)
        throw new Fault(
          'managed_by_file',
          `The organization "${orgId}" is defined in ${running.fileName}. Change it there.`,
        );
      const columns = {
        name: body.name ?? row.name,
        timezone: body.timezone ?? row.timezone ?? null,
        updated_at: clock.now(),
        updated_by: actor.id,
      };
      const before = toOrgResource(row, running);
      const after = toOrgResource({ ...row, ...columns }, running);
      // Setting the default time zone by name is no change.
      if (after.name === before.name && after.timezone === before.timezone)
        return { answer: before, audit: 'unchanged' };
      await updateOrgDetails(writer, orgId, columns);
      return { answer: after, audit: { subject: orgId, before, after } };
    },
  });
}
