import { readFileSync } from 'node:fs';

/**
 * How a field is written at the command line: `texts` with commas or repeated, `entries` so too or as JSON, `flag` alone,
 * `json` as JSON, `text_or_json` as JSON where it begins as an object or a list.
 */
export type OperationFieldKind = 'text' | 'number' | 'flag' | 'texts' | 'entries' | 'json' | 'text_or_json';

export interface OperationField {
  readonly kind: OperationFieldKind;
  readonly choices?: readonly string[];
  readonly nullable?: true;
  readonly required?: true;
  readonly does?: string;
  /** Where it goes; into the body unless said. */
  readonly in?: 'query';
}

/** One verb of the API. */
export interface ApiOperation {
  readonly method: string;
  /** With `{id}` for what is given by position. */
  readonly path: string;
  readonly does: string;
  /** Whether it takes a body. */
  readonly body?: true;
  readonly idempotent?: true;
  /** Whether it answers with a page of a list. */
  readonly page?: true;
  readonly takes: Readonly<Record<string, OperationField>>;
}

/** By subject and verb, as `keys` and `create`. */
export type ApiOperations = Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;

/** What the API of this release can do, written by `scripts/generate.mjs`. */
export function loadApiOperations(): ApiOperations {
  const value: unknown = JSON.parse(readFileSync(new URL('operations.json', import.meta.url), 'utf8'));
  if (!isApiOperations(value)) throw new Error('operations.json is damaged; run node scripts/generate.mjs');
  return value;
}

function isApiOperations(value: unknown): value is ApiOperations {
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
export function pathParameterNames({ path }: ApiOperation): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}
