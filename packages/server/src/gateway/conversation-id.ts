import { isJsonObject } from '@floe/contract/json';
import { type ByteSpan, readStringAt } from '@floe/wire/json-edits';
import { tryParseJson } from '@floe/wire/json-narrowing';
import { replaceUnstorableCharacters } from '../core/unstorable-characters.ts';
import type { ClientHeaders } from './forward-request.ts';

/** Headers in which clients send a session id, in lower case. The first one present is used. */
const SESSION_HEADERS = [
  'x-session-id',
  'session-id',
  'session_id',
  'x-session-affinity',
  'x-conversation-id',
];
/** Suffix of other headers with a session id. Clients put their own name before it. */
const SESSION_HEADER_SUFFIX = '-session-id';
/** Maximum length of a session id. Longer text is ignored. */
const MAX_ID_CHARACTERS = 512;

/** A JSON body with the positions of its top-level members. */
export interface ScannedRequestBody {
  readonly body: Buffer;
  readonly members: ReadonlyMap<string, ByteSpan>;
}

/**
 * Returns the id of the conversation that a request belongs to: a session header, `prompt_cache_key`, or the
 * conversation id of a Responses request. Returns null if the request has none of these. The end user id is
 * not used. For forms and files, only headers are read.
 */
export function findConversationId(
  headers: ClientHeaders,
  scanned: ScannedRequestBody | null,
): string | null {
  const named = findSessionIdInHeaders(headers);
  if (named !== null || scanned === null) return named;
  return findIdInBody(scanned, 'prompt_cache_key') ?? findIdInBody(scanned, 'conversation');
}

/**
 * Matches a session id in the user id of a Messages request. Agents put the session id there, in JSON or
 * after this word.
 */
const SESSION_IN_USER = /_session_([\w-]{8,64})$/;

/**
 * Returns the session id for the request log row; null if the request has none. If the user id contains both
 * a session id and an account id, returns only the session id.
 */
export function findSessionId(
  headers: ClientHeaders,
  scanned: (ScannedRequestBody & { readonly user: string | null }) | null,
): string | null {
  const name =
    findSessionIdInHeaders(headers) ??
    findSessionInUser(scanned?.user ?? null) ??
    findConversationId(headers, scanned);
  // Rows are also stored in databases that do not accept every character.
  return name === null ? null : replaceUnstorableCharacters(name.slice(0, 256));
}

function findSessionInUser(user: string | null): string | null {
  if (user === null) return null;
  if (!user.startsWith('{')) return SESSION_IN_USER.exec(user)?.[1] ?? null;
  const value = tryParseJson(user);
  return isJsonObject(value) ? validId(value['session_id']) : null;
}

/** Returns the session id from the headers. Agents send the same id in their hooks. */
export function findSessionIdInHeaders(headers: ClientHeaders): string | null {
  for (const name of SESSION_HEADERS) {
    const value = validId(headers[name]);
    if (value !== null) return value;
  }
  for (const name in headers)
    if (name.endsWith(SESSION_HEADER_SUFFIX)) {
      const value = validId(headers[name]);
      if (value !== null) return value;
    }
  return null;
}

/** Returns the member if it is a string, or its `id` if it is an object. */
function findIdInBody({ body, members }: ScannedRequestBody, member: string): string | null {
  const span = members.get(member);
  if (!span || span.end - span.start > MAX_ID_CHARACTERS) return null;
  if (body[span.start] !== 0x7b) return validId(readStringAt(body, span));
  const parsed: unknown = JSON.parse(body.toString('utf8', span.start, span.end));
  return isJsonObject(parsed) ? validId(parsed['id']) : null;
}

function validId(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID_CHARACTERS ? value : null;
}
