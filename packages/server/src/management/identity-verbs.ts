import type { KeyObject } from 'node:crypto';
import { AuditChains } from '../platform/audit-chains.ts';
import { listAnchors, verifyAudit } from './audit/audit-anchors.ts';
import { checkAudit } from './audit/check-audit.ts';
import { exportAudit } from './audit/export-audit.ts';
import { listAudit } from './audit/list-audit.ts';
import { createInvitation } from './invitations/create-invitation.ts';
import { listInvitations } from './invitations/list-invitations.ts';
import { revokeInvitation } from './invitations/revoke-invitation.ts';
import { reportLeak } from './keys/report-leaked-key.ts';
import { rotateKey } from './keys/rotate-key.ts';
import { getMember } from './members/get-member.ts';
import { listMembers } from './members/list-members.ts';
import { listRemovals, undoRemoval } from './members/member-removals.ts';
import type { PeopleHost } from './members/people-host.ts';
import { removeMember } from './members/remove-member.ts';
import { updateMember } from './members/update-member.ts';
import { grantOperator, listOperators, revokeOperator } from './operators/operators.ts';
import { createOrg } from './orgs/create-org.ts';
import { getOrg } from './orgs/get-org.ts';
import { updateOrg } from './orgs/update-org.ts';
import { platformKeys } from './resources/keys.ts';
import { resourceVerbs } from './resources/resource-verbs.ts';
import { TEAMS } from './resources/teams.ts';
import type { RunningOrgs } from './running-org.ts';
import type { Verb } from './verb.ts';

/** What verbs about identities stand on. */
export interface IdentityParts {
  /** `derivePepper` of the installation's secret key. */
  readonly pepper: KeyObject;
  readonly people: PeopleHost;
  readonly running: { readonly orgs: RunningOrgs };
}

/** Orgs, people, teams, keys and the audit log. */
export function identityVerbs({ pepper, people, running }: IdentityParts): readonly Verb[] {
  const chains = new AuditChains();
  return [
    getOrg(running.orgs),
    updateOrg(running.orgs),
    createOrg(pepper),
    listMembers,
    getMember,
    updateMember,
    removeMember(people),
    listRemovals,
    undoRemoval,
    listOperators,
    grantOperator,
    revokeOperator,
    listInvitations,
    createInvitation(people),
    revokeInvitation,
    ...resourceVerbs(TEAMS),
    ...resourceVerbs(platformKeys(pepper)),
    rotateKey(pepper),
    reportLeak,
    listAudit,
    exportAudit,
    checkAudit(chains),
    listAnchors,
    verifyAudit(chains),
  ];
}
