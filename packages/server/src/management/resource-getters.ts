import { isObject } from '@floe/contract/json';
import type { Verb } from './verb.ts';

/**
 * The `GET` of the resource that each verb reads or writes: the one of the same path, and for a creation the one
 * below it. Only what can be written has one, and what
 * asks for it (`tagged`).
 */
export function mapResourceGetters(verbs: readonly Verb[]): ReadonlyMap<Verb, Verb> {
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

/** Path of what a creation made: that of its `GET`, with the values of the request and of the answer. */
export function buildResourcePath({ path }: Pick<Verb, 'path'>, params: unknown, answer: unknown): string {
  const values = { ...(isObject(answer) && answer), ...(isObject(params) && params) };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}
