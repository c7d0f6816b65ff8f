import type { KeyObject } from 'node:crypto';
import { createdOrg, orgCreation } from '@floe/contract/api/orgs';
import { Fault } from '@floe/contract/faults';
import { MEMBER_ROLES } from '@floe/contract/roles';
import { createOrgWithOwner } from '../../platform/create-org.ts';
import { DEFAULT_CONFIG_FILE_NAME } from '../../platform/source-location.ts';
import { toMemberResource } from '../../platform/stored-member.ts';
import { toPlatformKeyResource } from '../../platform/stored-platform-key.ts';
import { defineWriteOperation, type Operation } from '../operation.ts';
import { toOrgResource } from './org-resource.ts';

/** Defines the operation that creates another organization. The caller becomes its first owner. */
export function defineCreateOrgOperation(pepper: KeyObject): Operation {
  return defineWriteOperation({
    name: 'orgs.create',
    method: 'POST',
    path: '/api/management/orgs',
    scope: 'management',
    roles: MEMBER_ROLES,
    requiresOperator: true,
    allowsPlatformKeys: false,
    requiresStepUp: true,
    summary:
      'Create an organization; requires an operator of the installation, who becomes the owner of the organization',
    body: orgCreation,
    answer: createdOrg,
    status: 201,
    // A repetition fails because the id is taken. The value of the key is not stored, so it cannot be
    // returned again.
    handlesIdempotency: true,
    invalidates: 'keys',
    async run({ actor, clock, writer }, { body }) {
      const { member } = actor;
      if (!member)
        throw new Fault(
          'insufficient_role',
          'Only a signed-in operator of the installation can create an organization.',
        );
      const now = clock.now();
      const { id, name = id, timezone } = body;
      const settings = { id, name, timezone, userId: member.userId };
      const created = await createOrgWithOwner(writer, pepper, settings, { by: actor.id, nowMs: now });
      const after = toOrgResource(created.row, {
        config: null,
        isInFile: false,
        fileName: DEFAULT_CONFIG_FILE_NAME,
      });
      const key = toPlatformKeyResource(created.key.row, now);
      const inNewOrg = { before: null, orgId: body.id };
      return {
        answer: { ...after, key: { ...key, key: created.key.key } },
        audit: { subject: body.id, before: null, after },
        additionalChanges: [
          { ...inNewOrg, action: 'orgs.create', subject: body.id, after },
          {
            ...inNewOrg,
            action: 'members.create',
            subject: created.owner.id,
            after: toMemberResource(created.owner),
          },
          { ...inNewOrg, action: 'keys.create', subject: key.id, after: key },
        ],
      };
    },
  });
}
