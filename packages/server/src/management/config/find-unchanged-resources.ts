import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { findLastAuditEntry } from '../../store/audit-entries.ts';
import type { ConfigDocument } from './config-document.ts';
import { formatResourceKey } from './config-file-diff.ts';
import { buildConfigSteps } from './config-steps.ts';
import type { ConfigStep, DocumentResourceKind, OrgReadContext } from './document-resource-kind.ts';
import { DOCUMENT_RESOURCE_KINDS } from './document-resource-kinds.ts';
import { exportOrgConfig } from './export-org-config.ts';
import { toYamlTree } from './format-org-config.ts';
import { parseConfigDocumentInWorker } from './parse-config-document-in-worker.ts';

/** Resources that already equal their entries in a document, as of one state of the organization. */
export interface UnchangedResources {
  /** The keys of the resources (`formatResourceKey`). */
  readonly keys: ReadonlySet<string>;
  /**
   * Hash of the organization's last audit entry before the comparison. All changes add an entry, so the result
   * is valid while this entry is the last one. Null if there was none.
   */
  readonly lastAuditHash: string | null;
}

/** Number of resources from which the comparison costs less than applying all of them. */
const MIN_RESOURCES = 50;
/** Number of comparisons after which other work of the process continues. */
const COMPARISONS_PER_TURN = 200;

/**
 * Finds the resources that applying the document would not change. It reads outside a transaction, so that a
 * long document does not delay other writes. Resources with a secret value in the document are never in the
 * result, because stored secrets are not compared.
 */
export async function findUnchangedResources(
  document: ConfigDocument,
  context: OrgReadContext,
): Promise<UnchangedResources> {
  const lastAuditHash = (await findLastAuditEntry(context.reader, context.orgId))?.hash ?? null;
  const steps = await buildConfigSteps(document, context);
  const keys = new Set<string>();
  if (steps.length < MIN_RESOURCES) return { keys, lastAuditHash };
  const running = await loadRunningDocument(context);
  for (const kind of DOCUMENT_RESOURCE_KINDS) {
    const ofKind = steps.filter((step) => step.kind === kind.kind);
    if (ofKind.length > 0)
      await addUnchangedOfKind(keys, kind, { document, running, steps: ofKind }, context);
  }
  return { keys, lastAuditHash };
}

/** Returns the organization's running configuration as a document. */
export async function loadRunningDocument(context: OrgReadContext): Promise<ConfigDocument> {
  const { org } = await exportOrgConfig(context);
  return parseConfigDocumentInWorker(
    { config: toYamlTree({ orgs: [org] }), variables: {} },
    context.orgId,
    context.dependencies.evaluationPool,
  );
}

interface DocumentComparison {
  readonly document: ConfigDocument;
  readonly running: ConfigDocument;
  readonly steps: readonly ConfigStep[];
}

async function addUnchangedOfKind(
  keys: Set<string>,
  { section, isOrdered, entries, listExisting }: DocumentResourceKind,
  { document, running, steps }: DocumentComparison,
  context: OrgReadContext,
): Promise<void> {
  if (!listExisting || section.length === 0) return;
  const requested = [...entries(document.org, context.orgId)];
  const existing = await listExisting(context);
  // The position of an entry is part of an ordered list.
  if (isOrdered && !isDeepStrictEqual(listIds(existing), listIds(steps))) return;
  const applied = new Set(listIds(existing.filter(({ source }) => source === 'console')));
  const runningEntries = entries(running.org, context.orgId);
  for (const [index, step] of steps.entries()) {
    if (index % COMPARISONS_PER_TURN === COMPARISONS_PER_TURN - 1) await setImmediate();
    const [name = '', entry] = requested[index] ?? [];
    if (applied.has(step.id) && isDeepStrictEqual(entry, runningEntries.get(name)))
      keys.add(formatResourceKey(step));
  }
}

function listIds(resources: readonly { readonly id: string }[]): string[] {
  return resources.map(({ id }) => id);
}
