import { Buffer } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import { MAX_REQUEST_JSON_COMPLEXITY } from '@floe/wire/json-complexity';
import { JsonCursor } from '@floe/wire/json-cursor';
import { type ByteSpan, type ScannedJsonMembers, scanJsonObject } from '@floe/wire/json-edits';
import { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { findBatchReferences } from './batch-references.ts';
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
  members: ScannedJsonMembers,
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
  const span = members.get('requests');
  const requests = span && new JsonCursor(body, span.start, span.end);
  const isList = requests?.enterArray() === true;
  const rest = isList && span ? withoutRequests(body, span) : body;
  const restMembers = scanJsonObject(rest, MAX_REQUEST_JSON_COMPLEXITY);
  const { previousResponseId } = namingPart('The request body', () => collect(rest, restMembers, 'state'));
  // Only these requests are prompts whatever the rest of the body contains. Others can be for an agent.
  const scope: ReferenceScope = collection === 'messages/batches' ? 'prompt' : 'state';
  const turns = new EventLoopYielder();
  for (let at = 0; isList && requests.nextElement(); at += 1) {
    if (at === MAX_REQUESTS)
      throw new Fault('request_too_large', 'A batch must have at most 100,000 requests. Split the batch.');
    requests.peek();
    const start = requests.at;
    requests.skip();
    const request = body.subarray(start, requests.at);
    const part = `requests[${at}]`;
    const scanned = () => scanJsonObject(request, MAX_REQUEST_JSON_COMPLEXITY, REFERENCE_NAMES);
    namingPart(part, () => collect(request, scanned(), scope), part);
    await turns.endStep();
  }
  return { models: toModelList(models), ids, previousResponseId, batchInputs };
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
    const why = error.message.replace(/^The request body /, 'it ').replace(/\.$/, '');
    throw new Fault(error.code, `${part} is invalid: ${why}.`, param === undefined ? {} : { param });
  }
}
