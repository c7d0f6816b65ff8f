import { type MemberRole, parseMemberRole, selectStrongerRole } from '@floe/contract/roles';
import { createId } from '../../core/ids.ts';
import { deleteConsoleSessionsOfUserInOrg } from '../../store/console-sessions.ts';
import {
  deleteMemberRoleGrants,
  listMemberRoleGrants,
  listOrgIdsOfMemberRemovals,
  type MemberRoleGrantRow,
  upsertMemberRoleGrant,
} from '../../store/member-role-grants.ts';
import {
  deleteMember,
  findUserById,
  insertMember,
  listMembershipsOfUser,
  type MemberRow,
  updateMember,
} from '../../store/members.ts';
import { listOrgs } from '../../store/orgs.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';
import type { GroupMappedMembership } from '../group-mapping.ts';
import { restrictMemberKeys, revokeMemberKeys } from '../member-keys.ts';
import { isLastOwnerOfOrg } from '../members.ts';
import { auditAccountEvent } from './audit-account-event.ts';
import type { SignInContext } from './sign-in-context.ts';

type GrantContext = Pick<SignInContext, 'clock' | 'auth'>;

/**
 * Stores the memberships that an issuer's groups currently grant. If several issuers grant a membership, it
 * has the granted role with the most permissions. An issuer changes only its own grants, and a removed issuer grants
 * nothing. A membership ends when no issuer grants it. Memberships that members assigned do not
 * change. The last owner of an organization is not removed, and a removed member is not added again.
 */
export async function applyGroupGrants(
  context: GrantContext,
  writer: DatabaseWriter,
  who: { readonly userId: string; readonly issuer: string },
  places: readonly GroupMappedMembership[],
): Promise<void> {
  const orgs = await listOrgs(writer);
  const removedFrom = await listOrgIdsOfMemberRemovals(writer, who.userId);
  const given = new Map<string, GroupMappedMembership>();
  for (const place of places) {
    const orgId = place.org ?? (orgs.length === 1 ? orgs[0]?.id : undefined);
    if (orgId === undefined || removedFrom.has(orgId) || !orgs.some(({ id }) => id === orgId)) continue;
    given.set(orgId, place);
  }
  const members = await listMembershipsOfUser(writer, who.userId);
  const grants = await listMemberRoleGrants(writer, who.userId);
  const isAsked = (name: string) =>
    name !== who.issuer && context.auth().oidc.some((oidc) => oidc.name === name);
  for (const [orgId, place] of given)
    if (!members.some((row) => row.org_id === orgId))
      await addMember(context, writer, { ...who, orgId }, place);
  for (const member of members) {
    if (member.source !== 'oidc') continue;
    const before = grants.filter((grant) => grant.org_id === member.org_id);
    const others = before.filter(({ issuer }) => isAsked(issuer));
    const place = given.get(member.org_id);
    const own = place ? [toGrantRow({ ...who, orgId: member.org_id }, place)] : [];
    await updateGrants(context, writer, { member, before, after: [...others, ...own], issuer: who.issuer });
  }
}

interface Membership {
  readonly userId: string;
  readonly issuer: string;
  readonly orgId: string;
}

function toGrantRow(
  { userId, issuer, orgId }: Membership,
  { role, team }: GroupMappedMembership,
): MemberRoleGrantRow {
  return { org_id: orgId, user_id: userId, issuer, role, team };
}

async function addMember(
  { clock }: GrantContext,
  writer: DatabaseWriter,
  who: Membership,
  place: GroupMappedMembership,
): Promise<void> {
  const { role, team } = place;
  const { userId, issuer, orgId } = who;
  const now = clock.now();
  const id = createId('mem', now);
  const times = { created_at: now, updated_at: now, updated_by: `oidc ${issuer}` };
  await insertMember(writer, { id, user_id: userId, org_id: orgId, role, team, source: 'oidc', ...times });
  await upsertMemberRoleGrant(writer, toGrantRow(who, place));
  await auditAccountEvent(writer, clock, {
    orgId,
    actor: `oidc ${issuer}`,
    action: 'members.create',
    subject: id,
    after: { role, team },
  });
}

