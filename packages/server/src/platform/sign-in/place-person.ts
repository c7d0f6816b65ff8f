import { type Role, roleOf, strongerRole } from '@floe/contract/roles';
import { newId } from '../../core/ids.ts';
import { deleteGrants, type GrantRow, grantsOf, orgsThatRemoved, putGrant } from '../../store/grants.ts';
import {
  changeMember,
  deleteMember,
  insertMember,
  type MemberRow,
  membershipsOf,
  userById,
} from '../../store/members.ts';
import { allOrgs } from '../../store/orgs.ts';
import type { Writer } from '../../store/ports.ts';
import { deleteSessionsIn } from '../../store/sessions.ts';
import { isLastOwner } from '../members.ts';
import { narrowOwnKeys, revokeOwnKeys } from '../own-keys.ts';
import { recordSignIn } from './audit.ts';
import type { SignInParts } from './sign-in.ts';

/** A place as groups give it; `org` null stands for the only one. */
export interface GivenPlace {
  readonly org: string | null;
  readonly role: Role;
  readonly team: string | null;
}

type Parts = Pick<SignInParts, 'clock' | 'auth'>;

/**
 * Writes down what an issuer's groups grant a person now. A membership that groups gave has the strongest role of all
 * issuers' grants: an issuer changes its own grant only, and one that is not configured any more grants nothing. A
 * membership without a grant ends. What members gave by hand stays, so does the last owner of an org, and nobody comes back
 * to an org that removed them.
 */
export async function placePerson(
  parts: Parts,
  writer: Writer,
  who: { readonly userId: string; readonly issuer: string },
  places: readonly GivenPlace[],
): Promise<void> {
  const orgs = await allOrgs(writer);
  const removedFrom = await orgsThatRemoved(writer, who.userId);
  const given = new Map<string, GivenPlace>();
  for (const place of places) {
    const orgId = place.org ?? (orgs.length === 1 ? orgs[0]?.id : undefined);
    if (orgId === undefined || removedFrom.has(orgId) || !orgs.some(({ id }) => id === orgId)) continue;
    given.set(orgId, place);
  }
  const members = await membershipsOf(writer, who.userId);
  const grants = await grantsOf(writer, who.userId);
  const isAsked = (name: string) =>
    name !== who.issuer && parts.auth().oidc.some((oidc) => oidc.name === name);
  for (const [orgId, place] of given)
    if (!members.some((row) => row.org_id === orgId)) await join(parts, writer, { ...who, orgId }, place);
  for (const member of members) {
    if (member.source !== 'oidc') continue;
    const before = grants.filter((grant) => grant.org_id === member.org_id);
    const others = before.filter(({ issuer }) => isAsked(issuer));
    const place = given.get(member.org_id);
    const own = place ? [grantOf({ ...who, orgId: member.org_id }, place)] : [];
    await regrant(parts, writer, { member, before, after: [...others, ...own], issuer: who.issuer });
  }
}

interface Joining {
  readonly userId: string;
  readonly issuer: string;
  readonly orgId: string;
}

function grantOf({ userId, issuer, orgId }: Joining, { role, team }: GivenPlace): GrantRow {
  return { org_id: orgId, user_id: userId, issuer, role, team };
}

async function join({ clock }: Parts, writer: Writer, who: Joining, place: GivenPlace): Promise<void> {
  const { role, team } = place;
  const { userId, issuer, orgId } = who;
  const now = clock.now();
  const id = newId('mem', now);
  const times = { created_at: now, updated_at: now, updated_by: `oidc ${issuer}` };
  await insertMember(writer, { id, user_id: userId, org_id: orgId, role, team, source: 'oidc', ...times });
  await putGrant(writer, grantOf(who, place));
  await recordSignIn(writer, clock, {
    orgId,
    actor: `oidc ${issuer}`,
    action: 'members.create',
    subject: id,
    after: { role, team },
  });
}

interface Regrant {
  readonly member: MemberRow;
  readonly before: readonly GrantRow[];
  readonly after: readonly GrantRow[];
  /** Who says so. */
  readonly issuer: string;
}

async function regrant(parts: Parts, writer: Writer, change: Regrant): Promise<void> {
  const { member, before, after, issuer } = change;
  const strongest = strongestOf(after);
  if (strongest?.role !== 'owner' && (await isLastOwner(writer, member))) return;
  const isSame = JSON.stringify(shown(before)) === JSON.stringify(shown(after));
  if (!isSame) {
    await deleteGrants(writer, member.org_id, member.user_id);
    for (const grant of after) await putGrant(writer, grant);
  }
  if (!strongest) return leave(parts, writer, member, issuer);
  const { role, team } = strongest;
  if (isSame && member.role === role && member.team === team) return;
  const by = `oidc ${issuer}`;
  await changeMember(writer, member.org_id, member.id, {
    role,
    team,
    updated_at: parts.clock.now(),
    updated_by: by,
  });
  await recordSignIn(writer, parts.clock, {
    orgId: member.org_id,
    actor: by,
    action: 'members.update',
    subject: member.id,
    before: { role: member.role, team: member.team, grants: shown(before) },
    after: { role, team, grants: shown(after) },
  });
  if (member.role !== role) await fitKeys(parts, writer, member, { role: roleOf(role), by });
}

/** The role of a membership is that of its strongest grant, and so is the team. */
function strongestOf(grants: readonly GrantRow[]): GrantRow | undefined {
  return grants.reduce<GrantRow | undefined>((best, grant) => {
    if (!best) return grant;
    const [one, other] = [roleOf(best.role), roleOf(grant.role)];
    return one !== other && strongerRole(one, other) === other ? grant : best;
  }, undefined);
}

/** By issuer, as the audit log shows them. */
function shown(grants: readonly GrantRow[]): Record<string, string> {
  const entries = grants.map(({ issuer, role, team }) => [issuer, team === null ? role : `${role}, ${team}`]);
  return Object.fromEntries(entries.sort(([one = ''], [other = '']) => (one < other ? -1 : 1)));
}

async function leave(parts: Parts, writer: Writer, member: MemberRow, issuer: string): Promise<void> {
  const by = `oidc ${issuer}`;
  await fitKeys(parts, writer, member, { role: null, by });
  await deleteSessionsIn(writer, member.user_id, member.org_id);
  await deleteMember(writer, member.org_id, member.id);
  await recordSignIn(writer, parts.clock, {
    orgId: member.org_id,
    actor: by,
    action: 'members.remove',
    subject: member.id,
    before: { role: member.role, team: member.team },
  });
}

/** Fits the keys that a member made to another role; null: they leave. */
async function fitKeys(
  { clock }: Parts,
  writer: Writer,
  { id, org_id, user_id }: MemberRow,
  { role, by }: { readonly role: Role | null; readonly by: string },
): Promise<void> {
  const user = await userById(writer, user_id);
  if (!user) return;
  const whose = { id, org_id, email: user.email };
  const edit = { by, nowMs: clock.now() };
  const changes =
    role === null ? await revokeOwnKeys(writer, whose, edit) : await narrowOwnKeys(writer, whose, role, edit);
  for (const change of changes) await recordSignIn(writer, clock, { orgId: org_id, actor: by, ...change });
}
