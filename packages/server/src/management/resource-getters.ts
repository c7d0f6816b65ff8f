import { isObject } from '@floe/contract/json';
import type { Verb } from './verb.ts';

/**
 * Maps each operation to the `GET` operation on its resource. It has the same path, or for a create
 * operation, the path below. Contains only resources that can be written and operations with an
 * entity tag.
 */
export function mapVerbsToResourceGetters(verbs: readonly Verb[]): ReadonlyMap<Verb, Verb> {
  const getters = new Map(
    verbs.flatMap((verb) => (verb.method === 'GET' ? [[verb.path, verb] as const] : [])),
  );
  const written = verbs.filter(({ method }) => method === 'PUT' || method === 'PATCH' || method === 'DELETE');
  const found = new Map<Verb, Verb>();
  for (const verb of written) {
    const of = getters.get(verb.path);
    if (!of) continue;
    found.set(verb, of);
    found.set(of, of);
  }
  for (const verb of verbs) {
    if (verb.method !== 'POST' || verb.status !== 201) continue;
    const of = [...found.values()].find(({ path }) => path.replace(/\/\{\w+\}$/, '') === verb.path);
    if (of) found.set(verb, of);
  }
  for (const verb of verbs) if (verb.hasEntityTag) found.set(verb, verb);
  return found;
}

/**
 * Returns a created resource's path: the path of its `GET` operation, with values from the request
 * and the response.
 */
export function buildResourcePath({ path }: Pick<Verb, 'path'>, params: unknown, answer: unknown): string {
  const values = { ...(isObject(answer) && answer), ...(isObject(params) && params) };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}
