import { isObject } from '@floe/contract/json';
import { readString, type Span } from '@floe/wire/splice';
import type { ClientHeaders } from './forward-request.ts';

/** Headers in which clients name a session, first one wins; lower case. */
const EXACT_HEADERS = ['x-session-id', 'session-id', 'session_id', 'x-session-affinity', 'x-conversation-id'];
/** Clients put their own name before it. */
const HEADER_ENDING = '-session-id';
/** A name is opaque; what is longer is no name. */
const NAME_CHARACTERS = 512;

/** A JSON body whose top-level members are known. */
export interface ScannedBody {
  readonly body: Buffer;
  readonly members: ReadonlyMap<string, Span>;
}

/**
 * What names the conversation a request belongs to: a session header, `prompt_cache_key`, or the conversation
 * id of a Responses request. Null when nothing does; an end user is no conversation. Forms and files name one
 * in a header only.
 */
export function conversationOf(headers: ClientHeaders, asked: ScannedBody | null): string | null {
  const named = sessionOf(headers);
  if (named !== null || asked === null) return named;
  return inBody(asked, 'prompt_cache_key') ?? inBody(asked, 'conversation');
}

/** The session that a client names in its headers: agents call it the same towards their hooks. */
export function sessionOf(headers: ClientHeaders): string | null {
  for (const name of EXACT_HEADERS) {
    const value = named(headers[name]);
    if (value !== null) return value;
  }
  for (const name in headers)
    if (name.endsWith(HEADER_ENDING)) {
      const value = named(headers[name]);
      if (value !== null) return value;
    }
  return null;
}

/** The member's text, or the `id` of the object it holds. */
function inBody({ body, members }: ScannedBody, member: string): string | null {
  const span = members.get(member);
  if (!span || span.end - span.start > NAME_CHARACTERS) return null;
  if (body[span.start] !== 0x7b) return named(readString(body, span));
  const parsed: unknown = JSON.parse(body.toString('utf8', span.start, span.end));
  return isObject(parsed) ? named(parsed['id']) : null;
}

function named(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= NAME_CHARACTERS ? value : null;
}
