import type { KeyObject } from 'node:crypto';
import {
  createdKey,
  keyChange,
  keyCreation,
  keyList,
  keyReplacement,
  keyStored,
  type PlatformKey,
  platformKey,
} from '@floe/contract/api/keys';
import { Fault } from '@floe/contract/faults';
import { idFor, newId } from '../../core/ids.ts';
import { requireActorScope } from '../../platform/actor.ts';
import { makeKey } from '../../platform/make-key.ts';
import { platformKeyOf } from '../../platform/stored-key.ts';
import {
  insertKey,
  type KeyChange,
  keyById,
  keyPage,
  type PlatformKeyRow,
  revokeKey,
} from '../../store/platform-keys.ts';
import { UNKNOWN_KEY } from '../keys/find-key.ts';
import { changedColumns, momentAhead, writeKey } from '../keys/key-fields.ts';
import { mustBeFree } from '../keys/key-name-in-use.ts';
import { KEY_ROLES, mustBeChangeableKey, whoseKey } from '../keys/key-owner.ts';
import { requireTeam } from '../members/find-member.ts';
import type { Writing } from '../verb-definition.ts';
import type { ResourceKind, Sent } from './resource-kind.ts';

const SHAPES = {
  answer: platformKey,
  list: keyList,
  creation: keyCreation,
  change: keyChange,
  replacement: keyReplacement,
};

interface Wanted {
  /** The new key, or the one that changes. */
  readonly row: PlatformKeyRow;
  /** What a change sets. */
  readonly columns: KeyChange;
  /** Of a new key: its value, which is shown once. */
  readonly value: string | null;
}

type KeyKind = ResourceKind<PlatformKeyRow, Wanted, PlatformKey, typeof SHAPES>;

const SUMMARIES = {
  list: 'List platform keys, newest first, revoked ones included',
  create: 'Create a platform key; what a mere member makes is their own',
  get: 'Read one platform key',
  update: 'Change the name, scopes, models, paths, team, owner or expiry of a platform key',
  replace: 'Replace every field of an existing platform key; what GET returned is accepted',
  delete: 'Revoke a platform key for good; its history stays',
};

/** Platform keys. One that is revoked stays readable, and revoking it again changes nothing. */
// budget: one declaration
export function platformKeys(pepper: KeyObject): KeyKind {
  return {
    kind: 'keys',
    path: '/api/management/keys',
    scope: 'management',
    roles: KEY_ROLES,
    changes: 'keys',
    live: ['status', 'last_used_at'],
    removal: 'revoke',
    summaries: SUMMARIES,
    shapes: SHAPES,
    shownOnce: { answer: createdKey, of: ({ value }) => ({ key: value }) },
    unknown: UNKNOWN_KEY,
    find: keyById,
    page: ({ reader, orgId }, query) => keyPage(reader, { orgId, ...query }),
    view: (row, { clock }) => platformKeyOf(row, clock.now()),
    mustBeChangeable: mustBeChangeableKey,
    created: (context, sent) => createdFrom(context, sent, pepper),
    changed: async (context, row, { body }) => ({
      row,
      columns: await changedColumns(context, row, body),
      value: null,
    }),
    async replaced(context, row, _, { body }) {
      // A key is made by `POST` alone, which is what shows its value.
      if (!row) throw new Fault('not_found', UNKNOWN_KEY);
      const { scopes, models = null, paths = null, expires_at = null } = body;
      const fields = { ...keyStored.parse(body), scopes, models, paths, expires_at };
      return { row, columns: await changedColumns(context, row, fields), value: null };
    },
    async insert({ writer }, { row }) {
      await insertKey(writer, row);
      return row;
    },
    update: (context, row, { columns }) => writeKey(context, row, columns),
    remove: ({ writer, orgId, actor, clock }, { id }) =>
      revokeKey(writer, orgId, id, { by: actor.id, nowMs: clock.now() }),
  };
}

/** A repeated `Idempotency-Key` cannot be answered with a value that is shown once: it is a 409 that names the first key. */
async function createdFrom(
  { orgId, actor, clock, writer }: Writing,
  { body, idempotencyKey }: Sent<typeof keyCreation>,
  pepper: KeyObject,
): Promise<Wanted> {
  for (const scope of body.scopes) requireActorScope(actor, scope);
  const nowMs = clock.now();
  const whose = whoseKey(actor, body);
  const expiresAt = momentAhead(body.expires_at, nowMs);
  if (body.team != null) await requireTeam(writer, orgId, whose.team);
  const id = idempotencyKey === undefined ? newId('key', nowMs) : idFor('key', `${orgId}\n${idempotencyKey}`);
  if (idempotencyKey !== undefined && (await keyById(writer, orgId, id)))
    throw new Fault('conflict', `This Idempotency-Key made the key ${id}; its value was shown once.`);
  const { name, scopes, models, paths } = body;
  await mustBeFree(writer, orgId, name, nowMs);
  const { key, row } = makeKey(
    pepper,
    { orgId, name, scopes, by: actor.id, nowMs },
    {
      ...keyStored.parse(body),
      ...whose,
      id,
      models_json: models ? JSON.stringify(models) : null,
      paths_json: paths?.length ? JSON.stringify(paths) : null,
      expires_at: expiresAt,
    },
  );
  return { row, columns: {}, value: key };
}
