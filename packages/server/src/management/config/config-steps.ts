import { Fault } from '@floe/contract/faults';
import type { ConfigDocument } from './config-document.ts';
import type { DocumentResourceReference } from './config-file-diff.ts';
import type { ConfigStep, OrgReadContext } from './document-resource-kind.ts';
import { DOCUMENT_RESOURCE_KINDS, getDocumentResourceKind } from './document-resource-kinds.ts';

/**
 * Converts all resources in a document to steps.
 * @throws Fault `invalid_request` if there are too many resources
 */
export async function buildConfigSteps(
  document: ConfigDocument,
  context: OrgReadContext,
): Promise<ConfigStep[]> {
  const steps: ConfigStep[] = [];
  for (const kind of DOCUMENT_RESOURCE_KINDS)
    if (kind.section.length === 0 || document.isSet(...kind.section))
      steps.push(...(await kind.buildSteps(document, context)));
  requireStepLimits(steps);
  return steps;
}

/** Maximum number of resources per document. */
const MAX_RESOURCES = 5_000;
/** Maximum for lists with a significant order, because each write moves or copies the other entries. */
const MAX_ORDERED_RESOURCES = 1_000;

/** Rejects documents with too many resources. @throws Fault `invalid_request` */
function requireStepLimits(steps: readonly ConfigStep[]): void {
  for (const [param, { length }] of Map.groupBy(steps, ({ kind }) => kind))
    if (getDocumentResourceKind(param).isOrdered && length > MAX_ORDERED_RESOURCES)
      throw new Fault(
        'invalid_request',
        `${param}: must have at most ${MAX_ORDERED_RESOURCES} entries, got ${length}`,
        {
          param,
        },
      );
  if (steps.length > MAX_RESOURCES)
    throw new Fault(
      'invalid_request',
      `The document must contain at most ${MAX_RESOURCES} resources, got ${steps.length}. Split the document, and apply each part without the option "prune".`,
    );
}

/**
 * Returns the existing resources with this source that the document does not contain. Considers only the
 * kinds of resources that the document contains.
 */
export async function listUndeclaredResources(
  source: 'file' | 'console',
  document: ConfigDocument,
  steps: readonly ConfigStep[],
  context: OrgReadContext,
): Promise<DocumentResourceReference[]> {
  const found: DocumentResourceReference[] = [];
  for (const { kind, section, listExisting } of DOCUMENT_RESOURCE_KINDS) {
    if (!listExisting || !document.isSet(...section)) continue;
    const named = new Set(steps.filter((step) => step.kind === kind).map(({ id }) => id));
    for (const one of await listExisting(context))
      if (one.source === source && !named.has(one.id)) found.push({ kind, id: one.id });
  }
  return found;
}

/**
 * Returns the steps that remove resources that a document does not contain. A resource that refers
 * to another one is removed first.
 */
export async function buildRemovalSteps(
  document: ConfigDocument,
  steps: readonly ConfigStep[],
  context: OrgReadContext,
): Promise<ConfigStep[]> {
  const names = await listUndeclaredResources('console', document, steps, context);
  return names
    .toReversed()
    .filter(({ kind }) => !getDocumentResourceKind(kind).isNeverPruned)
    .map(({ kind, id }) => ({ kind, id, operation: `${kind}.delete`, params: { id }, body: undefined }));
}
