import type { KeyObject } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { configChangeList } from '@floe/contract/api/config';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type * as z from 'zod';
import { findLastAuditEntry } from '../../store/audit-entries.ts';
import { enableConfigEntryListCache } from '../../store/config-entry-list-cache.ts';
import { findActivePlatformKeyByName } from '../../store/platform-keys.ts';
import { requireAccess } from '../access.ts';
import { createPlatformKeyApplier } from '../keys/apply-key.ts';
import { requireNoRulesForKeys } from '../keys/require-no-rules-for-keys.ts';
import type { AuditedChange, Operation, OperationChanges, SecondaryAuditedChange } from '../operation.ts';
import type { WriteOperationContext } from '../operation-definition.ts';
import type { ConfigDependencies } from './config-dependencies.ts';
import type { ConfigDocument } from './config-document.ts';
import { type DocumentResourceReference, formatResourceKey } from './config-file-diff.ts';
import { ConfigStepNotAppliedError } from './config-step-not-applied-error.ts';
import { buildConfigSteps, buildRemovalSteps } from './config-steps.ts';
import type { ConfigStep } from './document-resource-kind.ts';
import { getDocumentResourceKind } from './document-resource-kinds.ts';
import type { UnchangedResources } from './find-unchanged-resources.ts';
import { requireSecretValues } from './require-secret-values.ts';

type StepChange = NonNullable<Operation['applyChange']>;

type AppliedChanges = z.input<typeof configChangeList>;

/** A configuration document, and the resources that it does not change. */
export interface ComparedConfigDocument {
  readonly document: ConfigDocument;
  readonly unchangedBefore: UnchangedResources;
}

/** The result of applying a configuration document. */
export interface ApplyConfigResult {
  readonly answer: AppliedChanges;
  readonly additionalChanges: readonly SecondaryAuditedChange[];
  /** Resources in the document that floe.yaml defines, with the reason why they were not changed. */
  readonly fileManaged: readonly (DocumentResourceReference & { readonly why: string })[];
  /** All steps of the document, as built before any of them ran. */
  readonly steps: readonly ConfigStep[];
}

/** Fields that describe state or authorship and not settings. */
const NON_SETTING_FIELDS: ReadonlySet<string> = new Set([
  'created_at',
  'updated_at',
  'updated_by',
  'state',
  'sources',
  'origin',
  'problem',
  'native_dialects',
]);

/**
 * Runs the operations for all resources in a document, in the caller's transaction. Resources that
 * floe.yaml defines are not changed. They are listed in the result.
 *
 * @param reason the reason for the audit log, passed to operations that accept one
 * @throws the faults of `requireSecretValues`, and the first fault of an operation, with the resource
 * prepended to its `param`
 */
