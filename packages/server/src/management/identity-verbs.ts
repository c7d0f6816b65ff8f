import type { KeyObject } from 'node:crypto';
import { AuditChainVerifier } from '../platform/audit-chain-verifier.ts';
import { defineVerifyAuditVerb, listAuditAnchorsVerb } from './audit/audit-anchors.ts';
import { defineCheckAuditVerb } from './audit/check-audit.ts';
import { exportAuditVerb } from './audit/export-audit.ts';
import { listAuditVerb } from './audit/list-audit.ts';
import { defineCreateInvitationVerb } from './invitations/create-invitation.ts';
import { listInvitationsVerb } from './invitations/list-invitations.ts';
import { revokeInvitationVerb } from './invitations/revoke-invitation.ts';
import { endOverlapVerb } from './keys/end-overlap.ts';
import { reportLeakedKeyVerb } from './keys/report-leaked-key.ts';
import { defineRotateKeyVerb } from './keys/rotate-key.ts';
import { getMemberVerb } from './members/get-member.ts';
import { listMembersVerb } from './members/list-members.ts';
import type { MemberDependencies } from './members/member-dependencies.ts';
import { listMemberRemovalsVerb, undoMemberRemovalVerb } from './members/member-removals.ts';
import { defineRemoveMemberVerb } from './members/remove-member.ts';
import { updateMemberVerb } from './members/update-member.ts';
import { grantOperatorVerb, listOperatorsVerb, revokeOperatorVerb } from './operators/operator-verbs.ts';
import { defineCreateOrgVerb } from './orgs/create-org.ts';
import { defineGetOrgVerb } from './orgs/get-org.ts';
import { defineUpdateOrgVerb } from './orgs/update-org.ts';
import { createPlatformKeyKind } from './resources/platform-keys.ts';
import { defineResourceVerbs } from './resources/resource-verbs.ts';
import { TEAM_RESOURCE_KIND } from './resources/teams.ts';
import type { GetRunningOrg } from './running-org.ts';
import type { Verb } from './verb.ts';

/** The dependencies of the identity operations. */
export interface IdentityVerbDependencies {
  /** `derivePepper` of the installation's secret key. */
  readonly pepper: KeyObject;
  readonly members: MemberDependencies;
  readonly runningGateway: { readonly getRunningOrg: GetRunningOrg };
}

/** Returns all operations on organizations, members, teams, keys and the audit log. */
export function defineIdentityVerbs({
  pepper,
  members,
  runningGateway,
}: IdentityVerbDependencies): readonly Verb[] {
  const verifier = new AuditChainVerifier();
  return [
    defineGetOrgVerb(runningGateway.getRunningOrg),
    defineUpdateOrgVerb(runningGateway.getRunningOrg),
    defineCreateOrgVerb(pepper),
    listMembersVerb,
    getMemberVerb,
    updateMemberVerb,
    defineRemoveMemberVerb(members),
    listMemberRemovalsVerb,
    undoMemberRemovalVerb,
    listOperatorsVerb,
    grantOperatorVerb,
    revokeOperatorVerb,
    listInvitationsVerb,
    defineCreateInvitationVerb(members),
    revokeInvitationVerb,
    ...defineResourceVerbs(TEAM_RESOURCE_KIND),
    ...defineResourceVerbs(createPlatformKeyKind(pepper)),
    defineRotateKeyVerb(pepper),
    endOverlapVerb,
    reportLeakedKeyVerb,
    listAuditVerb,
    exportAuditVerb,
    defineCheckAuditVerb(verifier),
    listAuditAnchorsVerb,
    defineVerifyAuditVerb(verifier),
  ];
}
