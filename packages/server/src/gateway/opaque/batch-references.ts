import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { findDuplicateMemberName } from '@floe/wire/duplicate-member-names';
import { foldMemberName } from '@floe/wire/inspected-members';
import { asArray } from '@floe/wire/json-narrowing';

/** Members of a batch line or entry that contain the request, for all APIs with batches. */
const REQUEST_MEMBERS = ['body', 'params'];
/** Names that determine the model, or add messages. Some parsers ignore their case. */
const MODEL_DECIDING_MEMBERS = new Set([
  ...REQUEST_MEMBERS,
  'model',
  'models',
  'fallbacks',
  'tools',
  'session',
  'requests',
  'thread',
]);
/** The members other than `model` that can contain a model id in the native APIs. */
export const MEMBERS_WITH_MODEL_IDS = ['session', 'tools', 'models', 'fallbacks'];
/** The members of `MEMBERS_WITH_MODEL_IDS` whose entries can be model ids. */
export const MODEL_LIST_MEMBERS: ReadonlySet<string> = new Set(['models', 'fallbacks']);
/**
 * The maximum number of models that a request may name. Limits, budgets and allowlists are checked for each of
 * them.
 */
export const MAX_MODELS_PER_REQUEST = 1_000;
/** Names of the members with the batch input. */
const INPUT_FILE_MEMBERS = new Set(['input_file_id', 'input_file_ids', 'input_files', 'file_id', 'file_ids']);
/** Members with the caller's data, in which `model` has no meaning. */
const FREE_FORM_MEMBERS = new Set(['metadata', 'parameters', 'input_schema', 'schema', 'arguments', 'input']);

/** The models and files that a batch request, or a request about a batch, refers to. */
export interface BatchReferences {
  readonly models: Set<string>;
  /** Ids of the files that the batch reads. */
  readonly inputs: string[];
}

/**
 * Finds all model ids and input files in a JSON text that the scanner has accepted. No other parser can find a model
 * id that this function misses. The function does not depend on the structure that contains the
 * requests of a batch, because this structure differs between providers.
 * @throws Fault `invalid_request` for a duplicate name at any depth, a name that determines the
 * model but differs in letter case, more than `MAX_MODELS_PER_REQUEST` different models, a request that is not an
 * object, or a `model` that is not a string. The message completes the sentence "Line 3 is invalid: …".
 */
export function findBatchReferences(bytes: Buffer): BatchReferences {
  const doubled = findDuplicateMemberName(bytes);
  if (doubled !== null)
    throw ambiguousBodyFault(`the field "${doubled.slice(0, 64)}" must occur only once in an object`);
  const parsed: Json = JSON.parse(bytes.toString('utf8'));
  const found: BatchReferences = { models: new Set(), inputs: [] };
  if (!isJsonObject(parsed)) return found;
  for (const name of REQUEST_MEMBERS) {
    const inner = parsed[name];
    if (inner === undefined) continue;
    if (!isJsonObject(inner)) throw ambiguousBodyFault(`"${name}" must be an object`);
    if (inner['thread'] !== undefined && inner['thread'] !== null)
      throw ambiguousBodyFault('the field "thread" is not supported');
    rejectMisspelledMembers(inner);
  }
  rejectMisspelledMembers(parsed);
  collectReferences(parsed, found);
  if (found.models.size > MAX_MODELS_PER_REQUEST)
    throw ambiguousBodyFault(
      `the request must name at most ${MAX_MODELS_PER_REQUEST.toLocaleString('en-US')} different models`,
    );
  return found;
}

/** Returns the message of an error so that it completes the sentence "Line 3 is invalid: …". */
export function toInvalidReason({ message }: Error): string {
  return message
    .replace(/^The request body /, 'it ')
    .replace(/^The /, 'the ')
    .replace(/\.$/, '');
}

function collectReferences(value: Json, found: BatchReferences): void {
  if (Array.isArray(value)) for (const entry of value) collectReferences(entry, found);
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined || FREE_FORM_MEMBERS.has(name)) continue;
    if (isModelMember(name, member)) found.models.add(member);
    else if (MODEL_LIST_MEMBERS.has(name)) collectModelList(member, found);
    else if (INPUT_FILE_MEMBERS.has(name)) {
      for (const entry of [member].flat()) if (typeof entry === 'string') found.inputs.push(entry);
    } else collectReferences(member, found);
  }
}

/** Collects a list of models or fallbacks. Each entry is a model name, or an object that contains one. */
function collectModelList(value: Json, found: BatchReferences): void {
  for (const entry of asArray(value))
    if (typeof entry === 'string') found.models.add(entry);
    else collectReferences(entry, found);
}

/**
 * Returns whether the member names a model. A nested object may use this name for another purpose; its
 * content is searched instead.
 */
function isModelMember(name: string, member: Json): member is string {
  if (name.length !== 'model'.length || name.toLowerCase() !== 'model') return false;
  if (name !== 'model') throw ambiguousBodyFault(`the field "${name}" must be spelled "model"`);
  return typeof member === 'string';
}

/**
 * Adds model ids to `found`. Searches the members of the body that can name a model in the native APIs, such as
 * `tools`. Ignores the body's own `model`.
 */
export function collectNestedModels(body: JsonObject, found: Set<string>): void {
  addModel(body['session'], found);
  for (const tool of asArray(body['tools'])) addModel(tool, found);
  for (const name of MODEL_LIST_MEMBERS)
    for (const model of asArray(body[name]))
      if (typeof model === 'string') found.add(model);
      else addModel(model, found);
}

function addModel(value: Json | undefined, found: Set<string>): void {
  if (isJsonObject(value) && typeof value['model'] === 'string') found.add(value['model']);
}

/**
 * Rejects names that equal a known member except for letter case.
 */
function rejectMisspelledMembers(members: JsonObject): void {
  const { model } = members;
  if (model !== undefined && typeof model !== 'string') throw ambiguousBodyFault('"model" must be a string');
  for (const name of Object.keys(members)) {
    const folded = foldMemberName(name.trim());
    if (folded !== name && MODEL_DECIDING_MEMBERS.has(folded))
      throw ambiguousBodyFault(`the field "${name.slice(0, 64)}" must be spelled "${folded}"`);
  }
}

function ambiguousBodyFault(why: string): Fault {
  return new Fault('invalid_request', why);
}
