import type { KeyObject } from 'node:crypto';
import { createdOrg, orgCreation } from '@floe/contract/api/orgs';
import { Fault } from '@floe/contract/faults';
import { ROLES } from '@floe/contract/roles';
import { USUAL_FILE } from '../../platform/file-place.ts';
import { makeOrg } from '../../platform/new-org.ts';
import { platformKeyOf } from '../../platform/stored-key.ts';
import { memberView } from '../../platform/stored-member.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { orgView } from './org-answer.ts';

/** Who makes a further org is its first owner. */
export function createOrg(pepper: KeyObject): Verb {
  return writeVerb({
    name: 'orgs.create',
    method: 'POST',
    path: '/api/management/orgs',
    scope: 'management',
    roles: ROLES,
    operator: true,
    keys: false,
    stepUp: true,
    summary:
      'Create a further organization, as an operator of the installation; the caller becomes its owner',
    body: orgCreation,
    answer: createdOrg,
    status: 201,
    // A repetition meets the id; the key's value is kept nowhere to be told again.
    idempotent: true,
    changes: 'keys',
    async run({ actor, clock, writer }, { body }) {
      const { member } = actor;
      if (!member)
        throw new Fault('insufficient_role', 'Only an operator who is signed in can create an organization.');
      const now = clock.now();
      const { id, name = id, timezone } = body;
      const wanted = { id, name, timezone, userId: member.userId };
      const made = await makeOrg(writer, pepper, wanted, { by: actor.id, nowMs: now });
      const after = orgView(made.row, { config: null, isInFile: false, fileName: USUAL_FILE });
      const key = platformKeyOf(made.key.row, now);
      const there = { before: null, orgId: body.id };
      return {
        answer: { ...after, key: { ...key, key: made.key.key } },
        audit: { subject: body.id, before: null, after },
        further: [
          { ...there, action: 'orgs.create', subject: body.id, after },
          { ...there, action: 'members.create', subject: made.owner.id, after: memberView(made.owner) },
          { ...there, action: 'keys.create', subject: key.id, after: key },
        ],
      };
    },
  });
}
