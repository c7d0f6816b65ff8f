import { Fault } from '@floe/contract/faults';
import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import { findDuplicateName } from '@floe/wire/duplicate-names';

/** Members of a line or entry of a batch that hold the request itself, by the APIs that have batches. */
const REQUEST_MEMBERS = ['body', 'params'];
/** Names that decide which model answers; some readers take them in any case. */
const MODEL_DECIDING_MEMBERS = new Set([
  ...REQUEST_MEMBERS,
  'model',
  'models',
  'fallbacks',
  'tools',
  'session',
  'requests',
]);
/** Members of a request, besides `model`, in which the native APIs name one. */
export const MODEL_NAMING_MEMBERS = ['session', 'tools', 'models', 'fallbacks'];
const MODEL_LIST_MEMBERS = new Set(['models', 'fallbacks']);
/** Names under which APIs take the input of a batch. */
const INPUT_FILE_MEMBERS = new Set(['input_file_id', 'input_file_ids', 'input_files', 'file_id', 'file_ids']);
/** The caller's own words, in which a `model` names none. */
const FREE_FORM_MEMBERS = new Set(['metadata', 'parameters', 'input_schema', 'schema', 'arguments', 'input']);

/** What a request of a batch, or about one, names wherever in its body. */
export interface BatchReferences {
  readonly models: string[];
  /** Ids of files whose lines the batch reads. */
  readonly inputs: string[];
}

/**
 * Reads JSON that a scan has accepted so that no other reader can find another model in it: the shape around a
 * batch's requests is each provider's own.
 *
 * @throws Fault `invalid_request` for a doubled name at any depth, a deciding name in other letters, a request that
 * is no object, a `model` that is no text. Its message is a clause, to be put behind the place.
 */
export function findBatchReferences(bytes: Buffer): BatchReferences {
  const doubled = findDuplicateName(bytes);
  if (doubled !== null)
    throw ambiguousBodyFault(`the field "${doubled.slice(0, 64)}" must occur only once in an object`);
  const parsed: Json = JSON.parse(bytes.toString('utf8'));
  const found: BatchReferences = { models: [], inputs: [] };
  if (!isObject(parsed)) return found;
  for (const name of REQUEST_MEMBERS) {
    const inner = parsed[name];
    if (inner === undefined) continue;
    if (!isObject(inner)) throw ambiguousBodyFault(`"${name}" must be an object`);
    rejectMisspelledMembers(inner);
  }
  rejectMisspelledMembers(parsed);
  collectReferences(parsed, found);
  return found;
}

function collectReferences(value: Json, found: BatchReferences): void {
  if (Array.isArray(value)) for (const entry of value) collectReferences(entry, found);
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined || FREE_FORM_MEMBERS.has(name)) continue;
    if (isModelMember(name, member)) found.models.push(member);
    else if (MODEL_LIST_MEMBERS.has(name)) collectModelList(member, found);
    else if (INPUT_FILE_MEMBERS.has(name))
      found.inputs.push(...[member].flat().filter((entry) => typeof entry === 'string'));
    else collectReferences(member, found);
  }
}

/** A list of models or of what falls back to them: each entry is a model's name, or an object that holds it. */
function collectModelList(value: Json, found: BatchReferences): void {
  for (const entry of arrayOrEmpty(value))
    if (typeof entry === 'string') found.models.push(entry);
    else collectReferences(entry, found);
}

/** A nested object may have a member of this name for its own reasons; what it holds is looked through. */
function isModelMember(name: string, member: Json): member is string {
  if (name.length !== 'model'.length || name.toLowerCase() !== 'model') return false;
  if (name !== 'model') throw ambiguousBodyFault(`the field "${name}" must be spelled "model"`);
  return typeof member === 'string';
}

/** Models that stand in members of a body where the native APIs give them, besides its own `model`. */
export function collectNestedModels(body: JsonObject, found: string[]): void {
  addModel(body['session'], found);
  for (const tool of arrayOrEmpty(body['tools'])) addModel(tool, found);
  for (const name of ['models', 'fallbacks'])
    for (const model of arrayOrEmpty(body[name]))
      if (typeof model === 'string') found.push(model);
      else addModel(model, found);
}

function addModel(value: Json | undefined, found: string[]): void {
  if (isObject(value) && typeof value['model'] === 'string') found.push(value['model']);
}

/** The entries of a list; none of anything else. */
export function arrayOrEmpty(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Letters that fold to ASCII (U+017F, U+212A) count too. */
function rejectMisspelledMembers(members: JsonObject): void {
  const { model } = members;
  if (model !== undefined && typeof model !== 'string') throw ambiguousBodyFault('"model" must be a string');
  for (const name of Object.keys(members)) {
    const folded = name.trim().toUpperCase().toLowerCase();
    if (folded !== name && MODEL_DECIDING_MEMBERS.has(folded))
      throw ambiguousBodyFault(`the field "${name.slice(0, 64)}" must be spelled "${folded}"`);
  }
}

function ambiguousBodyFault(why: string): Fault {
  return new Fault('invalid_request', why);
}
