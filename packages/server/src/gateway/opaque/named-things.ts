import { Fault } from '@floe/contract/faults';
import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import { JsonCursor } from '@floe/wire/json-cursor';
import type { Span } from '@floe/wire/splice';
import { doubledName } from '@floe/wire/unambiguous';
import { batchNames, listOf, modelsIn, NAMING } from './named-models.ts';

/** Members whose text is the id of a thing somebody made, wherever in a body they stand. */
const IDS = new Set([
  'input_file_id',
  'training_file',
  'validation_file',
  'previous_response_id',
  'vector_store_id',
]);
const ID_LISTS = new Set(['file_ids', 'vector_store_ids']);
/** Parts that have a file read; in others `file_id` only tells where something came from. */
const READING = new Set([
  'file',
  'image',
  'document',
  'input_file',
  'input_image',
  'image_file',
  'container_upload',
]);
const MARK = /"(?:\w*file\w*|previous_response_id|vector_store_ids?|conversation)"/;

/** What a body names: models that must be allowed, and things that must belong to the caller. */
export interface NamedThings {
  readonly models: readonly string[];
  readonly ids: readonly string[];
  /** Of the ids, the stored answer this request goes on from. */
  readonly previous: string | null;
}

/**
 * Models and ids a JSON body names, besides its own `model`. Models stand in places the native APIs give them: the
 * requests of a batch, a session, hosted tools, fallback lists. Tool arguments and schemas are data and not read.
 */
export function namedThings(body: Buffer, members: ReadonlyMap<string, Span>): NamedThings {
  const models: string[] = [];
  const ids: string[] = [];
  const wantsModels = NAMING.some((name) => members.has(name));
  requestsIn(body, members.get('requests'), models);
  const text = body.toString('latin1');
  const wantsIds = MARK.test(text);
  if (!wantsModels && !wantsIds) return { models, ids, previous: null };
  const parsed: Json = JSON.parse(body.toString('utf8'));
  if (!isObject(parsed)) return { models, ids, previous: null };
  if (wantsModels) {
    for (const name of NAMING) refuseDoubled(body, name, members.get(name));
    modelsIn(parsed, models);
  }
  if (wantsIds) idsIn(parsed, ids);
  const { previous_response_id: previous } = parsed;
  return { models, ids, previous: typeof previous === 'string' ? previous : null };
}

/** Requests of a batch that stand in its body are read as strictly as the lines of a file. */
function requestsIn(body: Buffer, span: Span | undefined, found: string[]): void {
  if (span === undefined) return;
  const cursor = new JsonCursor(body, span.start, span.end);
  if (!cursor.enterArray()) return;
  for (let at = 0; cursor.nextElement(); at += 1) {
    cursor.peek();
    const start = cursor.at;
    cursor.skip();
    const entry = body.subarray(start, cursor.at);
    try {
      found.push(...batchNames(entry).models);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw new Fault('invalid_request', `requests[${at}] cannot be judged: ${error.message}.`, {
        param: `requests[${at}]`,
      });
    }
  }
}

function refuseDoubled(body: Buffer, name: string, span: Span | undefined): void {
  const doubled = span && doubledName(body, span);
  if (doubled === undefined || doubled === null) return;
  throw new Fault('invalid_request', `In "${name}", the member "${doubled.slice(0, 64)}" occurs twice.`, {
    param: name,
  });
}

/** Not into tool arguments, which are text, nor into schemas and metadata, which are the caller's own words. */
function idsIn(value: Json | undefined, found: string[]): void {
  if (Array.isArray(value)) for (const entry of value) idsIn(entry, found);
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'string' && (IDS.has(name) || readsFile(name, value))) found.push(member);
    else if (ID_LISTS.has(name)) found.push(...listOf(member).filter((entry) => typeof entry === 'string'));
    else if (name === 'conversation') found.push(...idOf(member));
    else if (!OWN_WORDS.has(name)) idsIn(member, found);
  }
}

function readsFile(name: string, { type }: JsonObject): boolean {
  return name === 'file_id' && (type === undefined || (typeof type === 'string' && READING.has(type)));
}

const OWN_WORDS = new Set(['metadata', 'parameters', 'input_schema', 'schema', 'arguments']);

/** A thing named by its id or by an object that holds it. */
function idOf(value: Json | undefined): string[] {
  const id = isObject(value) ? value['id'] : value;
  return typeof id === 'string' && id !== '' ? [id] : [];
}
