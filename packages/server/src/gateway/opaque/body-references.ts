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
import {
  FILE_URL_MEMBERS,
  ID_LIST_MEMBERS,
  ID_MEMBERS,
  RESOURCE_MEMBERS,
  RESOURCE_NAME_MEMBERS,
  STATE_MEMBERS,
} from './reference-names.ts';
import { idOfResourceName, isStoredFileUrl } from './resource-name.ts';

/** Types of parts that read a file. In other parts, `file_id` only states an origin. */
const FILE_READING_TYPES = new Set([
  'file',
  'image',
  'document',
  'input_file',
  'input_image',
  'image_file',
  'container_upload',
  'computer_screenshot',
]);

/**
 * The models in a body that the key must be allowed to use, and the resources in it that the caller must own.
 */
export interface BodyReferences {
  readonly models: readonly string[];
  readonly ids: readonly string[];
  /** The stored response that the request continues. It is also in the list of ids. */
  readonly previousResponseId: string | null;
}

/** Whether a request is a prompt, or creates or uses a resource. */
export type ReferenceScope = 'prompt' | 'state';

/**
 * Returns the model ids and resource ids in a JSON body, other than its `model`. Searches the
 * members that can contain models in the native APIs: a session, hosted tools and fallback lists.
 * Does not search tool arguments and schemas, because they are data. Parses the body of a prompt only if the scan
 * looked for `REFERENCE_NAMES` and found one. `findBatchBodyReferences` searches batches.
 */
export function findBodyReferences(
  body: Buffer,
  members: ScannedJsonMembers,
  scope: ReferenceScope,
): BodyReferences {
  const named = new Set<string>();
  const ids: string[] = [];
  collectModels(body, members, named);
  const models = toModelList(named);
  if (scope === 'prompt' && !members.hasName) return { models, ids, previousResponseId: null };
  const parsed = parseUnambiguousRequestBody({ body, members });
  collectIds(parsed, { ids, isState: scope === 'state' });
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

interface FoundIds {
  readonly ids: string[];
  readonly isState: boolean;
}

/**
 * Collects resource ids. Skips tool arguments, which are the model's data, and schemas and metadata, which are the
 * caller's data.
 * @param parent the name of the member that contains the value
 */
function collectIds(value: Json | undefined, found: FoundIds, parent = ''): void {
  if (Array.isArray(value)) for (const entry of value) collectIds(entry, found, parent);
  if (!isJsonObject(value)) return;
  const isToolUse = parent === 'content' && TOOL_USE_TYPE.test(String(value['type']));
  for (const [name, member] of Object.entries(value)) {
    if (FREE_FORM_MEMBERS.has(name) || (isToolUse && name === 'input')) continue;
    if (TOOL_DATA_MEMBERS.get(parent) === name) continue;
    if (typeof member === 'string' ? namesResource(name, member, value) : RESOURCE_MEMBERS.has(name))
      addIds([member], found);
    else if (RESOURCE_NAME_MEMBERS.has(name)) addNames([member].flat(), found);
    else if (FILE_URL_MEMBERS.has(name)) addNames([member].flat().filter(isStoredFile), found);
    else if (ID_LIST_MEMBERS.has(name)) addIds(asArray(member), found);
    else if (found.isState && STATE_MEMBERS.has(name)) addIds([member].flat(), found);
    if (typeof member !== 'string') collectIds(member, found, name);
  }
}

/** Returns whether the text `id` of a member is the id of a resource that the provider reads. */
function namesResource(name: string, id: string, { type }: JsonObject): boolean {
  switch (name) {
    case 'file_id':
      return type === undefined || (typeof type === 'string' && FILE_READING_TYPES.has(type));
    // These skills belong to the provider.
    case 'skill_id':
      return type !== 'anthropic' && !id.startsWith('openai-');
    case 'container_id':
      return type === 'container_reference';
    case 'id':
      return type === 'file_id';
    default:
      return ID_MEMBERS.has(name) || RESOURCE_MEMBERS.has(name);
  }
}

const TOOL_USE_TYPE = /^(?:\w+_)?tool_use$/;
/** Members with the arguments and results of tools (Gemini, Bedrock), by the name of the member that contains them. */
const TOOL_DATA_MEMBERS: ReadonlyMap<string, string> = new Map([
  ['functionCall', 'args'],
  ['function_call', 'args'],
  ['functionResponse', 'response'],
  ['function_response', 'response'],
  ['toolUse', 'input'],
  ['content', 'json'],
]);
const FREE_FORM_MEMBERS = new Set([
  'metadata',
  'parameters',
  'input_schema',
  'input_examples',
  'schema',
  'arguments',
]);

function isStoredFile(url: Json | undefined): boolean {
  return typeof url === 'string' && isStoredFileUrl(url);
}

/** Adds the ids in names of resources. */
function addNames(names: readonly (Json | undefined)[], { ids }: FoundIds): void {
  for (const name of names) if (typeof name === 'string' && name !== '') ids.push(idOfResourceName(name));
}

/** Adds ids, and the ids of objects. */
function addIds(values: readonly (Json | undefined)[], { ids }: FoundIds): void {
  for (const value of values) {
    const id = isJsonObject(value) ? value['id'] : value;
    if (typeof id === 'string' && id !== '') ids.push(id);
  }
}
