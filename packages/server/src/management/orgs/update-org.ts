import { org, orgChange } from '@floe/contract/api/orgs';
import { Fault } from '@floe/contract/faults';
import { changeOrg } from '../../store/orgs.ts';
import type { RunningOrgs } from '../running-org.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { existingOrg, orgView } from './org-answer.ts';

export function updateOrg(orgs: RunningOrgs): Verb {
  return writeVerb({
    name: 'org.update',
    method: 'PATCH',
    path: '/api/management/org',
    scope: 'management',
    summary: 'Change the name or the time zone of the organization',
    body: orgChange,
    answer: org,
    status: 200,
    changes: 'org',
    async run({ orgId, actor, clock, writer }, { body }) {
      const row = await existingOrg(writer, orgId);
      const running = orgs(orgId);
      if (running.isInFile)
        throw new Fault(
          'managed_by_file',
          `The organization "${orgId}" stands in ${running.fileName}; change it there.`,
        );
      const columns = {
        name: body.name ?? row.name,
        timezone: body.timezone ?? row.timezone ?? null,
        updated_at: clock.now(),
        updated_by: actor.id,
      };
      const before = orgView(row, running);
      const after = orgView({ ...row, ...columns }, running);
      // The default zone, given by name, is the one it has.
      if (after.name === before.name && after.timezone === before.timezone)
        return { answer: before, audit: 'unchanged' };
      await changeOrg(writer, orgId, columns);
      return { answer: after, audit: { subject: orgId, before, after } };
    },
  });
}
