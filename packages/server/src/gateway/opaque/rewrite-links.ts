import { isObject, type JsonObject } from '@floe/contract/json';
import { applyByteEdits, type ByteEdit } from '@floe/wire/json-edits';
import type { Target } from '../catalog.ts';
import type { ApiBase } from './api-base.ts';
import type { ResourceReference } from './resource-reference.ts';

/** Answers of these collections carry a model's or a person's words, in which a link is text. */
const CONTENT_COLLECTIONS = new Set(['responses', 'chat/completions', 'conversations']);
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Where a client finds a surface: `http://host:port/prefix/gateway/passthrough-b`. */
export interface LinkContext {
  readonly url: string;
  readonly base: ApiBase;
  readonly target: Target;
  readonly resource: ResourceReference;
}

/**
 * The address under which this client reaches Floe: `server.base_url`, unless that is this machine's own and the
 * client came from elsewhere. No trailing slash.
 */
export function publicBaseUrl(baseUrl: string, host: string): string {
  const url = new URL(baseUrl);
  if (LOOPBACK.test(url.hostname) && host !== '' && URL.canParse(`${url.protocol}//${host}`))
    return `${url.protocol}//${host}${url.pathname}`.replace(/\/$/, '');
  return baseUrl.replace(/\/$/, '');
}

/** Whether links in the JSON answers of a path are a provider's, not part of somebody's content. */
export function hasLinks({ collection, isBatchResults }: ResourceReference): boolean {
  return collection !== null && !isBatchResults && !CONTENT_COLLECTIONS.has(collection);
}

/**
 * A resource with every link to the provider's API replaced by one to Floe. Official SDKs follow such links
 * (`results_url` of a batch) with the caller's key, which is a platform key. All other bytes stay as they are.
 */
export function rewriteLinks(body: Buffer, mount: LinkContext): Buffer {
  const edits: ByteEdit[] = [];
  const ids = resourceIdsIn(body);
  for (const { start, end, text } of jsonStringValues(body)) {
    const link = rewriteLink(text, mount, ids);
    if (link !== null) edits.push({ start, end, text: JSON.stringify(link) });
  }
  return edits.length === 0 ? body : applyByteEdits(body, edits);
}

/** Null for text that is no link to the provider's API. */
function rewriteLink(
  text: string,
  { url, base, target, resource }: LinkContext,
  ids: ReadonlySet<string>,
): string | null {
  if (!/^\s*https?:/i.test(text) || !URL.canParse(text)) return null;
  const { origin, pathname, search } = new URL(text);
  const mounted = [url, ...base.pathPrefix].join('/');
  if (origin === new URL(target.provider.origin).origin) {
    const root = (base.targetPath({ ...target, model: '' }, []).split('?')[0] ?? '').replace(/\/$/, '');
    const below = pathname.startsWith(`${root}/`) ? pathname.slice(root.length) : pathname;
    return mounted + below + search;
  }
  // A provider behind another address still names its own: known by the resource that the link is about.
  const at = pathname.indexOf(`/${resource.collection}/`);
  const [, id] = at === -1 ? [] : pathname.slice(at + 1 + (resource.collection ?? '').length).split('/');
  return id !== undefined && ids.has(decodeSegment(id)) ? mounted + pathname.slice(at) + search : null;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Of the resource or the resources of a list. */
function resourceIdsIn(body: Buffer): ReadonlySet<string> {
  const ids = new Set<string>();
  const add = ({ id }: JsonObject) => typeof id === 'string' && ids.add(id);
  try {
    const answer: unknown = JSON.parse(body.toString('utf8'));
    if (!isObject(answer)) return ids;
    add(answer);
    if (Array.isArray(answer['data'])) for (const entry of answer['data']) if (isObject(entry)) add(entry);
  } catch {
    // What is no JSON has no resources; its strings are still looked at.
  }
  return ids;
}

/** Every string of a JSON text that is a value, with its place in the bytes, quotes included. */
function* jsonStringValues(body: Buffer): Generator<{ start: number; end: number; text: string }> {
  for (let start = body.indexOf(QUOTE); start !== -1; ) {
    let end = start + 1;
    while (end < body.length && body[end] !== QUOTE) end += body[end] === BACKSLASH ? 2 : 1;
    end += 1;
    let after = end;
    while (SPACES.has(body[after] ?? 0)) after += 1;
    if (body[after] !== COLON) {
      const text = tryParseString(body.toString('utf8', start, end));
      if (text !== null) yield { start, end, text };
    }
    start = body.indexOf(QUOTE, end);
  }
}

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
