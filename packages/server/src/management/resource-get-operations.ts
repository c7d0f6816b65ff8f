import { isJsonObject } from '@floe/contract/json';
import type { Operation } from './operation.ts';

/**
 * Maps each operation that writes a resource to the `GET` operation on this resource. Both have the
 * same path, or, for a create operation, the path of the `GET` operation has an id appended. Maps these
 * `GET` operations, and all operations with an entity tag, to themselves.
 */
export function mapOperationsToResourceGetOperations(
  operations: readonly Operation[],
): ReadonlyMap<Operation, Operation> {
  const getters = new Map(
    operations.flatMap((operation) =>
      operation.method === 'GET' ? [[operation.path, operation] as const] : [],
    ),
  );
  const written = operations.filter(
    ({ method }) => method === 'PUT' || method === 'PATCH' || method === 'DELETE',
  );
  const found = new Map<Operation, Operation>();
  for (const operation of written) {
    const of = getters.get(operation.path);
    if (!of) continue;
    found.set(operation, of);
    found.set(of, of);
  }
  for (const operation of operations) {
    if (operation.method !== 'POST' || operation.status !== 201) continue;
    const of = [...found.values()].find(({ path }) => path.replace(/\/\{\w+\}$/, '') === operation.path);
    if (of) found.set(operation, of);
  }
  for (const operation of operations) if (operation.hasEntityTag) found.set(operation, operation);
  return found;
}

/**
 * Returns a created resource's path: the path of its `GET` operation, with values from the request
 * and the response.
 */
export function buildResourcePath(
  { path }: Pick<Operation, 'path'>,
  params: unknown,
  answer: unknown,
): string {
  const values = { ...(isJsonObject(answer) && answer), ...(isJsonObject(params) && params) };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}
