import { isObject } from '@floe/contract/json';
import { type ByteSpan, readStringAt } from '@floe/wire/json-edits';
import { tryParseJson } from '@floe/wire/json-narrowing';
import { stripUnstorableCharacters } from '../core/unstorable-characters.ts';
import type { ClientHeaders } from './forward-request.ts';

/** Headers in which clients name a session, first one wins; lower case. */
const SESSION_HEADERS = [
  'x-session-id',
  'session-id',
  'session_id',
  'x-session-affinity',
  'x-conversation-id',
];
/** Clients put their own name before it. */
const SESSION_HEADER_SUFFIX = '-session-id';
/** A name is opaque; what is longer is no name. */
const MAX_ID_CHARACTERS = 512;

/** A JSON body whose top-level members are known. */
export interface ScannedRequestBody {
  readonly body: Buffer;
  readonly members: ReadonlyMap<string, ByteSpan>;
}

/**
 * What names the conversation a request belongs to: a session header, `prompt_cache_key`, or the conversation
 * id of a Responses request. Null when nothing does; an end user is no conversation. Forms and files name one
 * in a header only.
 */
export function findConversationId(headers: ClientHeaders, asked: ScannedRequestBody | null): string | null {
  const named = findSessionHeader(headers);
  if (named !== null || asked === null) return named;
  return findIdInBody(asked, 'prompt_cache_key') ?? findIdInBody(asked, 'conversation');
}

/** An agent of the Messages dialect names its session in the id of its user, as JSON or behind the word. */
const SESSION_IN_USER = /_session_([\w-]{8,64})$/;

/** What a row keeps as the session of a request; an account that stands beside it is left out. */
export function findSessionId(
  headers: ClientHeaders,
  asked: (ScannedRequestBody & { readonly user: string | null }) | null,
): string | null {
  const name =
    findSessionHeader(headers) ??
    findSessionInUser(asked?.user ?? null) ??
    findConversationId(headers, asked);
  // Rows are kept in databases too that do not hold every text.
  return name === null ? null : stripUnstorableCharacters(name.slice(0, 256));
}

function findSessionInUser(user: string | null): string | null {
  if (user === null) return null;
  if (!user.startsWith('{')) return SESSION_IN_USER.exec(user)?.[1] ?? null;
  const value = tryParseJson(user);
  return isObject(value) ? validId(value['session_id']) : null;
}

/** The session that a client names in its headers: agents call it the same towards their hooks. */
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

/** The member's text, or the `id` of the object it holds. */
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
