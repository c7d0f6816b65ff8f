import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { asArray } from '@floe/wire/json-narrowing';
import type { KeyRecord } from '../../platform/keyring.ts';
import { findContainerIds } from '../container-ids.ts';
import type { Exchange } from '../exchange-record.ts';
import type { Target } from '../org-catalog.ts';
import { findNamedId } from './resource-name.ts';
import type { OwnedResource, ResourceOwner, ResourceOwnerStore } from './resource-owner-store.ts';
import type { ResourceReference } from './resource-reference.ts';

/** Maximum number of provider pages that are read for one page of the response. */
const MAX_PAGES = 50;
/** Page size that providers use if the request has none. */
const DEFAULT_PAGE_SIZE = 20;

/** Collections whose resources write files. */
export const JOB_COLLECTIONS: ReadonlySet<string> = new Set(['batches', 'batch/jobs', 'fine_tuning/jobs']);
/** Members with the files that a batch or another job wrote. */
const OUTPUT_FILE_MEMBERS = ['output_file_id', 'error_file_id', 'output_file', 'error_file', 'result_files'];

/**
 * Endpoints whose response contains the ids of created resources in other members than `id`, or that create a resource
 * although their path contains an id. A `GET` of such a path returns ids that are assigned later.
 */
const CREATED_ID_MEMBERS: readonly (readonly [endpoint: RegExp, members: readonly string[]])[] = [
  [/^threads\/runs$/, ['thread_id']],
  [/^conversations(?:\/[^/]+\/restart)?$/, ['conversation_id']],
  [/^videos\/[^/]+\/remix$/, ['id']],
  [/^live\/sessions(?:\/[^/]+\/fork)?$/, ['id', 'session']],
  [/^vaults\/[^/]+\/credentials$/, ['id']],
  [/^deployments\/[^/]+\/run$/, ['id', 'session_id']],
  [/^agents\/automations\/[^/]+\/invocations(?:\/[^/]+)?$/, ['id', 'session_id']],
  [/^dreams(?:\/[^/]+)?$/, ['session_id']],
];

/** Who may access a resource: the key that created it, or every key of the organization. */
export type ResourceAccessScope = 'key' | 'org';

/** Returns whether a key may access a resource of `owner`. */
export function canAccessResource(scope: ResourceAccessScope, key: KeyRecord, owner: ResourceOwner): boolean {
  return scope === 'org' || owner.keyId === key.id;
}

/**
 * Returns the resources that a response created: the resource itself (of the kind `creates`), and other resources, such
 * as the output files of a batch.
 */
export function findCreatedResources(
  resource: ResourceReference,
  creates: string | null,
  answer: JsonObject,
): readonly { readonly id: string; readonly kind: string }[] {
  const { collection } = resource;
  if (collection === null) return [];
  const made: { id: string; kind: string }[] = [];
  const add = (member: unknown, kind: string) => {
    const id = isJsonObject(member) ? member['id'] : member;
    if (typeof id === 'string' && id !== '') made.push({ id, kind });
  };
  if (creates !== null) {
    add(answer['id'], creates);
    add(findNamedId(answer['name'], collection), creates);
    if (isJsonObject(answer['file'])) add(findNamedId(answer['file']['name'], collection), creates);
  }
  const members = findCreatedIdMembers(resource);
  if (members.length > 0)
    for (const entry of [answer, ...listPageEntries(answer)])
      for (const name of members) add(entry[name], collection);
  if (collection === 'dreams')
    for (const output of asArray(answer['outputs']))
      if (isJsonObject(output)) add(output['memory_store_id'], 'memory_stores');
  if (JOB_COLLECTIONS.has(collection))
    for (const name of OUTPUT_FILE_MEMBERS) for (const id of [answer[name]].flat()) add(id, 'files');
  if (collection === 'responses') for (const id of findContainerIds(answer)) add(id, 'containers');
  if (collection === 'uploads' && isJsonObject(answer['file'])) add(answer['file']['id'], 'files');
  return made;
}

/** Returns whether responses of an endpoint contain the ids of created resources in the members of `CREATED_ID_MEMBERS`. */
export function createsOther(resource: ResourceReference): boolean {
  return findCreatedIdMembers(resource).length > 0;
}

function findCreatedIdMembers({ endpoint }: ResourceReference): readonly string[] {
  return CREATED_ID_MEMBERS.find(([pattern]) => pattern.test(endpoint))?.[1] ?? [];
}

