import { me, meChange, type me as meSchema, type Permission } from '@floe/contract/api/me';
import { Fault } from '@floe/contract/faults';
import { ROLES } from '@floe/contract/roles';
import type * as z from 'zod';
import type { Actor, SignedInMember } from '../platform/actor.ts';
import { standingsIn } from '../platform/sign-in/standing.ts';
import { platformKeyOf } from '../platform/stored-key.ts';
import { changeUser, type UserRow, userById } from '../store/members.ts';
import { orgById } from '../store/orgs.ts';
import { keyById } from '../store/platform-keys.ts';
import type { Reader } from '../store/ports.ts';
import { standingOf } from '../store/sessions.ts';
import { permissionOf } from './access.ts';
import { readVerb, type Verb, type VerbContext, writeVerb } from './verb.ts';

type Me = z.input<typeof meSchema>;

/** @param all every verb of the API, once they are all there */
export function meVerbs(all: () => readonly Verb[]): readonly Verb[] {
  const can = (actor: Actor, nowMs: number): Record<string, Permission> =>
    Object.fromEntries(all().map((verb) => [verb.name, permissionOf(verb, actor, nowMs)]));
  return [getMe(can), updateMe(can)];
}

type Can = (actor: Actor, nowMs: number) => Record<string, Permission>;

function getMe(can: Can): Verb {
  return readVerb({
    name: 'me.get',
    method: 'GET',
    path: '/api/me',
    scope: null,
    summary: 'Tell who asks, and what they may do',
    answer: me,
    async run(context) {
      const { actor, orgId, clock, reader } = context;
      if (actor.member) return ofMember(context, reader, actor.member, can);
      const row = await keyById(reader, orgId, actor.id);
      if (!row) throw new Fault('not_found', 'The key that asks is gone.');
      return {
        kind: 'platform_key' as const,
        org: await orgShown(reader, orgId),
        key: platformKeyOf(row, clock.now()),
        can: can(actor, clock.now()),
      };
    },
  });
}

function updateMe(can: Can): Verb {
  return writeVerb({
    name: 'me.update',
    method: 'PATCH',
    path: '/api/me',
    scope: null,
    roles: ROLES,
    keys: false,
    summary: 'Change the own name or what the console remembers',
    body: meChange,
    answer: me,
    status: 200,
    changes: null,
    async run(context, { body }) {
      const { actor, clock, writer } = context;
      const { member } = actor;
      if (!member)
        throw new Fault('insufficient_role', 'Only a member has a name and preferences to change.');
      const user = await existingUser(writer, member.userId);
      await changeUser(writer, user.id, {
        ...(body.name !== undefined && { name: body.name }),
        ...(body.preferences !== undefined && { preferences_json: JSON.stringify(body.preferences) }),
        updated_at: clock.now(),
      });
      const answer = await ofMember(context, writer, member, can);
      // What the console remembers is nobody's business and changes by the minute.
      const renamed = body.name !== undefined && body.name !== user.name;
      const shown = (name: string) => ({ id: user.id, email: user.email, name });
      return {
        answer,
        audit: renamed
          ? { subject: user.id, before: shown(user.name), after: shown(body.name ?? '') }
          : 'unchanged',
      };
    },
  });
}

async function ofMember(
  { actor, orgId, clock }: VerbContext,
  reader: Reader,
  { id, userId, role, team, issuer, isOperator }: SignedInMember,
  can: Can,
): Promise<Me> {
  const user = await existingUser(reader, userId);
  return {
    kind: 'member' as const,
    org: await orgShown(reader, orgId),
    member: { id, user_id: userId, email: user.email, name: user.name, role, team },
    orgs: await orgsOf(reader, userId, issuer),
    operator: isOperator,
    preferences: user.preferences_json === null ? {} : JSON.parse(user.preferences_json),
    can: can(actor, clock.now()),
  };
}

async function orgsOf(reader: Reader, userId: string, issuer: string | null) {
  const standings = standingsIn(await standingOf(reader, userId, issuer), issuer);
  return standings.map(({ memberId, org, role }) => ({ ...org, role, member_id: memberId }));
}

async function existingUser(reader: Reader, id: string): Promise<UserRow> {
  const user = await userById(reader, id);
  if (!user) throw new Fault('not_found', 'The account that asks is gone.');
  return user;
}

async function orgShown(reader: Reader, id: string) {
  const found = await orgById(reader, id);
  if (!found) throw new Fault('not_found', 'The org of who asks is gone.');
  return { id: found.id, name: found.name };
}
