import { isObject } from '@floe/contract/json';
import { type ByteSpan, readStringAt } from '@floe/wire/json-edits';
import { tryParseJson } from '@floe/wire/json-narrowing';
import { stripUnstorableCharacters } from '../core/unstorable-characters.ts';
import type { ClientHeaders } from './forward-request.ts';

/** Headers in which clients send a session id, in lower case. The first one present counts. */
const SESSION_HEADERS = [
  'x-session-id',
  'session-id',
  'session_id',
  'x-session-affinity',
  'x-conversation-id',
];
/** Clients put their own name before this suffix. */
const SESSION_HEADER_SUFFIX = '-session-id';
/** A longer text is not treated as an id. */
const MAX_ID_CHARACTERS = 512;

/** A JSON body with the positions of its top-level members. */
export interface ScannedRequestBody {
  readonly body: Buffer;
  readonly members: ReadonlyMap<string, ByteSpan>;
}

/**
 * Returns the id of the conversation that a request belongs to: a session header,
 * `prompt_cache_key`, or the conversation id of a Responses request. Returns null if the request
 * has none of these. The end user id is not used. For forms and files, only headers are read.
 */
export function findConversationId(headers: ClientHeaders, asked: ScannedRequestBody | null): string | null {
  const named = findSessionHeader(headers);
  if (named !== null || asked === null) return named;
  return findIdInBody(asked, 'prompt_cache_key') ?? findIdInBody(asked, 'conversation');
}

/** Agents of the Messages dialect put the session into the user id, as JSON or after this word. */
const SESSION_IN_USER = /_session_([\w-]{8,64})$/;

/**
 * Returns the session id for the request log row. If the same text also contains an account id, the
 * account id is removed.
 */
export function findSessionId(
  headers: ClientHeaders,
  asked: (ScannedRequestBody & { readonly user: string | null }) | null,
): string | null {
  const name =
    findSessionHeader(headers) ??
    findSessionInUser(asked?.user ?? null) ??
    findConversationId(headers, asked);
  // Rows are also stored in databases that do not accept every character.
  return name === null ? null : stripUnstorableCharacters(name.slice(0, 256));
}

function findSessionInUser(user: string | null): string | null {
  if (user === null) return null;
  if (!user.startsWith('{')) return SESSION_IN_USER.exec(user)?.[1] ?? null;
  const value = tryParseJson(user);
  return isObject(value) ? validId(value['session_id']) : null;
}

/** Returns the session id from the headers. Agents send the same id in their hooks. */
export function findSessionHeader(headers: ClientHeaders): string | null {
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

/** Returns the member if it is a string, or the `id` of an object. */
function findIdInBody({ body, members }: ScannedRequestBody, member: string): string | null {
  const span = members.get(member);
  if (!span || span.end - span.start > MAX_ID_CHARACTERS) return null;
  if (body[span.start] !== 0x7b) return validId(readStringAt(body, span));
  const parsed: unknown = JSON.parse(body.toString('utf8', span.start, span.end));
  return isObject(parsed) ? validId(parsed['id']) : null;
}

function validId(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID_CHARACTERS ? value : null;
}
