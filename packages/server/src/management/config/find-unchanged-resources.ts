import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json } from '@floe/contract/json';
import { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { findLastAuditEntry } from '../../store/audit-entries.ts';
import type { ConfigDocument } from './config-document.ts';
import { formatResourceKey } from './config-file-diff.ts';
import { buildConfigSteps } from './config-steps.ts';
import {
  type ConfigStep,
  type DocumentResourceKind,
  type OrgReadContext,
  toPlainJson,
} from './document-resource-kind.ts';
import { DOCUMENT_RESOURCE_KINDS } from './document-resource-kinds.ts';
import { exportOrgConfig } from './export-org-config.ts';
import { toYamlTree } from './format-org-config.ts';
import { parseConfigDocumentInWorker } from './parse-config-document-in-worker.ts';
import { isSecretPath } from './secret-paths.ts';

/** Resources that already equal their entries in a document, as of one state of the organization. */
export interface UnchangedResources {
  /** The keys of the resources (`formatResourceKey`). */
  readonly keys: ReadonlySet<string>;
  /** The keys of the resources that the document contains, but cannot change, such as those of floe.yaml. */
  readonly unchangeable: ReadonlySet<string>;
  /**
   * Hash of the organization's last audit entry before the comparison. All changes add an entry, so the result
   * is valid while this entry is the last one. Null if there was none.
   */
  readonly lastAuditHash: string | null;
}

/** Number of resources from which the comparison costs less than applying all of them. */
const MIN_RESOURCES = 50;

/**
 * Finds the resources that applying the document would not change. It reads outside a transaction, so that a
 * long document does not delay other writes. Resources with a secret value in the document are never in `keys`,
 * because stored secrets are not compared.
 * @param loadRunning loads the running configuration, after the last audit entry was read
 * @throws the faults of `EvaluationPool.run`
 */
export async function findUnchangedResources(
  document: ConfigDocument,
  context: OrgReadContext,
  loadRunning: () => Promise<ConfigDocument> = () => loadRunningDocument(context),
): Promise<UnchangedResources> {
  const lastAuditHash = (await findLastAuditEntry(context.reader, context.orgId))?.hash ?? null;
  const steps = await buildConfigSteps(document, context);
  const found = { keys: new Set<string>(), unchangeable: new Set<string>(), lastAuditHash };
  if (steps.length < MIN_RESOURCES) return found;
  const running = await loadRunning();
  for (const kind of DOCUMENT_RESOURCE_KINDS) {
    const ofKind = steps.filter((step) => step.kind === kind.kind);
    if (ofKind.length > 0) await compareKind(found, kind, { document, running, steps: ofKind }, context);
  }
  return found;
}

/**
 * Returns the organization's running configuration as a document. Its references are not checked, because
 * resources may refer to others that were removed.
 */
export async function loadRunningDocument(context: OrgReadContext): Promise<ConfigDocument> {
  const { org } = await exportOrgConfig(context);
  return parseConfigDocumentInWorker(
    { config: toYamlTree({ orgs: [org] }), variables: {} },
    context.orgId,
    context.dependencies.evaluationPool,
    'exported',
  );
}

interface DocumentComparison {
  readonly document: ConfigDocument;
  readonly running: ConfigDocument;
  readonly steps: readonly ConfigStep[];
}

async function compareKind(
  found: { readonly keys: Set<string>; readonly unchangeable: Set<string> },
  { section, isOrdered, buildSteps, listExisting }: DocumentResourceKind,
  { document, running, steps }: DocumentComparison,
  context: OrgReadContext,
): Promise<void> {
  if (!listExisting || section.length === 0) return;
  const existing = await listExisting(context);
  const sources = new Map(existing.map(({ id, source }) => [id, source]));
  for (const step of steps)
    if ((sources.get(step.id) ?? 'console') !== 'console') found.unchangeable.add(formatResourceKey(step));
  // The position of an entry is part of an ordered list.
  if (isOrdered && !isDeepStrictEqual(listIds(existing), listIds(steps))) return;
  const runningEntries = new Map((await buildSteps(running, context)).map(({ id, entry }) => [id, entry]));
  const stepsById = Map.groupBy(steps, ({ id }) => id);
  const turns = new EventLoopYielder();
  for (const [index, step] of steps.entries()) {
    await turns.endStep();
    const { id, entry } = step;
    if (sources.get(id) !== 'console' || stepsById.get(id)?.length !== 1 || entry === undefined) continue;
    if (containsGivenSecret(document, [...section, index], toPlainJson(entry))) continue;
    if (isDeepStrictEqual(entry, runningEntries.get(id))) found.keys.add(formatResourceKey(step));
  }
}

/** Returns whether the document contains the value of a secret at the path or below it. */
function containsGivenSecret(
  document: ConfigDocument,
  path: readonly (string | number)[],
  value: Json | undefined,
): boolean {
  if (typeof value === 'string') return isSecretPath(path) && !document.keepsSecret(...path);
  if (Array.isArray(value))
    return value.some((inner, index) => containsGivenSecret(document, [...path, index], inner));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([name, inner]) => containsGivenSecret(document, [...path, name], inner));
}

function listIds(resources: readonly { readonly id: string }[]): string[] {
  return resources.map(({ id }) => id);
}