export async function applyConfigDocument(
  { document, unchangedBefore }: ComparedConfigDocument,
  { prune, reason }: { readonly prune: boolean; readonly reason?: string | undefined },
  dependencies: ConfigDependencies,
  context: WriteOperationContext,
): Promise<ApplyConfigResult> {
  const { writer, orgId, clock } = context;
  const reading = { reader: writer, orgId, dependencies, nowMs: clock.now() };
  enableConfigEntryListCache(writer);
  await requireSecretValues(document, reading);
  const steps = await buildConfigSteps(document, reading);
  const removals = prune ? await buildRemovalSteps(document, steps, reading) : [];
  const skipped = await listSkippedResources(unchangedBefore, [...removals, ...steps], context);
  const operations = new Map(dependencies.listOperations().map((one) => [one.name, one]));
  const changes: AppliedChanges['changes'] = [];
  const ignored = [...document.ignored];
  const fileManaged: ApplyConfigResult['fileManaged'][number][] = [];
  const additionalChanges: SecondaryAuditedChange[] = [];
  let unchanged = 0;
  const applied: ConfigStep[] = [];
  // Create resources before others reference them, and remove routes before the providers that they name.
  const removalsLast = removals.filter(({ kind }) => getDocumentResourceKind(kind).isReferenced);
  const removalsFirst = removals.filter((step) => !removalsLast.includes(step));
  for (const step of [...removalsFirst, ...steps, ...removalsLast]) {
    const change = resolveStepChange(step, { operations, pepper: dependencies.pepper }, context);
    const isSkipped = skipped.has(formatResourceKey(step));
    const done = isSkipped ? UNCHANGED : await applyStep(step, change, context, reason);
    if (done instanceof ConfigStepNotAppliedError && done.isInFile)
      fileManaged.push({ kind: step.kind, id: step.id, why: `${step.kind}/${step.id}: ${done.message}` });
    else if (done instanceof ConfigStepNotAppliedError)
      ignored.push(`${step.kind}/${step.id}: ${done.message}`);
    else if (done.audit === 'unchanged') unchanged += 1;
    else {
      applied.push(step);
      changes.push(toConfigChange(step, done.audit));
      additionalChanges.push(
        { ...done.audit, action: toAuditAction(step.operation) },
        ...done.additionalChanges,
      );
    }
  }
  await requireValidResults(applied, operations, context);
  await requireNoRulesForRenamedKeys(changes, dependencies, context);
  return { answer: { changes, unchanged, ignored }, additionalChanges, fileManaged, steps };
}

function toAuditAction(operation: string): `${string}.${string}` {
  const [subject = '', name = ''] = operation.split('.');
  return `${subject}.${name}`;
}

const UNCHANGED: OperationChanges = { audit: 'unchanged', additionalChanges: [] };

/** Maximum number of resources that one transaction applies, because other writes wait for its end. */
const MAX_APPLIED_RESOURCES = 1_000;

/**
 * Returns the keys of resources whose steps can be skipped.
 * @throws Fault `invalid_request` if too many steps remain; `conflict` if they remain only because the
 * organization was changed after the comparison
 */
async function listSkippedResources(
  { keys, unchangeable, lastAuditHash }: UnchangedResources,
  steps: readonly ConfigStep[],
  { writer, orgId }: WriteOperationContext,
): Promise<ReadonlySet<string>> {
  const isCurrent = ((await findLastAuditEntry(writer, orgId))?.hash ?? null) === lastAuditHash;
  const isCounted = (step: ConfigStep) => !unchangeable.has(formatResourceKey(step));
  const remaining = steps.filter((step) => isCounted(step) && !keys.has(formatResourceKey(step))).length;
  if (remaining > MAX_APPLIED_RESOURCES)
    throw new Fault(
      'invalid_request',
      `The document changes ${remaining} resources. The maximum is ${MAX_APPLIED_RESOURCES}. Split the document, and apply each part without the option "prune".`,
    );
  if (isCurrent) return keys;
  if (steps.filter(isCounted).length > MAX_APPLIED_RESOURCES)
    throw new Fault(
      'conflict',
      'The organization was changed while the document was being compared with it. Apply the document again.',
    );
  return new Set();
}

async function applyStep(
  { kind, id, params, body }: ConfigStep,
  change: StepChange,
  context: WriteOperationContext,
  reason: string | undefined,
): Promise<OperationChanges | ConfigStepNotAppliedError> {
  try {
    const why = reason !== undefined && getDocumentResourceKind(kind).acceptsReason ? { reason } : {};
    const [query, sentBody] = body === undefined ? [why, body] : [{}, { ...body, ...why }];
    return await change(context, { params, query, body: sentBody, idempotencyKey: undefined });
  } catch (error) {
    if (error instanceof ConfigStepNotAppliedError) return error;
    if (!(error instanceof Fault)) throw error;
    if (error.code === 'managed_by_file') return new ConfigStepNotAppliedError(error.message, true);
    throw prependSubject(error, `${kind}/${id}`);
  }
}

