import type { KeyObject } from 'node:crypto';
import { AuditChainVerifier } from '../platform/audit-chain-verifier.ts';
import { defineVerifyAuditAnchorsOperation, listAuditAnchorsOperation } from './audit/audit-anchors.ts';
import { exportAuditLogOperation } from './audit/export-audit-log.ts';
import { listAuditEntriesOperation } from './audit/list-audit-entries.ts';
import { defineVerifyAuditChainOperation } from './audit/verify-audit-chain.ts';
import type { RuleDependencies } from './guardrails/rule-dependencies.ts';
import { defineCreateInvitationOperation } from './invitations/create-invitation.ts';
import { listInvitationsOperation } from './invitations/list-invitations.ts';
import { revokeInvitationOperation } from './invitations/revoke-invitation.ts';
import { endKeyOverlapOperation } from './keys/end-key-overlap.ts';
import { reportLeakedKeyOperation } from './keys/report-leaked-key.ts';
import { defineRotateKeyOperation } from './keys/rotate-key.ts';
import type { GetLoadedOrg } from './loaded-org.ts';
import { getMemberOperation } from './members/get-member.ts';
import { listMembersOperation } from './members/list-members.ts';
import type { MemberDependencies } from './members/member-dependencies.ts';
import { defineRemoveMemberOperation } from './members/remove-member.ts';
import { listRemovedMembersOperation, unblockRemovedMemberOperation } from './members/removed-members.ts';
import { updateMemberOperation } from './members/update-member.ts';
import type { Operation } from './operation.ts';
import {
  grantOperatorRoleOperation,
  listOperatorsOperation,
  revokeOperatorRoleOperation,
} from './operators/operator-operations.ts';
import { defineCreateOrgOperation } from './orgs/create-org.ts';
import { defineGetOrgOperation } from './orgs/get-org.ts';
import { defineUpdateOrgOperation } from './orgs/update-org.ts';
import { createPlatformKeyResourceKind } from './resources/platform-keys.ts';
import { defineResourceOperations } from './resources/resource-operations.ts';
import { TEAM_RESOURCE_KIND } from './resources/teams.ts';

/** The dependencies of the identity operations. */
export interface IdentityOperationDependencies {
  /** `derivePlatformKeyPepper` of the installation's secret key. */
  readonly pepper: KeyObject;
  readonly members: MemberDependencies;
  readonly runningGateway: { readonly getLoadedOrg: GetLoadedOrg };
  readonly rules: Pick<RuleDependencies, 'getFileRules'>;
}

/** Returns all operations on organizations, members, teams, keys and the audit log. */
export function defineIdentityOperations({
  pepper,
  members,
  runningGateway,
  rules,
}: IdentityOperationDependencies): readonly Operation[] {
  const verifier = new AuditChainVerifier();
  return [
    defineGetOrgOperation(runningGateway.getLoadedOrg),
    defineUpdateOrgOperation(runningGateway.getLoadedOrg),
    defineCreateOrgOperation(pepper),
    listMembersOperation,
    getMemberOperation,
    updateMemberOperation,
    defineRemoveMemberOperation(members),
    listRemovedMembersOperation,
    unblockRemovedMemberOperation,
    listOperatorsOperation,
    grantOperatorRoleOperation,
    revokeOperatorRoleOperation,
    listInvitationsOperation,
    defineCreateInvitationOperation(members),
    revokeInvitationOperation,
    ...defineResourceOperations(TEAM_RESOURCE_KIND),
    ...defineResourceOperations(createPlatformKeyResourceKind(pepper, rules)),
    defineRotateKeyOperation(pepper),
    endKeyOverlapOperation,
    reportLeakedKeyOperation,
    listAuditEntriesOperation,
    exportAuditLogOperation,
    defineVerifyAuditChainOperation(verifier),
    listAuditAnchorsOperation,
    defineVerifyAuditAnchorsOperation(verifier),
  ];
}
