import { ApiRequestError, getApiJson, readProperty, readTextProperty } from '../api-request.ts';
import type { ApiConnection } from '../connection.ts';
import { type ApiOperation, type ApiOperations, listPathParameterNames } from './api-operations.ts';
import { MAX_PAGE_SIZE, MAX_PAGES } from './page-limits.ts';

/** The list operation that is used to find the id of a resource by its name. */
export interface NameLookupEndpoint {
  readonly path: string;
  /** The command that shows the list. */
  readonly command: string;
}

/**
 * Returns the list operation that can resolve a resource name to the `{id}` in an operation's path. Returns undefined
 * if `{id}` is not the only path parameter, or if the resource has no list.
 */
export function findNameLookupEndpoint(
  operations: ApiOperations,
  subject: string,
  operation: ApiOperation,
): NameLookupEndpoint | undefined {
  const list = operations[subject]?.['list'];
  const takesId = listPathParameterNames(operation).join() === 'id';
  if (!list?.page || !takesId || !operation.path.startsWith(`${list.path}/{id}`)) return undefined;
  return { path: list.path, command: `floe ${subject} list` };
}

/**
 * Replaces the resource name in the path of a request with the id of the resource, and returns the new path.
 * @param notFound The error with which the server responded to the path that contains the name.
 * @throws ApiRequestError if no resource or several resources have the name. The message states how to find
 * the id.
 */
export async function resolveNameInPath(
  from: ApiConnection,
  list: NameLookupEndpoint,
  requestPath: string,
  notFound: ApiRequestError,
): Promise<string> {
  const [given = ''] = requestPath.slice(list.path.length + 1).split(/[/?]/, 1);
  const name = decodeURIComponent(given);
  const ids = await findIdsByName(from, list.path, name).catch(() => {
    throw notFound;
  });
  const [id, ...others] = ids;
  if (id === undefined)
    throw new ApiRequestError(`${notFound.message} Run "${list.command}" to see the ids.`);
  if (others.length > 0)
    throw new ApiRequestError(
      `Several resources have the name "${name}". Use one of their ids: ${ids.join(', ')}`,
    );
  return `${list.path}/${encodeURIComponent(id)}${requestPath.slice(list.path.length + 1 + given.length)}`;
}

async function findIdsByName(from: ApiConnection, path: string, name: string): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const after = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await getApiJson(from, `${path}?limit=${MAX_PAGE_SIZE}${after}`);
    const data = readProperty(answer, 'data');
    for (const row of Array.isArray(data) ? data : []) {
      const id = readTextProperty(row, 'id');
      if (id !== undefined && readName(row) === name) ids.push(id);
    }
    cursor = readTextProperty(answer, 'next_cursor');
    if (cursor === undefined) return ids;
  }
  throw new ApiRequestError(`${from.baseUrl} returned more than ${MAX_PAGES} pages.`);
}

/** The name of a row. A relay rule has it in a nested field. */
function readName(row: unknown): string | undefined {
  return readTextProperty(row, 'name') ?? readTextProperty(readProperty(row, 'rule'), 'name');
}
