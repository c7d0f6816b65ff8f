import { readFileSync } from 'node:fs';

/** How a field is written at the command line: `texts` with commas or repeated, `entries` so too or as JSON, `flag` alone, `json` as JSON. */
export type FieldKind = 'text' | 'number' | 'flag' | 'texts' | 'entries' | 'json';

export interface Field {
  readonly kind: FieldKind;
  readonly choices?: readonly string[];
  readonly nullable?: true;
  readonly required?: true;
  readonly does?: string;
  /** Where it goes; into the body unless said. */
  readonly in?: 'query';
}

/** One verb of the API. */
export interface Operation {
  readonly method: string;
  /** With `{id}` for what is given by position. */
  readonly path: string;
  readonly does: string;
  /** Whether it takes a body. */
  readonly body?: true;
  readonly idempotent?: true;
  /** Whether it answers with a page of a list. */
  readonly page?: true;
  readonly takes: Readonly<Record<string, Field>>;
}

/** By subject and verb, as `keys` and `create`. */
export type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** What the API of this release can do, written by `scripts/generate.mjs`. */
export function readOperations(): Operations {
  const value: unknown = JSON.parse(readFileSync(new URL('operations.json', import.meta.url), 'utf8'));
  if (!isOperations(value)) throw new Error('operations.json is damaged; run node scripts/generate.mjs');
  return value;
}

function isOperations(value: unknown): value is Operations {
  if (!isRecord(value)) return false;
  return Object.values(value).every(
    (verbs) =>
      isRecord(verbs) &&
      Object.values(verbs).every(
        (one) => isRecord(one) && typeof one['path'] === 'string' && isRecord(one['takes']),
      ),
  );
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Names of what stands in the path, in order. */
export function positionsOf({ path }: Operation): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}