/** Checks the resources of each kind together, because a fault of one step can be fixed by a later step. */
async function requireValidResults(
  applied: readonly ConfigStep[],
  operations: ReadonlyMap<string, Operation>,
  context: WriteOperationContext,
): Promise<void> {
  const kinds = new Map(applied.map(({ operation, kind }) => [operation, kind]));
  for (const [operation, kind] of kinds)
    try {
      await operations.get(operation)?.requireValidResult?.(context);
    } catch (error) {
      throw error instanceof Fault ? prependSubject(error, kind) : error;
    }
}

/**
 * Requires that no rule refers to the previous name of a key that the document renames. Checked at the end, because the
 * document may also change the rules.
 * @throws Fault `conflict`
 */
async function requireNoRulesForRenamedKeys(
  changes: AppliedChanges['changes'],
  { rules }: ConfigDependencies,
  { writer, orgId, clock }: WriteOperationContext,
): Promise<void> {
  const renames = new Map<string, string>();
  for (const { kind, before, after } of changes) {
    const [name, next] = [getName(before), getName(after)];
    if (kind !== 'keys' || name === null || next === null || name === next) continue;
    if (!(await findActivePlatformKeyByName(writer, orgId, name, clock.now()))) renames.set(name, next);
  }
  if (renames.size === 0) return;
  try {
    await requireNoRulesForKeys(writer, orgId, renames, rules.getFileRules(orgId));
  } catch (error) {
    throw error instanceof Fault ? prependSubject(error, 'keys') : error;
  }
}

function getName(resource: AppliedChanges['changes'][number]['after']): string | null {
  return isJsonObject(resource) && typeof resource['name'] === 'string' ? resource['name'] : null;
}

function prependSubject({ code, message, detail }: Fault, subject: string): Fault {
  const param = detail.param === undefined ? {} : { param: `${subject}.${detail.param}` };
  return new Fault(code, `${subject}: ${message}`, { ...detail, ...param });
}

/**
 * Resolves the change of a step. The actor needs the same access as for the operation alone. @throws Fault as
 * `requireAccess`
 */
function resolveStepChange(
  { operation: name }: ConfigStep,
  { operations, pepper }: { readonly operations: ReadonlyMap<string, Operation>; readonly pepper: KeyObject },
  context: WriteOperationContext,
): StepChange {
  if (name === 'keys.apply') return createPlatformKeyApplier(pepper);
  const operation = operations.get(name);
  if (!operation?.applyChange) throw new Error(`unknown operation ${name}`);
  requireAccess(operation, context.actor, context.clock.now());
  return operation.applyChange;
}

/** Converts an audited change to an entry in the response. */
export function toConfigChange(
  { kind, id }: DocumentResourceReference,
  change: Pick<AuditedChange, 'before' | 'after'>,
): AppliedChanges['changes'][number] {
  const { before, after } = change;
  const action = before === null ? 'created' : after === null ? 'removed' : 'changed';
  return {
    kind,
    id,
    action,
    fields: listChangedFields(change),
    in_file: false,
    before: before && JSON.parse(JSON.stringify(before)),
    after: after && JSON.parse(JSON.stringify(after)),
  };
}

/**
 * Names of the fields that differ. For a created or removed resource, all fields. Empty if only a secret
 * changed.
 */
function listChangedFields({ before, after }: Pick<AuditedChange, 'before' | 'after'>): string[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].filter(
    (name) =>
      !NON_SETTING_FIELDS.has(name) &&
      !isDeepStrictEqual(settingValue(before, name), settingValue(after, name)),
  );
}

function settingValue(version: JsonObject | null, name: string): unknown {
  const value = version?.[name];
  return Array.isArray(value)
    ? value.map((entry) => (isJsonObject(entry) ? omitNonSettings(entry) : entry))
    : value;
}

function omitNonSettings(entry: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(entry).filter(([name]) => !NON_SETTING_FIELDS.has(name) || name === 'origin'),
  );
}
