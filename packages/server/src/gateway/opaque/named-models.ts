import { Fault } from '@floe/contract/faults';
import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import { doubledName } from '@floe/wire/unambiguous';

/** Members of a line or entry of a batch that hold the request itself, by the APIs that have batches. */
const INNER = ['body', 'params'];
/** Names that decide which model answers; some readers take them in any case. */
const DECIDING = new Set([...INNER, 'model', 'models', 'fallbacks', 'tools', 'session', 'requests']);
/** Members of a request, besides `model`, in which the native APIs name one. */
export const NAMING = ['session', 'tools', 'models', 'fallbacks'];
const LISTING = new Set(['models', 'fallbacks']);
/** Names under which APIs take the input of a batch. */
const INPUTS = new Set(['input_file_id', 'input_file_ids', 'input_files', 'file_id', 'file_ids']);
/** The caller's own words, in which a `model` names none. */
const OWN_WORDS = new Set(['metadata', 'parameters', 'input_schema', 'schema', 'arguments', 'input']);

/** What a request of a batch, or about one, names wherever in its body. */
export interface BatchNames {
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
export function batchNames(bytes: Buffer): BatchNames {
  const doubled = doubledName(bytes);
  if (doubled !== null) throw ambiguous(`the member "${doubled.slice(0, 64)}" occurs twice in one object`);
  const parsed: Json = JSON.parse(bytes.toString('utf8'));
  const found: BatchNames = { models: [], inputs: [] };
  if (!isObject(parsed)) return found;
  for (const name of INNER) {
    const inner = parsed[name];
    if (inner === undefined) continue;
    if (!isObject(inner)) throw ambiguous(`"${name}" is not an object`);
    refuseOtherLetters(inner);
  }
  refuseOtherLetters(parsed);
  gather(parsed, found);
  return found;
}

function gather(value: Json, found: BatchNames): void {
  if (Array.isArray(value)) for (const entry of value) gather(entry, found);
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined || OWN_WORDS.has(name)) continue;
    if (isModel(name, member)) found.models.push(member);
    else if (LISTING.has(name)) gatherList(member, found);
    else if (INPUTS.has(name))
      found.inputs.push(...[member].flat().filter((entry) => typeof entry === 'string'));
    else gather(member, found);
  }
}

/** A list of models or of what falls back to them: each entry is a model's name, or an object that holds it. */
function gatherList(value: Json, found: BatchNames): void {
  for (const entry of listOf(value))
    if (typeof entry === 'string') found.models.push(entry);
    else gather(entry, found);
}

/** A nested object may have a member of this name for its own reasons; what it holds is looked through. */
function isModel(name: string, member: Json): member is string {
  if (name.length !== 'model'.length || name.toLowerCase() !== 'model') return false;
  if (name !== 'model') throw ambiguous(`the member "${name}" is not spelled "model"`);
  return typeof member === 'string';
}

/** Models that stand in members of a body where the native APIs give them, besides its own `model`. */
export function modelsIn(body: JsonObject, found: string[]): void {
  take(body['session'], found);
  for (const tool of listOf(body['tools'])) take(tool, found);
  for (const name of ['models', 'fallbacks'])
    for (const model of listOf(body[name]))
      if (typeof model === 'string') found.push(model);
      else take(model, found);
}

function take(value: Json | undefined, found: string[]): void {
  if (isObject(value) && typeof value['model'] === 'string') found.push(value['model']);
}

/** The entries of a list; none of anything else. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Letters that fold to ASCII (U+017F, U+212A) count too. */
function refuseOtherLetters(members: JsonObject): void {
  const { model } = members;
  if (model !== undefined && typeof model !== 'string') throw ambiguous('"model" is not a string');
  for (const name of Object.keys(members)) {
    const folded = name.trim().toUpperCase().toLowerCase();
    if (folded !== name && DECIDING.has(folded))
      throw ambiguous(`the member "${name.slice(0, 64)}" is not spelled "${folded}"`);
  }
}

function ambiguous(why: string): Fault {
  return new Fault('invalid_request', why);
}
