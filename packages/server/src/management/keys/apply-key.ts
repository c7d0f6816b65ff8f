import type { KeyObject } from 'node:crypto';
import { keyStored, PlatformKeySchema } from '@floe/contract/api/keys';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import { requireActorScope } from '../../platform/actor.ts';
import { spotOf } from '../../platform/file-place.ts';
import { keyHint } from '../../platform/key-format.ts';
import { hashKey } from '../../platform/keyring.ts';
import { makeKey, NOT_ROTATED } from '../../platform/make-key.ts';
import { platformKeyOf } from '../../platform/stored-key.ts';
import {
  insertKey,
  type KeyChange,
  keyByHash,
  type PlatformKeyRow,
  workingKeyNamed,
} from '../../store/platform-keys.ts';
import { NotApplied } from '../config/not-applied.ts';
import { validate } from '../input.ts';
import { requireTeam } from '../members/find-member.ts';
import type { Changed, RawInput, Writing } from '../verb-definition.ts';
import { changedColumns, writeKey } from './key-fields.ts';

type Wanted = z.output<typeof AppliedKey>;

/** A key of a document; without its value it is the stored one of its name. */
const AppliedKey = PlatformKeySchema.partial({ key: true });

/**
 * Brings about a platform key of a document: the stored one with its value, else the working one of its name, else a new
 * one. Another value takes the place of the one before at once. What the key may do is bounded by what the caller may.
 *
 * @throws NotApplied for a value that was revoked or replaced, and for a key without a value that is not there
 * @throws Fault `conflict`, `insufficient_scope`, `invalid_request`
 */
export function applyKey(pepper: KeyObject) {
  return async (context: Writing, { body }: RawInput): Promise<Changed> => {
    const wanted = validate(AppliedKey, body);
    const value = wanted.key?.replace(/^sk-/, '');
    const given = value === undefined ? null : { value, hash: hashKey(pepper, value) };
    const row = await storedKey(context, wanted.name, given?.hash ?? null);
    if (row) return changed(context, row, wanted, given?.hash === row.hash ? null : given);
    if (!given)
      throw new NotApplied(
        'its value is not known here; set its variable, or create it with POST /api/management/keys',
      );
    return created(context, pepper, wanted, given.value);
  };
}

async function storedKey(
  { writer, orgId, clock }: Writing,
  name: string,
  hash: string | null,
): Promise<PlatformKeyRow | undefined> {
  const found = hash === null ? undefined : await keyByHash(writer, hash);
  if (found && found.org_id !== orgId)
    throw new Fault('conflict', 'key: is the key of another organization', { param: 'key' });
  if (found?.revoked_at) throw new NotApplied('this value was revoked; give the key another one');
  if (found && found.hash !== hash)
    throw new NotApplied('this value was replaced by a rotation; put the present one into the document');
  const row = found ?? (await workingKeyNamed(writer, orgId, name, clock.now()));
  if (row?.source === 'file') throw new NotApplied(`stands in ${spotOf(row)}`, true);
  return row;
}

async function changed(
  context: Writing,
  row: PlatformKeyRow,
  wanted: Wanted,
  given: { readonly value: string; readonly hash: string } | null,
): Promise<Changed> {
  const { actor, clock } = context;
  const { scopes, paths, models = null, expires_at = null } = wanted;
  const fields = { ...keyStored.parse(wanted), scopes, paths, models, expires_at };
  const columns = await changedColumns(context, row, fields);
  const now = clock.now();
  let value: KeyChange = {};
  if (given) {
    // Whoever knows the new value holds the key: it must not give them more than they have.
    for (const scope of scopes) requireActorScope(actor, scope);
    value = { hash: given.hash, ...keyHint(given.value), ...NOT_ROTATED, rotated_at: now };
  }
  const written = await writeKey(context, row, { ...columns, ...value });
  const before = platformKeyOf(row, now);
  if (written === null) return { answer: before, audit: 'unchanged', further: [] };
  const after = platformKeyOf(written, now);
  return { answer: after, audit: { subject: row.id, before, after }, further: [] };
}

async function created(
  { orgId, actor, clock, writer }: Writing,
  pepper: KeyObject,
  wanted: Wanted,
  value: string,
): Promise<Changed> {
  const nowMs = clock.now();
  const { name, scopes, models, paths, team, expires_at } = wanted;
  for (const scope of scopes) requireActorScope(actor, scope);
  await requireTeam(writer, orgId, team);
  if (expires_at !== undefined && Date.parse(expires_at) <= nowMs)
    throw new NotApplied(`expired at ${expires_at}`);
  const { row } = makeKey(
    pepper,
    { orgId, name, scopes, by: actor.id, nowMs, value },
    {
      ...keyStored.parse(wanted),
      models_json: models ? JSON.stringify(models) : null,
      paths_json: paths.length > 0 ? JSON.stringify(paths) : null,
      expires_at: expires_at === undefined ? null : Date.parse(expires_at),
    },
  );
  await insertKey(writer, row);
  const after = platformKeyOf(row, nowMs);
  return { answer: after, audit: { subject: row.id, before: null, after }, further: [] };
}
