import { Buffer } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import { MAX_REQUEST_JSON_COMPLEXITY } from '@floe/wire/json-complexity';
import { type ByteSpan, type ScannedJsonMembers, scanJsonObject } from '@floe/wire/json-edits';
import { scanBatchObject } from '@floe/wire/scan-batch-object';
import { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { findBatchReferences, toInvalidReason } from './batch-references.ts';
import {
  type BodyReferences,
  findBodyReferences,
  type ReferenceScope,
  toModelList,
} from './body-references.ts';
import { REFERENCE_NAMES } from './reference-names.ts';
import type { ResourceReference } from './resource-reference.ts';

/** Providers accept at most this number of requests in the body of a batch. */
const MAX_REQUESTS = 100_000;

/** The models and resources in a request about batches, and the ids of the files with the requests. */
export interface BatchBodyReferences extends BodyReferences {
  readonly members: ScannedJsonMembers;
  readonly batchInputs: readonly string[];
}

/**
 * Returns the references in the body of a request about batches. Validates each of its `requests` as strictly as a
 * line of a batch input file, and yields to the event loop between them. The maximum complexity applies to each
 * of them, and to the rest of the body.
 * @throws Fault `invalid_request` or `request_too_large`
 */
export async function findBatchBodyReferences(
  body: Buffer,
  { collection }: Pick<ResourceReference, 'collection'>,
): Promise<BatchBodyReferences> {
  const models = new Set<string>();
  const ids: string[] = [];
  const batchInputs: string[] = [];
  const collect = (bytes: Buffer, scanned: ScannedJsonMembers, scope: ReferenceScope): BodyReferences => {
    const nested = findBatchReferences(bytes);
    const outer = findBodyReferences(bytes, scanned, scope);
    for (const model of [...nested.models, ...outer.models]) models.add(model);
    for (const id of outer.ids) ids.push(id);
    // A file inside a request is part of its prompt.
    if (bytes === rest) for (const id of nested.inputs) batchInputs.push(id);
    return outer;
  };
  // Only these requests are prompts whatever the rest of the body contains. Others can be for an agent.
  const requestScope: ReferenceScope = collection === 'messages/batches' ? 'prompt' : 'state';
  const turns = new EventLoopYielder();
  const { members, requests } = await scanBatchObject(body, {
    maxComplexity: MAX_REQUEST_JSON_COMPLEXITY,
    names: REFERENCE_NAMES,
    onRequest: async (scan, index) => {
      if (index === MAX_REQUESTS)
        throw new Fault(
          'request_too_large',
          'A batch may contain at most 100,000 requests. Split the batch.',
        );
      const part = `requests[${index}]`;
      namingPart(part, scan, part);
      await turns.endStep();
    },
  });
  const span = members.get('requests');
  const rest = requests && span ? withoutRequests(body, span) : body;
  const restMembers = scanJsonObject(rest);
  const { previousResponseId } = namingPart('The request body', () => collect(rest, restMembers, 'state'));
  for (const [at, { start, end }] of (requests ?? []).entries()) {
    const request = body.subarray(start, end);
    const part = `requests[${at}]`;
    const scanned = () => scanJsonObject(request, MAX_REQUEST_JSON_COMPLEXITY, REFERENCE_NAMES);
    namingPart(part, () => collect(request, scanned(), requestScope), part);
    await turns.endStep();
  }
  return { members, models: toModelList(models), ids, previousResponseId, batchInputs };
}

/** Returns the body with an empty list of requests. */
function withoutRequests(body: Buffer, { start, end }: ByteSpan): Buffer {
  return Buffer.concat([body.subarray(0, start), Buffer.from('[]'), body.subarray(end)]);
}

/** Calls `collect`. Adds the name of the examined part of the body to a fault. */
function namingPart<T>(part: string, collect: () => T, param?: string): T {
  try {
    return collect();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const detail = param === undefined ? error.detail : { param };
    throw new Fault(error.code, `${part} is invalid: ${toInvalidReason(error)}.`, detail);
  }
}