/** Records who owns newly created resources. */
export function recordResourceOwners(
  owners: ResourceOwnerStore,
  target: Target,
  key: Pick<KeyRecord, 'id' | 'orgId'>,
  things: readonly { readonly id: string; readonly kind: string }[],
): Promise<void> {
  const owned = things.map(
    ({ id, kind }): OwnedResource => ({
      orgId: key.orgId,
      id,
      kind,
      provider: target.provider.id,
      credential: target.credential.name,
      keyId: key.id,
    }),
  );
  return owners.record(owned);
}

/**
 * Records who owns resources that the client may use before the commit. The exchange does not wait, and an error is
 * logged.
 */
export function recordResourceOwnersLater(
  { id, gateway: { resourceOwners, log }, caller: { key } }: Exchange,
  target: Target,
  things: readonly { readonly id: string; readonly kind: string }[],
): void {
  recordResourceOwners(resourceOwners, target, key, things).catch((error: unknown) => {
    log.warn({ err: error, request_id: id }, 'owners of provider resources could not be recorded');
  });
}

/** Records the owner of the containers in which the provider ran code for a response. */
export function recordContainers(x: Exchange): void {
  const { target, answer } = x;
  if (target === null || answer.containerIds.length === 0) return;
  recordResourceOwnersLater(x, target, listContainers(answer));
}

/** Returns the containers of a response as created resources. */
export function listContainers({ containerIds }: Exchange['answer']): { id: string; kind: string }[] {
  return containerIds.map((id) => ({ id, kind: 'containers' }));
}

/** A list request, and the functions that read its pages. */
export interface OwnedListRequest {
  /** The query of the request, including `?`. */
  readonly query: string;
  /** Name of the query parameter with the start of the page. */
  readonly after: string;
  /** Reads one page from the provider. Returns null if a page after the first one cannot be read. */
  page(query: string): Promise<JsonObject | null>;
  /** Returns the ids that the caller may access. */
  filterOwned(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/**
 * Returns a page that contains only the caller's resources. Official clients stop at an empty page,
 * so this function reads further provider pages until the page is full or no pages remain.
 */
export async function readOwnedPage(first: JsonObject, listing: OwnedListRequest): Promise<JsonObject> {
  const wanted = pageSizeOf(listing.query, listPageEntries(first).length);
  const backwards = /[?&]before(?:_id)?=/.test(listing.query);
  const found: JsonObject[] = [];
  let page = first;
  for (let pages = 1; ; pages++) {
    const entries = listPageEntries(page);
    const mine = await listing.filterOwned(entries.map(({ id }) => String(id)));
    found.push(...entries.filter(({ id }) => mine.has(String(id))));
    const last = entries.at(-1);
    const token = nextPageToken(page);
    const hasNext = token !== null || (page['has_more'] === true && last !== undefined);
    if (!hasNext || backwards || pages >= MAX_PAGES || found.length >= wanted) break;
    const next = await listing.page(
      token === null
        ? setParameter(listing.query, listing.after, String(last?.['id']))
        : setParameter(listing.query, 'page', token),
    );
    if (next === null) break;
    page = next;
  }
  const token = nextPageToken(page);
  // The next page starts after the last one that was read, so no resource may be left out.
  const shown = backwards || token !== null ? found : found.slice(0, wanted);
  const more = page['has_more'] === true || token !== null || shown.length < found.length;
  return {
    ...first,
    [listMemberOf(first)]: shown,
    ...('next_page' in first && { next_page: token }),
    ...('has_more' in first && { has_more: more }),
    ...('first_id' in first && { first_id: shown[0]?.['id'] ?? null }),
    ...('last_id' in first && { last_id: shown.at(-1)?.['id'] ?? null }),
  };
}

/** Returns the resources in one page of a provider's list. */
export function listPageEntries(page: JsonObject): JsonObject[] {
  return asArray(page[listMemberOf(page)]).filter(isJsonObject);
}

/** Returns the member with the resources of a page: `data`, or `items` for some lists of Mistral. */
export function listMemberOf(page: JsonObject): 'data' | 'items' {
  return Array.isArray(page['data']) ? 'data' : 'items';
}

/** Returns the page size of the request, or else the page size of the provider. */
function pageSizeOf(query: string, shown: number): number {
  const limit = Number(new URLSearchParams(query).get('limit') ?? 0);
  return Number.isInteger(limit) && limit > 0 ? limit : Math.max(DEFAULT_PAGE_SIZE, shown);
}

/** Returns the token of the next page; null if the list has no tokens or no further page. */
function nextPageToken(page: JsonObject): string | null {
  const token = page['next_page'];
  return typeof token === 'string' && token !== '' ? token : null;
}

function setParameter(query: string, name: string, value: string): string {
  const parameters = new URLSearchParams(query);
  parameters.set(name, value);
  return `?${parameters}`;
}
