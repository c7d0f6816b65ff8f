import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { applyByteEdits, createJsonMemberEdit, scanJsonObject } from '@floe/wire/json-edits';
import { tryParseJson } from '@floe/wire/json-narrowing';
import type { PolicyRequest } from './policy-request-view.ts';

/** The members in which responses of the Responses API repeat the request. */
export const ECHOED_MEMBERS = [
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
/** The size of all members of a request that are compared. Detectors check the other members of the response. */
const MAX_COMPARED_BYTES = 256 * 1024;
/** Values that providers add to a repeated member, such as `"medium"` or `20`. None of them can be a finding. */
const ADDED_VALUE = /^(?:[a-z_]{1,32}|\d{1,4}(?:\.\d{1,4})?)$/;

type EchoedRequest = Pick<PolicyRequest, 'body' | 'members' | 'sentBody'>;

/**
 * Finds the members in which a response of the Responses API repeats the request. Response policies do not check these,
 * because the model did not write them.
 */
export class RequestEcho {
  readonly #request: EchoedRequest;
  readonly #textsByMember = new Map<string, ReadonlySet<string>>();

  #remainingBytes = MAX_COMPARED_BYTES;

  constructor(request: EchoedRequest) {
    this.#request = request.sentBody ? readMembers(request.sentBody) : request;
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
      if (response[name] === undefined || response[name] === null) return false;
      const sent = this.#textsOf(name);
      let repeated = 0;
      const isEchoed = everyText(response[name], (text) => {
        if (ADDED_VALUE.test(text)) return true;
        repeated += 1;
        return sent.has(text);
      });
      return isEchoed && repeated > 0;
    });
  }

  #textsOf(name: string): ReadonlySet<string> {
    const known = this.#textsByMember.get(name);
    if (known) return known;
    const { body, members } = this.#request;
    const { start, end } = members.get(name) ?? { start: 0, end: 0 };
    const isCompared = end > start && end <= body.length && end - start <= this.#remainingBytes;
    if (isCompared) this.#remainingBytes -= end - start;
    const value = isCompared ? tryParseJson(body.toString('utf8', start, end)) : undefined;
    const texts = new Set<string>();
    everyText(value, (text) => texts.add(text).size > 0);
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

function readMembers(bytes: Uint8Array): EchoedRequest {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { body, members: scanJsonObject(body) };
}

/** Returns whether `test` returns true for all texts and numbers of a JSON value. Names are not tested. */
function everyText(value: Json | undefined, test: (text: string) => boolean): boolean {
  if (typeof value === 'string' || typeof value === 'number') return test(String(value));
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((each: Json) => everyText(each, test));
}
