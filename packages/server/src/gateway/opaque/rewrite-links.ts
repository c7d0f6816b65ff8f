import type { JsonObject } from '@floe/contract/json';
import { applyByteEdits, type ByteEdit } from '@floe/wire/json-edits';
import type { Target } from '../org-catalog.ts';
import type { OpaqueApiRules } from './opaque-api-rules.ts';
import { listPageEntries } from './owned-resources.ts';
import type { ResourceReference } from './resource-reference.ts';

/** Responses of these collections contain text of a model or a user, in which links must not change. */
const CONTENT_COLLECTIONS = new Set(['responses', 'chat/completions', 'conversations']);
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * The public URL of a surface, such as `http://host:port/prefix/gateway/passthrough-b`, and the target and
 * resource whose links are rewritten.
 */
export interface LinkRewriteContext {
  readonly url: string;
  readonly base: OpaqueApiRules;
  readonly target: Target;
  readonly resource: ResourceReference;
}

/**
 * Returns the URL that this client uses to reach Floe, without a trailing slash. It is
 * `server.base_url`, unless that is a loopback URL and the client used another host.
 */
export function resolvePublicBaseUrl(baseUrl: string, host: string): string {
  const url = new URL(baseUrl);
  if (LOOPBACK.test(url.hostname) && host !== '' && URL.canParse(`${url.protocol}//${host}`))
    return `${url.protocol}//${host}${url.pathname}`.replace(/\/$/, '');
  return baseUrl.replace(/\/$/, '');
}

/**
 * Returns whether the JSON responses of a path can contain links to the provider's API outside generated or
 * user-supplied content.
 */
export function canContainLinks({ collection, isBatchResults, isContent }: ResourceReference): boolean {
  return collection !== null && !isBatchResults && !isContent && !CONTENT_COLLECTIONS.has(collection);
}

/**
 * Replaces each link to the provider's API with a link to Floe, and returns all other bytes unchanged. Official
 * SDKs follow links in resources, such as the `results_url` of a batch, and send the caller's key with the
 * request. Without the replacement, they would send the platform key to the provider.
 * @param ids the ids that links to the provider may contain; null if they are unknown, so that every id counts
 */
export function rewriteLinks(
  body: Buffer,
  ids: ReadonlySet<string> | null,
  mount: LinkRewriteContext,
): Buffer {
  const edits: ByteEdit[] = [];
  for (const { start, end, text } of jsonStringValues(body)) {
    const link = rewriteLink(text, mount, ids);
    if (link !== null) edits.push({ start, end, text: JSON.stringify(link) });
  }
  return edits.length === 0 ? body : applyByteEdits(body, edits);
}

/** Returns the link to Floe; null if the text is not a link to the provider's API. */
function rewriteLink(
  text: string,
  { url, base, target, resource }: LinkRewriteContext,
  ids: ReadonlySet<string> | null,
): string | null {
  const link = /^\s*https?:/i.test(text) ? URL.parse(text) : null;
  if (link === null) return null;
  const { origin, pathname, search } = link;
  const mounted = [url, ...base.pathPrefix].join('/');
  if (origin === new URL(target.provider.origin).origin) {
    const root = (base.targetPath({ ...target, model: '' }, []).split('?')[0] ?? '').replace(/\/$/, '');
    const below = pathname.startsWith(`${root}/`) ? pathname.slice(root.length) : pathname;
    return mounted + below + search;
  }
  // A provider behind another address still returns its own links. They are recognized by the resource id in
  // them.
  const at = pathname.indexOf(`/${resource.collection}/`);
  const [, id] = at === -1 ? [] : pathname.slice(at + 1 + (resource.collection ?? '').length).split('/');
  const isResource = id !== undefined && (ids === null || ids.has(decodeSegment(id)));
  return isResource ? mounted + pathname.slice(at) + search : null;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns the ids of a resource or of the resources in a list. */
export function findResourceIds(answer: JsonObject | null): ReadonlySet<string> {
  const ids = new Set<string>();
  const add = ({ id }: JsonObject) => typeof id === 'string' && ids.add(id);
  if (answer === null) return ids;
  add(answer);
  for (const entry of listPageEntries(answer)) add(entry);
  return ids;
}

/** Yields the position of every string value in a JSON text that may be a link, including quotes. */
function* jsonStringValues(body: Buffer): Generator<{ start: number; end: number; text: string }> {
  for (let start = body.indexOf(QUOTE); start !== -1; ) {
    let end = start + 1;
    while (end < body.length && body[end] !== QUOTE) end += body[end] === BACKSLASH ? 2 : 1;
    end += 1;
    let after = end;
    while (SPACES.has(body[after] ?? 0)) after += 1;
    if (body[after] !== COLON && mayBeLink(body[start + 1] ?? 0)) {
      const text = tryParseString(body.toString('utf8', start, end));
      if (text !== null) yield { start, end, text };
    }
    start = body.indexOf(QUOTE, end);
  }
}

/**
 * Returns whether a link can start with this byte: the scheme, an escape, or white space. Most strings start otherwise.
 */
function mayBeLink(first: number): boolean {
  return (
    first === UPPERCASE_H || first === LOWERCASE_H || first === BACKSLASH || first === 0x20 || first >= 0x80
  );
}

const UPPERCASE_H = 0x48;
const LOWERCASE_H = 0x68;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACES = new Set([0x20, 0x0a, 0x0d, 0x09]);

function tryParseString(source: string): string | null {
  try {
    const value: unknown = JSON.parse(source);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
