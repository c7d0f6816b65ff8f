import { Fault } from '@floe/contract/faults';

/** A request's address below the base of its surface. */
export interface Place {
  /** As sent, still encoded; none for the base itself. */
  readonly segments: readonly string[];
  /** With its `?`; empty without one. */
  readonly query: string;
}

/**
 * Reads what stands behind a base. Refuses whatever two readers could take for different paths: dot segments,
 * empty segments, backslashes, encoded slashes, control characters, doubly encoded text, absolute forms.
 *
 * @throws Fault `invalid_request`
 */
export function readPlace(rest: string): Place {
  const at = rest.indexOf('?');
  const path = at === -1 ? rest : rest.slice(0, at);
  const query = at === -1 ? '' : rest.slice(at);
  if (/[^\x21-\x7e]|#/.test(query)) throw odd('Its query holds characters that must be percent-encoded.');
  const segments = path.replace(/^\//, '').replace(/\/$/, '').split('/');
  if (segments.length === 1 && segments[0] === '') return { segments: [], query };
  for (const segment of segments) checkSegment(segment);
  return { segments, query };
}

function checkSegment(segment: string): void {
  const text = decoded(segment);
  if (text === undefined) throw odd('It holds a percent sign that begins no character.');
  if (text === '') throw odd('It holds an empty segment (//).');
  if (text === '.' || text === '..') throw odd('It holds a dot segment.');
  if (/[\x00-\x1f\x7f/\\?#%]/.test(text) || /[^\x21-\x7e]/.test(segment))
    throw odd('It holds an encoded slash or a character that no path needs.');
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function odd(why: string): Fault {
  return new Fault('invalid_request', `This path is not passed on. ${why}`, { param: 'path' });
}
