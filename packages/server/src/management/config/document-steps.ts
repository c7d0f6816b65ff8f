import { Fault } from '@floe/contract/faults';
import type { ConfigDocument } from './config-document.ts';
import type { OrgReading, Step } from './document-kind.ts';
import { KINDS, kindNamed } from './document-kinds.ts';
import type { ResourceName } from './file-diff.ts';

/** Everything that a document says, as verbs. */
export async function stepsOf(document: ConfigDocument, reading: OrgReading): Promise<Step[]> {
  const steps: Step[] = [];
  for (const kind of KINDS)
    if (kind.section.length === 0 || document.sets(...kind.section))
      steps.push(...(await kind.steps(document, reading)));
  mustBeBounded(steps);
  return steps;
}

/** Resources that one document may have: all of them are applied in one transaction. */
const MAX_RESOURCES = 5_000;
/** Of a list whose order counts, as writing one of it reads the others. */
const MAX_ORDERED = 1_000;

/** @throws Fault `invalid_request` */
function mustBeBounded(steps: readonly Step[]): void {
  for (const [param, { length }] of Map.groupBy(steps, ({ kind }) => kind))
    if (kindNamed(param).isOrdered && length > MAX_ORDERED)
      throw new Fault(
        'invalid_request',
        `${param}: has ${length} entries, at most ${MAX_ORDERED} are allowed`,
        {
          param,
        },
      );
  if (steps.length > MAX_RESOURCES)
    throw new Fault(
      'invalid_request',
      `The document has ${steps.length} resources, at most ${MAX_RESOURCES} are allowed. Apply it in parts, without prune.`,
    );
}

/** What an org has in the lists of a document and is not named there: in floe.yaml, or made by the API. */
export async function leftOver(
  source: 'file' | 'console',
  document: ConfigDocument,
  steps: readonly Step[],
  reading: OrgReading,
): Promise<ResourceName[]> {
  const found: ResourceName[] = [];
  for (const { kind, section, existing } of KINDS) {
    if (!existing || !document.sets(...section)) continue;
    const named = new Set(steps.filter((step) => step.kind === kind).map(({ id }) => id));
    for (const one of await existing(reading))
      if (one.source === source && !named.has(one.id)) found.push({ kind, id: one.id });
  }
  return found;
}

/** Removals of what a document does not name, what names others first. */
export async function removalsOf(
  document: ConfigDocument,
  steps: readonly Step[],
  reading: OrgReading,
): Promise<Step[]> {
  const names = await leftOver('console', document, steps, reading);
  return names
    .toReversed()
    .filter(({ kind }) => !kindNamed(kind).isKept)
    .map(({ kind, id }) => ({ kind, id, verb: `${kind}.delete`, params: { id }, body: undefined }));
}
