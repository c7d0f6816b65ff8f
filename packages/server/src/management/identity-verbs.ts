import type { KeyObject } from 'node:crypto';
import { AuditChains } from '../platform/audit-chains.ts';
import { listAnchors, verifyAudit } from './audit/anchors.ts';
import { checkAudit } from './audit/check.ts';
import { exportAudit } from './audit/export.ts';
import { listAudit } from './audit/list.ts';
import { createInvitation } from './invitations/create.ts';
import { listInvitations } from './invitations/list.ts';
import { revokeInvitation } from './invitations/revoke.ts';
import { reportLeak } from './keys/report-leak.ts';
import { rotateKey } from './keys/rotate.ts';
import { getMember } from './members/get.ts';
import { listMembers } from './members/list.ts';
import type { PeopleHost } from './members/people-host.ts';
import { listRemovals, undoRemoval } from './members/removals.ts';
import { removeMember } from './members/remove.ts';
import { updateMember } from './members/update.ts';
import { grantOperator, listOperators, revokeOperator } from './operators/operators.ts';
import { createOrg } from './orgs/create.ts';
import { getOrg } from './orgs/get.ts';
import { updateOrg } from './orgs/update.ts';
import { platformKeys } from './resources/keys.ts';
import { TEAMS } from './resources/teams.ts';
import { resourceVerbs } from './resources/verbs.ts';
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
