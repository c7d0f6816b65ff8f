import type { keyChange, PlatformKey } from '@floe/contract/api/keys';
import { Fault } from '@floe/contract/faults';
import type { Scope } from '@floe/contract/scopes';
import type * as z from 'zod';
import { requireActorScope } from '../../platform/actor.ts';
import { keyRecordOf, platformKeyOf } from '../../platform/stored-key.ts';
import { changeKey, type PlatformKeyRow } from '../../store/platform-keys.ts';
import type { Writer } from '../../store/ports.ts';
import { requireTeam } from '../members/find.ts';
import type { Change, VerbContext } from '../verb.ts';
import { mustBeFree } from './name-in-use.ts';
import { requireOwnNames } from './whose.ts';

/** Milliseconds of a moment to come; null for none. @throws Fault `invalid_request` when it is past */
export function momentAhead(moment: string | null | undefined, nowMs: number): number | null {
  if (moment == null) return null;
  const at = Date.parse(moment);
  if (at <= nowMs) throw new Fault('invalid_request', 'expires_at: is in the past', { param: 'expires_at' });
  return at;
}

/**
 * Gives a stored key other fields; absent ones stay, null clears. Scopes it did not have must be the caller's own.
 *
 * @throws Fault `invalid_request`, `conflict`, `insufficient_scope`, `insufficient_role`
 */
export async function changeFields(
  { orgId, actor, clock, writer }: VerbContext & { readonly writer: Writer },
  row: PlatformKeyRow,
  body: z.output<typeof keyChange>,
): Promise<{ readonly answer: PlatformKey; readonly audit: Change | 'unchanged' }> {
  const now = clock.now();
  if (body.name !== undefined && body.name !== row.name) await mustBeFree(writer, orgId, body.name, now);
  if (body.team !== undefined && body.team !== row.team) await requireTeam(writer, orgId, body.team);
  requireOwnNames(actor, {
    team: body.team === row.team ? null : body.team,
    owner: body.owner === row.owner ? null : body.owner,
  });
  const had: ReadonlySet<Scope> = keyRecordOf(row).scopes;
  for (const scope of body.scopes ?? []) if (!had.has(scope)) requireActorScope(actor, scope);
  const columns = columnsOf(body);
  const before: Readonly<Record<string, unknown>> = { ...row };
  if (Object.entries(columns).every(([name, value]) => (before[name] ?? null) === value))
    return { answer: platformKeyOf(row, now), audit: 'unchanged' };
  const change = { ...columns, updated_at: now, updated_by: actor.id };
  await changeKey(writer, orgId, row.id, change);
  const after = platformKeyOf({ ...row, ...change }, now);
  return { answer: after, audit: { subject: row.id, before: platformKeyOf(row, now), after } };
}

function columnsOf(body: z.output<typeof keyChange>): Partial<PlatformKeyRow> {
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.scopes !== undefined && { scopes_json: JSON.stringify(body.scopes) }),
    ...(body.models !== undefined && { models_json: body.models && JSON.stringify(body.models) }),
    ...(body.paths !== undefined && { paths_json: body.paths?.length ? JSON.stringify(body.paths) : null }),
    ...(body.team !== undefined && { team: body.team }),
    ...(body.owner !== undefined && { owner: body.owner }),
    // A moment that is past ends the key now.
    ...(body.expires_at !== undefined && {
      expires_at: body.expires_at === null ? null : Date.parse(body.expires_at),
    }),
  };
}
