import type { KeyObject } from 'node:crypto';
import {
  createdKey,
  keyCreation,
  keyFieldsStoredAsIs,
  keyListQuery,
  keyPatch,
  keyReplacement,
  type PlatformKey,
  platformKeyResource,
} from '@floe/contract/api/keys';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import { createId, deriveId } from '../../core/ids.ts';
import { buildPlatformKey } from '../../platform/build-platform-key.ts';
import { toPlatformKeyResource } from '../../platform/stored-platform-key.ts';
import {
  findPlatformKeyById,
  getPlatformKeyPage,
  insertPlatformKey,
  type PlatformKeyRow,
  type PlatformKeyUpdate,
  revokePlatformKey,
} from '../../store/platform-keys.ts';
import type { RuleDependencies } from '../guardrails/rule-dependencies.ts';
import { KEY_EDITOR_ROLES, requireChangeableKey, resolveKeyOwnership } from '../keys/key-owner.ts';
import { buildKeyUpdate, updateKeyIfChanged } from '../keys/key-updates.ts';
import { requireFreeKeyName } from '../keys/require-free-key-name.ts';
import { requireGrantableScopes } from '../keys/require-grantable-scopes.ts';
import { requireNoRulesForKeys } from '../keys/require-no-rules-for-keys.ts';
import { UNKNOWN_PLATFORM_KEY_MESSAGE } from '../keys/require-platform-key.ts';
import { requireTeamExists } from '../members/member-requirements.ts';
import type { WriteOperationContext } from '../operation-definition.ts';
import { parseFutureTimestamp } from '../parse-future-timestamp.ts';
import type { ResourceInput, ResourceKind } from './resource-kind.ts';

const KEY_SCHEMAS = {
  answer: platformKeyResource,
  list: keyListQuery,
  creation: keyCreation,
  change: keyPatch,
  replacement: keyReplacement,
};

interface PlatformKeyInput {
  /** The new or changed key. */
  readonly row: PlatformKeyRow;
  /** The columns that a change sets. */
  readonly columns: PlatformKeyUpdate;
  /** The secret of a new key. It is shown once. */
  readonly value: string | null;
}

type PlatformKeyKind = ResourceKind<PlatformKeyRow, PlatformKeyInput, PlatformKey, typeof KEY_SCHEMAS>;

const KEY_SUMMARIES = {
  list: 'List platform keys, including revoked keys, newest first',
  create:
    'Create a platform key; a person with the role `member` becomes the owner of the keys that they create',
  get: 'Read one platform key',
  update: 'Change the name, scopes, models, paths, team, owner or expiry of a platform key',
  replace: 'Replace all fields of an existing platform key; accepts the body that GET returns',
  delete: 'Revoke a platform key permanently; its history is kept',
};

// budget: one declaration
/**
 * Creates the resource kind of platform keys. A revoked key remains readable, and revoking it again changes nothing.
 */
export function createPlatformKeyResourceKind(
  pepper: KeyObject,
  { getFileRules }: Pick<RuleDependencies, 'getFileRules'>,
): PlatformKeyKind {
  const buildCheckedUpdate = async (
    context: WriteOperationContext,
    row: PlatformKeyRow,
    fields: z.output<typeof keyPatch>,
  ) => {
    const { orgId, writer } = context;
    if (fields.name !== undefined && fields.name !== row.name)
      await requireNoRulesForKeys(writer, orgId, new Map([[row.name, fields.name]]), getFileRules(orgId));
    return buildKeyUpdate(context, row, fields);
  };
  return {
    kind: 'keys',
    path: '/api/management/keys',
    scope: 'management',
    roles: KEY_EDITOR_ROLES,
    invalidates: 'keys',
    volatileFields: ['status', 'last_used_at', 'previous'],
    removalAction: 'revoke',
    summaries: KEY_SUMMARIES,
    schemas: KEY_SCHEMAS,
    creationOnly: { answer: createdKey, fieldsFrom: ({ value }) => ({ key: value }) },
    notFoundMessage: UNKNOWN_PLATFORM_KEY_MESSAGE,
    find: findPlatformKeyById,
    getPage: ({ reader, orgId }, query) => getPlatformKeyPage(reader, { orgId, ...query }),
    toResource: (row, { clock }) => toPlatformKeyResource(row, clock.now()),
    requireChangeable: requireChangeableKey,
    configFromCreation: (context, sent) => buildNewKey(context, sent, pepper),
    configFromPatch: async (context, row, { body }) => ({
      row,
      columns: await buildCheckedUpdate(context, row, body),
      value: null,
    }),
    async configFromReplacement(context, row, _, { body }) {
      // Only `POST` creates a key, because only its response contains the secret.
      if (!row) throw new Fault('not_found', UNKNOWN_PLATFORM_KEY_MESSAGE);
      const { scopes, models = null, paths = null, expires_at = null } = body;
      const fields = { ...keyFieldsStoredAsIs.parse(body), scopes, models, paths, expires_at };
      return { row, columns: await buildCheckedUpdate(context, row, fields), value: null };
    },
    async insert({ writer }, { row }) {
      await insertPlatformKey(writer, row);
      return row;
    },
    update: (context, row, { columns }) => updateKeyIfChanged(context, row, columns),
    remove: ({ writer, orgId, actor, clock }, { id }) =>
      revokePlatformKey(writer, orgId, id, { by: actor.id, nowMs: clock.now() }),
  };
}

/**
 * A repeated `Idempotency-Key` cannot return the secret again, because it is shown once. The response is a
 * 409 with the id of the first key.
 */
async function buildNewKey(
  { orgId, actor, clock, writer }: WriteOperationContext,
  { body, idempotencyKey }: ResourceInput<typeof keyCreation>,
  pepper: KeyObject,
): Promise<PlatformKeyInput> {
  const nowMs = clock.now();
  requireGrantableScopes(actor, body.scopes, nowMs);
  const owner = resolveKeyOwnership(actor, body);
  const expiresAt = parseFutureTimestamp('expires_at', body.expires_at, nowMs);
  if (body.team != null) await requireTeamExists(writer, orgId, owner.team);
  const id =
    idempotencyKey === undefined ? createId('key', nowMs) : deriveId('key', `${orgId}\n${idempotencyKey}`);
  if (idempotencyKey !== undefined && (await findPlatformKeyById(writer, orgId, id)))
    throw new Fault(
      'conflict',
      `A request with this Idempotency-Key already created the key ${id}, whose value was shown only once. To get a new value, rotate the key. To create another key, use a new Idempotency-Key.`,
      { param: 'Idempotency-Key' },
    );
  const { name, scopes, models, paths } = body;
  await requireFreeKeyName(writer, orgId, name, nowMs);
  const { key, row } = buildPlatformKey(
    pepper,
    { orgId, name, scopes, by: actor.id, nowMs },
    {
      ...keyFieldsStoredAsIs.parse(body),
      ...owner,
      id,
      models_json: models ? JSON.stringify(models) : null,
      paths_json: paths?.length ? JSON.stringify(paths) : null,
      expires_at: expiresAt,
    },
  );
  return { row, columns: {}, value: key };
}
