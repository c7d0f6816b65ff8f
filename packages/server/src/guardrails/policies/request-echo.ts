import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { applyByteEdits, createJsonMemberEdit, scanJsonObject } from '@floe/wire/json-edits';
import { tryParseJson } from '@floe/wire/json-narrowing';
import type { PolicyRequest } from './policy-request-view.ts';

/** The members in which responses of the Responses API repeat the request. */
const ECHOED_MEMBERS = [
  'instructions',
  'metadata',
  'prompt',
  'prompt_cache_key',
  'safety_identifier',
  'text',
  'tool_choice',
  'tools',
  'user',
] as const;
/** A larger member of a request is not compared, so detectors check the same member of the response. */
const MAX_COMPARED_BYTES = 256 * 1024;

/**
 * Finds the members in which a response of the Responses API repeats the request. Response policies do not check these,
 * because the model did not write them.
 */
export class RequestEcho {
  readonly #request: Pick<PolicyRequest, 'body' | 'members'>;
  readonly #textsByMember = new Map<string, ReadonlySet<string>>();

  constructor(request: Pick<PolicyRequest, 'body' | 'members'>) {
    this.#request = request;
  }

  /** Returns the response object without the members that repeat the request. */
  remove(response: JsonObject): JsonObject {
    const echoed = new Set<string>(this.#listEchoed(response));
    if (echoed.size === 0) return response;
    return Object.fromEntries(Object.entries(response).filter(([name]) => !echoed.has(name)));
  }

  /** Returns the body of a response with `null` in place of the members that repeat the request. */
  blank(body: Buffer, response: Json): Buffer {
    const echoed = isJsonObject(response) ? this.#listEchoed(response) : [];
    return echoed.length === 0 ? body : replaceMembers(body, new Map(echoed.map((name) => [name, 'null'])));
  }

  #listEchoed(response: JsonObject): readonly string[] {
    return ECHOED_MEMBERS.filter((name) => {
      const texts = listTexts(response[name]);
      return texts.length > 0 && texts.every((text) => this.#textsOf(name).has(text));
    });
  }

  #textsOf(name: string): ReadonlySet<string> {
    const known = this.#textsByMember.get(name);
    if (known) return known;
    const { body, members } = this.#request;
    const { start, end } = members.get(name) ?? { start: 0, end: 0 };
    const isCompared = end > start && end <= body.length && end - start <= MAX_COMPARED_BYTES;
    const value = isCompared ? tryParseJson(body.toString('utf8', start, end)) : undefined;
    const texts = new Set(listTexts(value));
    this.#textsByMember.set(name, texts);
    return texts;
  }
}

/** Puts the members that `RequestEcho.blank` has replaced back into a redacted body. */
export function restoreBlankedMembers(redacted: Buffer, blanked: Buffer, original: Buffer): Buffer {
  if (blanked === original) return redacted;
  const changed = new Map<string, string>();
  const before = scanJsonObject(original);
  for (const [name, { start, end }] of scanJsonObject(blanked)) {
    const { start: from, end: to } = before.get(name) ?? { start: 0, end: 0 };
    if (blanked.toString('utf8', start, end) === 'null' && to > from)
      changed.set(name, original.toString('utf8', from, to));
  }
  return replaceMembers(redacted, changed);
}

/** Returns the same body if it repeats a name, because clients read different members of it. */
function replaceMembers(body: Buffer, values: ReadonlyMap<string, string>): Buffer {
  try {
    const members = scanJsonObject(body);
    const edits = [...values].map(([name, text]) => createJsonMemberEdit({ body, members }, name, text));
    return applyByteEdits(
      body,
      edits.sort((one, other) => one.start - other.start),
    );
  } catch {
    return body;
  }
}

/** Returns all texts and numbers of a JSON value, but no names. */
function listTexts(value: Json | undefined): readonly string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return isJsonObject(value) ? Object.values(value).flatMap(listTexts) : [];
}
