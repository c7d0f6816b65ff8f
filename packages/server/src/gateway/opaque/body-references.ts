import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { findDuplicateMemberName } from '@floe/wire/duplicate-member-names';
import type { ByteSpan, ScannedJsonMembers } from '@floe/wire/json-edits';
import { asArray } from '@floe/wire/json-narrowing';
import { parseUnambiguousRequestBody } from '../client-request.ts';
import {
  collectNestedModels,
  MAX_MODELS_PER_REQUEST,
  MEMBERS_WITH_MODEL_IDS,
  MODEL_LIST_MEMBERS,
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
 * members that can contain models in the native APIs: a session, hosted tools and fallback lists.
 * Does not search tool arguments and schemas, because they are data. `findBatchBodyReferences` searches batches.
 */
export function findBodyReferences(body: Buffer, members: ScannedJsonMembers): BodyReferences {
  const named = new Set<string>();
  const ids: string[] = [];
  collectModels(body, members, named);
  const models = toModelList(named);
  const text = body.toString('latin1');
  // JSON can write any letter of a name as an escape sequence.
  if (!REFERENCE_PATTERN.test(text) && !text.includes('\\u'))
    return { models, ids, previousResponseId: null };
  const parsed = parseUnambiguousRequestBody({ body, members });
  collectIds(parsed, ids);
  const { previous_response_id: previous } = parsed;
  return { models, ids, previousResponseId: typeof previous === 'string' ? previous : null };
}

/**
 * Returns the model ids in a request body, except the one in the top-level member `model`.
 * @throws Fault `invalid_request` if a member that can contain model ids has duplicate keys, or for too many models
 */
export function findNestedModels(body: Buffer, members: ReadonlyMap<string, ByteSpan>): readonly string[] {
  const found = new Set<string>();
  collectModels(body, members, found);
  return toModelList(found);
}

function collectModels(body: Buffer, members: ReadonlyMap<string, ByteSpan>, found: Set<string>): void {
  for (const name of MEMBERS_WITH_MODEL_IDS) {
    const span = members.get(name);
    if (span === undefined || !mayNameModel(body, name, span)) continue;
    rejectDuplicates(body, name, span);
    const value: Json = JSON.parse(body.toString('utf8', span.start, span.end));
    collectNestedModels({ [name]: value }, found);
  }
}

/** @throws Fault `invalid_request` for too many models */
export function toModelList(found: ReadonlySet<string>): readonly string[] {
  if (found.size <= MAX_MODELS_PER_REQUEST) return [...found];
  const most = MAX_MODELS_PER_REQUEST.toLocaleString('en-US');
  throw new Fault('invalid_request', `The request body must name at most ${most} different models.`, {
    param: 'model',
  });
}

/**
 * Returns whether a member must be parsed. The tools of coding agents are long and rarely name a model. JSON can
 * write the letters of a name as `\u006d`.
 */
function mayNameModel(body: Buffer, name: string, { start, end }: ByteSpan): boolean {
  if (MODEL_LIST_MEMBERS.has(name)) return true;
  const value = body.subarray(start, end);
  return value.includes('"model"') || value.includes('\\u006');
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
    else if (ID_LIST_MEMBERS.has(name)) {
      for (const entry of asArray(member)) if (typeof entry === 'string') found.push(entry);
    } else if (name === 'conversation') found.push(...resourceIds(member));
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
