import type { KeyObject } from 'node:crypto';
import { keyFieldsStoredAsIs, PLATFORM_KEY_FIELDS } from '@floe/contract/api/keys';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import {
  buildPlatformKey,
  buildPlatformKeyValueColumns,
  type PlatformKeyValueColumns,
  UNROTATED_PLATFORM_KEY_COLUMNS,
} from '../../platform/build-platform-key.ts';
import { formatSourceLocation } from '../../platform/source-location.ts';
import { toPlatformKeyResource } from '../../platform/stored-platform-key.ts';
import {
  findActivePlatformKeyByName,
  findPlatformKeyByHash,
  insertPlatformKey,
  type PlatformKeyRow,
  type PlatformKeyUpdate,
} from '../../store/platform-keys.ts';
import { ConfigStepNotAppliedError } from '../config/config-step-not-applied-error.ts';
import { requireTeamExists } from '../members/member-requirements.ts';
import type { OperationChanges, RawOperationInput, WriteOperationContext } from '../operation-definition.ts';
import { countNewResourceWithinLimit } from '../resources/resource-limits.ts';
import { validateInput } from '../validate-input.ts';
import { buildKeyUpdate, updateKeyIfChanged } from './key-updates.ts';
import { requireGrantableScopes } from './require-grantable-scopes.ts';

type AppliedKeyInput = z.output<typeof AppliedKeySchema>;

/** A key of a document. Without a value, it refers to the stored key of its name. */
const AppliedKeySchema = z.strictObject(PLATFORM_KEY_FIELDS);

/**
 * Returns the function that applies a platform key in a document. It updates the stored key that
 * has this value. If there is none, it updates the active key that has this name, and otherwise
 * creates a key. A new value replaces the previous one immediately. The caller cannot grant more
 * permissions than they have.
 *
 * @throws ConfigStepNotAppliedError for a revoked or replaced value, and for a key that does not exist and
 * has no value
 * @throws Fault `conflict`, `insufficient_scope`, `invalid_request`
 */
export function createPlatformKeyApplier(pepper: KeyObject) {
  return async (context: WriteOperationContext, { body }: RawOperationInput): Promise<OperationChanges> => {
    const input = validateInput(AppliedKeySchema, body);
    const given = buildPlatformKeyValueColumns(pepper, input);
    const row = await findStoredKey(context, input.name, given?.hash ?? null);
    if (row) return changeStoredKey(context, row, input, given?.hash === row.hash ? null : given);
    if (!given)
      throw new ConfigStepNotAppliedError(
        'no active key has this name, and the document contains no value for a new key; set the variable that contains the value, or create the key with POST /api/management/keys',
      );
    return createDeclaredKey(context, pepper, input, given);
  };
}

async function findStoredKey(
  { writer, orgId, clock }: WriteOperationContext,
  name: string,
  hash: string | null,
): Promise<PlatformKeyRow | undefined> {
  const found = hash === null ? undefined : await findPlatformKeyByHash(writer, hash);
  if (found && found.org_id !== orgId)
    throw new Fault(
      'conflict',
      "key: this value belongs to another organization's key. Use a different value.",
      { param: 'key' },
    );
  if (found?.revoked_at) throw new ConfigStepNotAppliedError('this key value was revoked; use a new value');
  if (found && found.hash !== hash)
    throw new ConfigStepNotAppliedError(
      'the document contains the previous value of a key that was rotated; replace it with the current value',
    );
  const row = found ?? (await findActivePlatformKeyByName(writer, orgId, name, clock.now()));
  if (row?.source === 'file')
    throw new ConfigStepNotAppliedError(`this key is defined in ${formatSourceLocation(row)}`, true);
  return row;
}

async function changeStoredKey(
  context: WriteOperationContext,
  row: PlatformKeyRow,
  input: AppliedKeyInput,
  given: PlatformKeyValueColumns | null,
): Promise<OperationChanges> {
  const { actor, clock } = context;
  const { scopes, paths, models = null, expires_at = null } = input;
  const fields = { ...keyFieldsStoredAsIs.parse(input), scopes, paths, models, expires_at };
  const columns = await buildKeyUpdate(context, row, fields);
  const now = clock.now();
  let value: PlatformKeyUpdate = {};
  if (given) {
    // The caller knows the new value, so it must not give them scopes that they do not have.
    requireGrantableScopes(actor, scopes, now);
    value = { ...given, ...UNROTATED_PLATFORM_KEY_COLUMNS, rotated_at: now };
  }
  const written = await updateKeyIfChanged(context, row, { ...columns, ...value });
  const before = toPlatformKeyResource(row, now);
  if (written === null) return { audit: 'unchanged', additionalChanges: [] };
  const after = toPlatformKeyResource(written, now);
  return { audit: { subject: row.id, before, after }, additionalChanges: [] };
}

async function createDeclaredKey(
  { orgId, actor, clock, writer }: WriteOperationContext,
  pepper: KeyObject,
  input: AppliedKeyInput,
  value: PlatformKeyValueColumns,
): Promise<OperationChanges> {
  const nowMs = clock.now();
  const { name, scopes, models, paths, team, expires_at } = input;
  requireGrantableScopes(actor, scopes, nowMs);
  await requireTeamExists(writer, orgId, team);
  if (expires_at !== undefined && Date.parse(expires_at) <= nowMs)
    throw new ConfigStepNotAppliedError(`expired at ${expires_at}`);
  await countNewResourceWithinLimit('keys', { writer, orgId });
  const { row } = buildPlatformKey(
    pepper,
    { orgId, name, scopes, by: actor.id, nowMs },
    {
      ...value,
      ...keyFieldsStoredAsIs.parse(input),
      models_json: models ? JSON.stringify(models) : null,
      paths_json: paths.length > 0 ? JSON.stringify(paths) : null,
      expires_at: expires_at === undefined ? null : Date.parse(expires_at),
    },
  );
  await insertPlatformKey(writer, row);
  const after = toPlatformKeyResource(row, nowMs);
  return { audit: { subject: row.id, before: null, after }, additionalChanges: [] };
}
