import { readFileSync } from 'node:fs';

/**
 * The type of a field's value on the command line. `texts`: a comma-separated list, or a repeated option.
 * `entries`: like `texts`, or a JSON list. `flag`: an option without a value. `json`: JSON. `text_or_json`:
 * JSON if the value begins like a JSON object or list, otherwise text.
 */
export type OperationFieldKind = 'text' | 'number' | 'flag' | 'texts' | 'entries' | 'json' | 'text_or_json';

/** A field of an operation that can be given on the command line. */
export interface OperationField {
  readonly kind: OperationFieldKind;
  readonly choices?: readonly string[];
  readonly nullable?: true;
  readonly required?: true;
  readonly does?: string;
  /** Where the field is sent. If absent, it is sent in the body. */
  readonly in?: 'query';
}

/** An operation of the API. */
export interface ApiOperation {
  readonly method: string;
  /** The path. Its parameters, such as `{id}`, are positional arguments of the command. */
  readonly path: string;
  readonly does: string;
  /** Whether its request has a body. */
  readonly body?: true;
  readonly idempotent?: true;
  /** Whether its response is a page of a list. */
  readonly page?: true;
  readonly takes: Readonly<Record<string, OperationField>>;
}

/** The API operations by resource and action, such as `keys` and `create`. */
export type ApiOperations = Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;

/** Loads the API operations of this release from the file that `scripts/generate.mjs` writes. */
export function loadApiOperations(): ApiOperations {
  const value: unknown = JSON.parse(readFileSync(new URL('operations.json', import.meta.url), 'utf8'));
  if (!isApiOperations(value))
    throw new Error('The file operations.json, which lists the API operations, is damaged. Reinstall floe.');
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

/** Returns whether a value is an object but not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the names of an operation's path parameters, in order. */
export function listPathParameterNames({ path }: ApiOperation): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}