interface GrantChange {
  readonly member: MemberRow;
  readonly before: readonly MemberRoleGrantRow[];
  readonly after: readonly MemberRoleGrantRow[];
  /** Name of the issuer. */
  readonly issuer: string;
}

async function updateGrants(
  context: GrantContext,
  writer: DatabaseWriter,
  change: GrantChange,
): Promise<void> {
  const { member, before, after, issuer } = change;
  const strongest = strongestGrant(after);
  if (strongest?.role !== 'owner' && (await isLastOwnerOfOrg(writer, member))) return;
  const isSame = JSON.stringify(grantsForAudit(before)) === JSON.stringify(grantsForAudit(after));
  if (!isSame) {
    await deleteMemberRoleGrants(writer, member.org_id, member.user_id);
    for (const grant of after) await upsertMemberRoleGrant(writer, grant);
  }
  if (!strongest) return removeMember(context, writer, member, issuer);
  const { role, team } = strongest;
  if (isSame && member.role === role && member.team === team) return;
  const by = `oidc ${issuer}`;
  await updateMember(writer, member.org_id, member.id, {
    role,
    team,
    updated_at: context.clock.now(),
    updated_by: by,
  });
  await auditAccountEvent(writer, context.clock, {
    orgId: member.org_id,
    actor: by,
    action: 'members.update',
    subject: member.id,
    before: { role: member.role, team: member.team, grants: grantsForAudit(before) },
    after: { role, team, grants: grantsForAudit(after) },
  });
  if (member.role !== role)
    await adjustMemberKeys(context, writer, member, { role: parseMemberRole(role), by });
}

/** The grant whose role has the most permissions. It also determines the team. */
function strongestGrant(grants: readonly MemberRoleGrantRow[]): MemberRoleGrantRow | undefined {
  return grants.reduce<MemberRoleGrantRow | undefined>((best, grant) => {
    if (!best) return grant;
    const [one, other] = [parseMemberRole(best.role), parseMemberRole(grant.role)];
    return one !== other && selectStrongerRole(one, other) === other ? grant : best;
  }, undefined);
}

/** Roles by issuer, as the audit log shows them. */
function grantsForAudit(grants: readonly MemberRoleGrantRow[]): Record<string, string> {
  const entries = grants.map(({ issuer, role, team }) => [issuer, team === null ? role : `${role}, ${team}`]);
  return Object.fromEntries(entries.sort(([one = ''], [other = '']) => (one < other ? -1 : 1)));
}

async function removeMember(
  context: GrantContext,
  writer: DatabaseWriter,
  member: MemberRow,
  issuer: string,
): Promise<void> {
  const by = `oidc ${issuer}`;
  await adjustMemberKeys(context, writer, member, { role: null, by });
  await deleteConsoleSessionsOfUserInOrg(writer, member.user_id, member.org_id);
  await deleteMember(writer, member.org_id, member.id);
  await auditAccountEvent(writer, context.clock, {
    orgId: member.org_id,
    actor: by,
    action: 'members.remove',
    subject: member.id,
    before: { role: member.role, team: member.team },
  });
}

/** Restricts the keys of a member to another role, or revokes them if the role is null. */
async function adjustMemberKeys(
  { clock }: GrantContext,
  writer: DatabaseWriter,
  { id, org_id, user_id }: MemberRow,
  { role, by }: { readonly role: MemberRole | null; readonly by: string },
): Promise<void> {
  const user = await findUserById(writer, user_id);
  if (!user) return;
  const whose = { id, org_id, email: user.email };
  const edit = { by, nowMs: clock.now() };
  const changes =
    role === null
      ? await revokeMemberKeys(writer, whose, edit)
      : await restrictMemberKeys(writer, whose, role, edit);
  for (const change of changes)
    await auditAccountEvent(writer, clock, { orgId: org_id, actor: by, ...change });
}
