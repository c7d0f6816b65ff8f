import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { findDuplicateMemberName } from '@floe/wire/duplicate-member-names';
import { JsonCursor } from '@floe/wire/json-cursor';
import type { ByteSpan } from '@floe/wire/json-edits';
import {
  collectNestedModels,
  findBatchReferences,
  MODEL_NAMING_MEMBERS,
  toArrayOrEmpty,
} from './batch-references.ts';

/** Members whose value is the id of a resource, anywhere in a body. */
const ID_MEMBERS = new Set([
  'input_file_id',
  'training_file',
  'validation_file',
  'previous_response_id',
  'vector_store_id',
]);
const ID_LIST_MEMBERS = new Set(['file_ids', 'vector_store_ids']);
/** Types of parts that read a file. In other parts, `file_id` only states an origin. */
const FILE_READING_TYPES = new Set([
  'file',
  'image',
  'document',
  'input_file',
  'input_image',
  'image_file',
  'container_upload',
]);
const REFERENCE_PATTERN = /"(?:\w*file\w*|previous_response_id|vector_store_ids?|conversation)"/;

/**
 * The models in a body that the key must be allowed to use, and the resources in it that the caller must own.
 */
export interface BodyReferences {
  readonly models: readonly string[];
  readonly ids: readonly string[];
  /** The stored response that the request continues. It is also in the list of ids. */
  readonly previousResponseId: string | null;
}

/**
 * Returns the model ids and resource ids in a JSON body, other than its `model`. Searches the
 * members that can contain models in the native APIs: batch requests, a session, hosted tools and
 * fallback lists. Does not search tool arguments and schemas, because they are data.
 */
export function findBodyReferences(body: Buffer, members: ReadonlyMap<string, ByteSpan>): BodyReferences {
  const models: string[] = [];
  const ids: string[] = [];
  const wantsModels = MODEL_NAMING_MEMBERS.some((name) => members.has(name));
  collectBatchRequests(body, members.get('requests'), models);
  const text = body.toString('latin1');
  const wantsIds = REFERENCE_PATTERN.test(text);
  if (!wantsModels && !wantsIds) return { models, ids, previousResponseId: null };
  const parsed: Json = JSON.parse(body.toString('utf8'));
  if (!isJsonObject(parsed)) return { models, ids, previousResponseId: null };
  if (wantsModels) {
    for (const name of MODEL_NAMING_MEMBERS) rejectDuplicates(body, name, members.get(name));
    collectNestedModels(parsed, models);
  }
  if (wantsIds) collectIds(parsed, ids);
  const { previous_response_id: previous } = parsed;
  return { models, ids, previousResponseId: typeof previous === 'string' ? previous : null };
}

/** Validates the batch requests in a body as strictly as the lines of a batch input file. */
function collectBatchRequests(body: Buffer, span: ByteSpan | undefined, found: string[]): void {
  if (span === undefined) return;
  const cursor = new JsonCursor(body, span.start, span.end);
  if (!cursor.enterArray()) return;
  for (let at = 0; cursor.nextElement(); at += 1) {
    cursor.peek();
    const start = cursor.at;
    cursor.skip();
    const entry = body.subarray(start, cursor.at);
    try {
      found.push(...findBatchReferences(entry).models);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw new Fault('invalid_request', `requests[${at}] cannot be checked: ${error.message}.`, {
        param: `requests[${at}]`,
      });
    }
  }
}

function rejectDuplicates(body: Buffer, name: string, span: ByteSpan | undefined): void {
  const doubled = span && findDuplicateMemberName(body, span);
  if (doubled === undefined || doubled === null) return;
  throw new Fault(
    'invalid_request',
    `The field "${doubled.slice(0, 64)}" must occur only once in "${name}".`,
    {
      param: name,
    },
  );
}

/**
 * Collects resource ids. Skips tool arguments, which are text, and schemas and metadata, which are the
 * caller's data.
 */
function collectIds(value: Json | undefined, found: string[]): void {
  if (Array.isArray(value)) for (const entry of value) collectIds(entry, found);
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'string' && (ID_MEMBERS.has(name) || namesReadFile(name, value)))
      found.push(member);
    else if (ID_LIST_MEMBERS.has(name))
      found.push(...toArrayOrEmpty(member).filter((entry) => typeof entry === 'string'));
    else if (name === 'conversation') found.push(...resourceIds(member));
    else if (!FREE_FORM_MEMBERS.has(name)) collectIds(member, found);
  }
}

function namesReadFile(name: string, { type }: JsonObject): boolean {
  return (
    name === 'file_id' && (type === undefined || (typeof type === 'string' && FILE_READING_TYPES.has(type)))
  );
}

const FREE_FORM_MEMBERS = new Set(['metadata', 'parameters', 'input_schema', 'schema', 'arguments']);

/** Returns the ids of a resource that is referenced by id or by an object with an id. */
function resourceIds(value: Json | undefined): string[] {
  const id = isJsonObject(value) ? value['id'] : value;
  return typeof id === 'string' && id !== '' ? [id] : [];
}
