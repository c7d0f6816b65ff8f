import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { teamView } from '../../platform/stored-team.ts';
import { removeTeam, teamUses } from '../../store/teams.ts';
import { writeVerb } from '../verb.ts';
import { existingTeam, mustBeChangeable } from './write.ts';

export const deleteTeam = writeVerb({
  name: 'teams.delete',
  method: 'DELETE',
  path: '/api/management/teams/{id}',
  scope: 'management',
  summary: 'Remove a team that nothing names any more; what it spent stays in analytics',
  params: idParams,
  answer: z.null(),
  status: 204,
  changes: null,
  async run({ orgId, clock, writer }, { params }) {
    const row = mustBeChangeable(await existingTeam(writer, orgId, params.id));
    const uses = Object.entries(await teamUses(writer, orgId, row.id, clock.now()));
    const named = uses.filter(([, count]) => count > 0).map(([what, count]) => `${count} ${what}`);
    if (named.length > 0)
      throw new Fault(
        'conflict',
        `The team "${row.id}" is named by ${named.join(', ')}; change these first.`,
      );
    await removeTeam(writer, orgId, row.id);
    return { answer: null, audit: { subject: row.id, before: teamView(row), after: null } };
  },
});
