import type { Role } from '@floe/contract/roles';
import { newId } from '../../core/ids.ts';
import {
  changeMember,
  countOwners,
  deleteMember,
  insertMember,
  type MemberRow,
  membershipsOf,
} from '../../store/members.ts';
import { allOrgs } from '../../store/orgs.ts';
import type { Writer } from '../../store/ports.ts';
import { deleteSessionsIn } from '../../store/sessions.ts';
import { recordSignIn } from './audit.ts';
import type { SignInParts } from './sign-in.ts';

/** A place as groups give it; `org` null stands for the only one. */
export interface GivenPlace {
  readonly org: string | null;
  readonly role: Role;
  readonly team: string | null;
}

/**
 * Makes the memberships that an issuer's groups gave what they say now: new ones, other roles and teams, and an end to those
 * without a group. Where several issuers give a place in one org, the last that was asked gives it; none ends what another
 * one gave elsewhere, unless nobody can ask that one any more. What somebody gave by hand stays, and so does the last owner
 * of an org.
 */
export async function placePerson(
  parts: Pick<SignInParts, 'clock' | 'fitKeys' | 'auth'>,
  writer: Writer,
  who: { readonly userId: string; readonly issuer: string },
  places: readonly GivenPlace[],
): Promise<void> {
  const orgs = await allOrgs(writer);
  const given = new Map<string, GivenPlace>();
  for (const place of places) {
    const orgId = place.org ?? (orgs.length === 1 ? orgs[0]?.id : undefined);
    if (orgId !== undefined && orgs.some(({ id }) => id === orgId)) given.set(orgId, place);
  }
  const members = await membershipsOf(writer, who.userId);
  for (const [orgId, place] of given) {
    const member = members.find((row) => row.org_id === orgId);
    if (!member) await join(parts, writer, { ...who, orgId }, place);
    else if (member.source === 'oidc') await change(parts, writer, member, place, who.issuer);
  }
  const isAnothers = ({ issuer }: MemberRow) =>
    issuer !== who.issuer && parts.auth().oidc.some(({ name }) => name === issuer);
  for (const member of members)
    if (member.source === 'oidc' && !given.has(member.org_id) && !isAnothers(member))
      await leave(parts, writer, member, who.issuer);
}

async function join(
  { clock }: Pick<SignInParts, 'clock'>,
  writer: Writer,
  { userId, issuer, orgId }: { readonly userId: string; readonly issuer: string; readonly orgId: string },
  { role, team }: GivenPlace,
): Promise<void> {
  const now = clock.now();
  const id = newId('mem', now);
  const times = { created_at: now, updated_at: now, updated_by: `oidc ${issuer}` };
  const place = { org_id: orgId, role, team, source: 'oidc', issuer };
  await insertMember(writer, { id, user_id: userId, ...place, ...times });
  await recordSignIn(writer, clock, {
    orgId,
    actor: `oidc ${issuer}`,
    action: 'members.create',
    subject: id,
    after: { role, team },
  });
}

async function change(
  parts: Pick<SignInParts, 'clock' | 'fitKeys'>,
  writer: Writer,
  member: MemberRow,
  { role, team }: GivenPlace,
  issuer: string,
): Promise<void> {
  const { clock } = parts;
  if (member.role === role && member.team === team && member.issuer === issuer) return;
  if (role !== 'owner' && (await isLastOwner(writer, member))) return;
  const by = `oidc ${issuer}`;
  const change = { role, team, issuer, updated_at: clock.now(), updated_by: by };
  await changeMember(writer, member.org_id, member.id, change);
  await recordSignIn(writer, clock, {
    orgId: member.org_id,
    actor: by,
    action: 'members.update',
    subject: member.id,
    before: { role: member.role, team: member.team, issuer: member.issuer ?? null },
    after: { role, team, issuer },
  });
  if (member.role !== role) await fitKeys(parts, writer, member, role, by);
}

async function leave(
  parts: Pick<SignInParts, 'clock' | 'fitKeys'>,
  writer: Writer,
  member: MemberRow,
  issuer: string,
): Promise<void> {
  const by = `oidc ${issuer}`;
  if (await isLastOwner(writer, member)) {
    // Where the issuer that gave it is gone, they must not be locked out.
    if (member.issuer !== issuer) await changeMember(writer, member.org_id, member.id, { issuer });
    return;
  }
  await fitKeys(parts, writer, member, null, by);
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

async function fitKeys(
  { clock, fitKeys: fit }: Pick<SignInParts, 'clock' | 'fitKeys'>,
  writer: Writer,
  member: MemberRow,
  role: Role | null,
  actor: string,
): Promise<void> {
  for (const { action, subject, before, after } of await fit(writer, member, role, actor))
    await recordSignIn(writer, clock, {
      orgId: member.org_id,
      actor,
      action,
      subject,
      ...(before && { before }),
      ...(after && { after }),
    });
}

async function isLastOwner(writer: Writer, { role, org_id }: MemberRow): Promise<boolean> {
  return role === 'owner' && (await countOwners(writer, org_id)) === 1;
}
