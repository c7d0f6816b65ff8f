import type { KeyObject } from 'node:crypto';
import { AuditChainVerifier } from '../platform/audit-chain-verifier.ts';
import { listAuditAnchorsVerb, verifyAuditVerb } from './audit/audit-anchors.ts';
import { checkAuditVerb } from './audit/check-audit.ts';
import { exportAuditVerb } from './audit/export-audit.ts';
import { listAuditVerb } from './audit/list-audit.ts';
import { createInvitationVerb } from './invitations/create-invitation.ts';
import { listInvitationsVerb } from './invitations/list-invitations.ts';
import { revokeInvitationVerb } from './invitations/revoke-invitation.ts';
import { endOverlapVerb } from './keys/end-overlap.ts';
import { reportLeakedKeyVerb } from './keys/report-leaked-key.ts';
import { rotateKeyVerb } from './keys/rotate-key.ts';
import { getMemberVerb } from './members/get-member.ts';
import { listMembersVerb } from './members/list-members.ts';
import type { MemberDependencies } from './members/member-dependencies.ts';
import { listMemberRemovalsVerb, undoMemberRemovalVerb } from './members/member-removals.ts';
import { removeMemberVerb } from './members/remove-member.ts';
import { updateMemberVerb } from './members/update-member.ts';
import { grantOperatorVerb, listOperatorsVerb, revokeOperatorVerb } from './operators/operator-verbs.ts';
import { createOrgVerb } from './orgs/create-org.ts';
import { getOrgVerb } from './orgs/get-org.ts';
import { updateOrgVerb } from './orgs/update-org.ts';
import { createPlatformKeyKind } from './resources/platform-keys.ts';
import { resourceVerbs } from './resources/resource-verbs.ts';
import { TEAM_RESOURCE_KIND } from './resources/teams.ts';
import type { GetRunningOrg } from './running-org.ts';
import type { Verb } from './verb.ts';

/** Dependencies of the identity verbs. */
export interface IdentityVerbDependencies {
  /** `derivePepper` of the installation's secret key. */
  readonly pepper: KeyObject;
  readonly members: MemberDependencies;
  readonly runningGateway: { readonly getRunningOrg: GetRunningOrg };
}

/** All verbs for orgs, members, teams, keys and the audit log. */
export function identityVerbs({
  pepper,
  members,
  runningGateway,
}: IdentityVerbDependencies): readonly Verb[] {
  const verifier = new AuditChainVerifier();
  return [
    getOrgVerb(runningGateway.getRunningOrg),
    updateOrgVerb(runningGateway.getRunningOrg),
    createOrgVerb(pepper),
    listMembersVerb,
    getMemberVerb,
    updateMemberVerb,
    removeMemberVerb(members),
    listMemberRemovalsVerb,
    undoMemberRemovalVerb,
    listOperatorsVerb,
    grantOperatorVerb,
    revokeOperatorVerb,
    listInvitationsVerb,
    createInvitationVerb(members),
    revokeInvitationVerb,
    ...resourceVerbs(TEAM_RESOURCE_KIND),
    ...resourceVerbs(createPlatformKeyKind(pepper)),
    rotateKeyVerb(pepper),
    endOverlapVerb,
    reportLeakedKeyVerb,
    listAuditVerb,
    exportAuditVerb,
    checkAuditVerb(verifier),
    listAuditAnchorsVerb,
    verifyAuditVerb(verifier),
  ];
}
