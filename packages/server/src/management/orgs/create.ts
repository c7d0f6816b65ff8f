import type { KeyObject } from 'node:crypto';
import { createdOrg, orgCreation } from '@floe/contract/api/orgs';
import { Fault } from '@floe/contract/faults';
import { ROLES } from '@floe/contract/roles';
import { SCOPES } from '@floe/contract/scopes';
import { newId } from '../../core/ids.ts';
import { USUAL_FILE } from '../../platform/file-place.ts';
import { makeKey } from '../../platform/make-key.ts';
import { platformKeyOf } from '../../platform/stored-key.ts';
import { memberView } from '../../platform/stored-member.ts';
import { insertMember, type MemberRow, memberWithUser } from '../../store/members.ts';
import { insertOrg, orgById } from '../../store/orgs.ts';
import { insertKey } from '../../store/platform-keys.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { orgView } from './view.ts';

/**
 * A further org in the installation. Who makes it is its first owner, and gets its first key with every scope, shown
 * this once: without it nothing but the console could reach the org.
 */
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
      if (await orgById(writer, body.id))
        throw new Fault('conflict', `An organization has the id "${body.id}"; choose another.`, {
          param: 'id',
        });
      const now = clock.now();
      const row = { id: body.id, name: body.name ?? body.id, timezone: body.timezone, created_at: now };
      await insertOrg(writer, row);
      const owner = firstOwner(body.id, member.userId, actor.id, now);
      await insertMember(writer, owner);
      const made = makeKey(pepper, {
        orgId: body.id,
        name: 'first',
        scopes: SCOPES,
        by: owner.id,
        nowMs: now,
      });
      await insertKey(writer, made.row);
      const after = orgView(
        { ...row, metadata_keys_json: null },
        { config: null, isInFile: false, fileName: USUAL_FILE },
      );
      const key = platformKeyOf(made.row, now);
      const first = await memberWithUser(writer, body.id, owner.id);
      const there = { before: null, orgId: body.id };
      return {
        answer: { ...after, key: { ...key, key: made.key } },
        audit: { subject: body.id, before: null, after },
        further: [
          { ...there, action: 'orgs.create', subject: body.id, after },
          { ...there, action: 'members.create', subject: owner.id, after: first ? memberView(first) : null },
          { ...there, action: 'keys.create', subject: key.id, after: key },
        ],
      };
    },
  });
}

function firstOwner(orgId: string, userId: string, by: string, now: number): MemberRow {
  const membership = { id: newId('mem', now), org_id: orgId, user_id: userId, team: null };
  return { ...membership, role: 'owner', source: 'setup', created_at: now, updated_at: now, updated_by: by };
}
