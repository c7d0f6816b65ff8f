import { readFileSync } from 'node:fs';

/**
 * How a field is written on the command line. `texts`: comma-separated or repeated. `entries`: in
 * the same way or as JSON. `flag`: without a value. `json`: as JSON. `text_or_json`: as JSON if it
 * starts like an object or list.
 */
export type OperationFieldKind = 'text' | 'number' | 'flag' | 'texts' | 'entries' | 'json' | 'text_or_json';

/** A field of an operation. */
export interface OperationField {
  readonly kind: OperationFieldKind;
  readonly choices?: readonly string[];
  readonly nullable?: true;
  readonly required?: true;
  readonly does?: string;
  /** Where it is sent. Absent: in the body. */
  readonly in?: 'query';
}

/** One operation of the API. */
export interface ApiOperation {
  readonly method: string;
  /** Path parameters are written as `{id}` and given as positional arguments. */
  readonly path: string;
  readonly does: string;
  /** Whether it has a body. */
  readonly body?: true;
  readonly idempotent?: true;
  /** Whether its response is a page of a list. */
  readonly page?: true;
  readonly takes: Readonly<Record<string, OperationField>>;
}

/** The API operations by subject and action, such as `keys` and `create`. */
export type ApiOperations = Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;

/** Loads this release's operations, which `scripts/generate.mjs` writes to a file. */
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

/** Returns whether a value is an object and not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the names of an operation's path parameters, in order. */
export function listPathParameterNames({ path }: ApiOperation): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}
