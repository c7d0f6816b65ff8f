import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json } from '@floe/contract/json';
import * as z from 'zod';
import { getZodDefinition, unwrapAlternatives } from '../config/schema-lookup.ts';

type Schema = z.core.$ZodType;
type Path = readonly (string | number)[];

/** The maximum total number of entries in all lists and maps of a request, not counting values without a schema. */
export const MAX_REQUEST_ENTRIES = 10_000;

/** zod validates this many entries faster than they are checked here first. */
const UNCHECKED_ENTRIES = 100;

/** An entry with more entries than this is not checked again, because its entries have been checked. */
const MAX_INNER_ENTRIES = 10;

/** The first issue of an entry in a list or a map. `path` is its path in the request. */
type EntryIssue = z.core.$ZodIssue;

/**
 * Returns the first issue of the first invalid entry of a long list or map. zod collects the issues of all
 * entries. For a million bytes of invalid entries, this takes seconds and 300 MB.
 *
 * @throws Fault `request_too_large` for more than `MAX_REQUEST_ENTRIES` entries
 */
export function findInvalidEntry(schema: z.ZodType, value: Json): EntryIssue | null {
  return new EntryChecker(true).findInvalid(unwrapAlternatives(schema), value, []);
}

/**
 * Requires that a value that is validated later has at most `MAX_REQUEST_ENTRIES` entries.
 * @throws Fault `request_too_large`
 */
export function requireEntryCountWithinLimit(schema: z.ZodType, value: Json): void {
  new EntryChecker(false).findInvalid(unwrapAlternatives(schema), value, []);
}

class EntryChecker {
  readonly #validates: boolean;
  #entries = 0;

  /** @param validates false if entries are only counted */
  constructor(validates: boolean) {
    this.#validates = validates;
  }

  findInvalid(schemas: readonly Schema[], value: Json | undefined, path: Path): EntryIssue | null {
    if (Array.isArray(value)) return this.#findInList(schemas, value, path);
    return isJsonObject(value) ? this.#findInMap(schemas, value, path) : null;
  }

  #findInList(schemas: readonly Schema[], list: readonly Json[], path: Path): EntryIssue | null {
    const elements = schemas.flatMap((schema) => {
      const def = getZodDefinition(schema);
      return def.type === 'array' ? [def.element] : [];
    });
    if (elements.length === 0) return null;
    this.#count(list.length);
    const inner = elements.flatMap(unwrapAlternatives);
    const [only] = elements.length === 1 ? elements : [];
    for (const [at, entry] of list.entries()) {
      const issue = this.#findInEntry(inner, only, entry, [...path, at]);
      if (issue) return issue;
    }
    return null;
  }

  #findInMap(
    schemas: readonly Schema[],
    map: Readonly<Record<string, Json | undefined>>,
    path: Path,
  ): EntryIssue | null {
    const shapes: Readonly<Record<string, Schema>>[] = [];
    const values: Schema[] = [];
    for (const schema of schemas) {
      const def = getZodDefinition(schema);
      if (def.type === 'object') shapes.push(def.shape);
      else if (def.type === 'record') values.push(def.valueType);
    }
    if (shapes.length + values.length === 0) return null;
    const [only] = values.length === 1 && shapes.length === 0 ? values : [];
    const names = Object.keys(map);
    this.#count(names.filter((name) => !shapes.some((shape) => Object.hasOwn(shape, name))).length);
    for (const name of names) {
      const fields = shapes.flatMap((shape) => (Object.hasOwn(shape, name) ? (shape[name] ?? []) : []));
      const entry = map[name];
      const inner = [...fields, ...values].flatMap(unwrapAlternatives);
      const issue = this.#findInEntry(inner, only, entry, [...path, name]);
      if (issue) return issue;
    }
    return null;
  }

  #count(entries: number): void {
    this.#entries += entries;
    if (this.#entries > MAX_REQUEST_ENTRIES)
      throw new Fault(
        'request_too_large',
        `The request has more than ${MAX_REQUEST_ENTRIES.toLocaleString('en-US')} entries in lists and maps. Send fewer entries.`,
      );
  }

  #findInEntry(
    inner: readonly Schema[],
    schema: Schema | undefined,
    entry: Json | undefined,
    path: Path,
  ): EntryIssue | null {
    const before = this.#entries;
    const issue = this.findInvalid(inner, entry, path);
    if (issue !== null || schema === undefined || !this.#validates) return issue;
    if (this.#entries <= UNCHECKED_ENTRIES) return null;
    if (this.#entries - before > MAX_INNER_ENTRIES) return null;
    const [first] = z.core.safeParse(schema, entry).error?.issues ?? [];
    return first ? { ...first, path: [...path, ...first.path] } : null;
  }
}
