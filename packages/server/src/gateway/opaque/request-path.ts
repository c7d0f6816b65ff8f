import { Fault } from '@floe/contract/faults';
import { requireValidQuery } from '../client-query.ts';

/** The path of a request below the base path of its surface. */
export interface RequestPath {
  /** The encoded segments in normal form (`normalizeSegment`); empty for the base itself. */
  readonly segments: readonly string[];
  /** The query including `?`; empty if there is none. */
  readonly query: string;
}

/**
 * Parses the path after a base path. Checks and forwarding use the same normal form of the path. Rejects paths that
 * different parsers interpret differently: dot segments, empty segments, backslashes, encoded slashes, path parameters,
 * control characters, double encoding and absolute URLs.
 * @throws Fault `invalid_request`
 */
export function parseRequestPath(rest: string): RequestPath {
  const at = rest.indexOf('?');
  const path = at === -1 ? rest : rest.slice(0, at);
  const query = at === -1 ? '' : rest.slice(at);
  requireValidQuery(query);
  const segments = path.replace(/^\//, '').replace(/\/$/, '').split('/');
  if (segments.length === 1 && segments[0] === '') return { segments: [], query };
  return { segments: segments.map(normalizeSegment), query };
}

/**
 * Returns the normal form of a segment, in which unreserved characters are not percent-encoded. Both forms are the same
 * path (RFC 3986, 6.2.2.2).
 */
function normalizeSegment(segment: string): string {
  validateSegment(segment);
  return segment.replace(/%[2-7][\da-f]/gi, (encoded) => {
    const character = decodeURIComponent(encoded);
    return /[\w.~-]/.test(character) ? character : encoded;
  });
}

function validateSegment(segment: string): void {
  const text = tryDecode(segment);
  if (text === undefined) throw invalidPathFault('The path contains invalid percent-encoding.');
  if (text === '') throw invalidPathFault('The path contains an empty segment (//).');
  if (text === '.' || text === '..') throw invalidPathFault('The path contains a dot segment (. or ..).');
  if (/[\x00-\x1f\x7f/\\?#%;]/.test(text) || /[^\x21-\x7e]/.test(segment))
    throw invalidPathFault(
      'The path contains an encoded slash, a semicolon or a character that is not allowed.',
    );
}

function tryDecode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function invalidPathFault(why: string): Fault {
  return new Fault('invalid_request', `This path cannot be forwarded. ${why}`, { param: 'path' });
}
