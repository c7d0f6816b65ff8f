import { randomUUID } from 'node:crypto';
import { parseCliOptions } from '../parse-options.ts';
import { readTextFile } from '../read-text-file.ts';
import { UsageError } from '../usage-error.ts';
import {
  type ApiOperation,
  isRecord,
  listPathParameterNames,
  type OperationField,
} from './api-operations.ts';

/** A request to the API, and how to show its response. */
export interface OperationInvocation {
  readonly method: string;
  /** The path with the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON text. Null if the request has no body. */
  readonly body: string | null;
  readonly json: boolean;
  /** Maximum number of rows of a list. Null for all. */
  readonly maxRows: number | null;
}

/**
 * The options that every operation accepts in addition to the options of its own fields. No field has the
 * name of one of these options.
 */
export const BUILT_IN_OPERATION_OPTIONS = {
  json: { type: 'boolean' },
  all: { type: 'boolean' },
  'body-file': { type: 'string' },
  unset: { type: 'string', multiple: true },
  filter: { type: 'string', multiple: true },
  'idempotency-key': { type: 'string' },
  'if-match': { type: 'string' },
} as const;

const DEFAULT_ROWS = 50;

/** Returns the option name of a field: `expires_at` becomes `expires-at`. */
export const toOptionName = (name: string) => name.replaceAll('_', '-');

/** Returns the option names of a field. A flag has two: one that enables it and one that disables it. */
export function listOptionNames(name: string, field: OperationField): readonly string[] {
  const option = toOptionName(name);
  return isBodyFlag(field) ? [`--${option}`, `--no-${option}`] : [`--${option}`];
}

/**
 * Parses the arguments of an operation.
 * @throws UsageError if an argument is missing, unknown or invalid
 */
export function parseOperationArguments(
  operation: ApiOperation,
  args: readonly string[],
): OperationInvocation {
  const fields = Object.entries(operation.takes);
  const { values, positionals } = parseCliOptions({
    args: resolveFlagValues(operation, args),
    allowPositionals: true,
    allowNegative: true,
    options: {
      ...Object.fromEntries(fields.map(([name, field]) => [toOptionName(name), toParseArgsOption(field)])),
      ...BUILT_IN_OPERATION_OPTIONS,
    },
  });
  const given: Readonly<Record<string, unknown>> = values;
  const query = new URLSearchParams();
  for (const pair of values.filter ?? []) {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`--filter ${pair}: must have the form name=value.`);
    query.append(pair.slice(0, at), pair.slice(at + 1));
  }
  const body: Record<string, unknown> =
    values['body-file'] === undefined ? {} : readBodyFile(values['body-file']);
  for (const [name, field] of fields) {
    const value = given[toOptionName(name)];
    if (value === undefined) continue;
    if (field.in === 'query') for (const text of [value].flat()) query.append(name, String(text));
    else body[name] = parseOptionValue(name, field, value);
  }
  for (const name of values.unset ?? []) body[name.replaceAll('-', '_')] = null;
  const text = query.size === 0 ? '' : `?${query}`;
  return {
    method: operation.method,
    path: `${buildPath(operation, positionals)}${text}`,
    headers: buildHeaders(operation, values['idempotency-key'], values['if-match']),
    body: operation.body ? JSON.stringify(body) : null,
    json: values.json === true,
    maxRows: values.all === true || !operation.page ? null : parseMaxRows(given['limit'] ?? DEFAULT_ROWS),
  };
}

/** Converts `--enabled false` and `--enabled=false` to `--no-enabled`. */
function resolveFlagValues({ takes }: ApiOperation, args: readonly string[]): string[] {
  const flags = new Set(
    Object.entries(takes).flatMap(([name, field]) => (isBodyFlag(field) ? `--${toOptionName(name)}` : [])),
  );
  const resolved: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    const [option = '', inline] = word.split('=', 2);
    const value = inline ?? args[at + 1] ?? '';
    if (!flags.has(option) || !['true', 'false'].includes(value)) resolved.push(word);
    else {
      resolved.push(value === 'true' ? option : option.replace('--', '--no-'));
      if (inline === undefined) at += 1;
    }
  }
  return resolved;
}

const isBodyFlag = ({ kind, in: where }: OperationField) => kind === 'flag' && where !== 'query';

function parseMaxRows(given: unknown): number {
  const limit = Number([given].flat().at(-1));
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new UsageError(`--limit: must be a positive integer, got "${String(given)}". Example: --limit 20`);
}

function toParseArgsOption(field: OperationField) {
  const { kind, in: where } = field;
  if (isBodyFlag(field)) return { type: 'boolean' } as const;
  return { type: 'string', multiple: kind === 'texts' || kind === 'entries' || where === 'query' } as const;
}

function buildHeaders({ idempotent }: ApiOperation, key: string | undefined, etag: string | undefined) {
  return {
    ...(idempotent && { 'idempotency-key': key ?? randomUUID() }),
    ...(etag !== undefined && { 'if-match': etag }),
  };
}

function buildPath(operation: ApiOperation, given: readonly string[]): string {
  const names = listPathParameterNames(operation);
  const missing = names[given.length];
  if (missing !== undefined) throw new UsageError(`Missing argument <${missing}>.`);
  const excess = given[names.length];
  if (excess !== undefined) throw new UsageError(`Unexpected argument "${excess}".`);
  return names.reduce(
    (path, name, at) => path.replace(`{${name}}`, encodeURIComponent(given[at] ?? '')),
    operation.path,
  );
}

function parseOptionValue(name: string, { kind, choices }: OperationField, value: unknown): unknown {
  if (kind === 'flag') return value;
  if (kind === 'texts') return [value].flat().flatMap((text) => String(text).split(','));
  if (kind === 'entries')
    return [value].flat().flatMap((text) => parseEntries(`--${toOptionName(name)}`, String(text)));
  const text = String(value);
  if (kind === 'number') {
    const number = Number(text);
    if (text.trim() === '' || !Number.isFinite(number))
      throw new UsageError(`--${toOptionName(name)} must be a number, got "${text}".`);
    return number;
  }
  if (kind === 'json' || (kind === 'text_or_json' && /^\s*[[{]/.test(text)))
    return parseJsonOption(`--${toOptionName(name)}`, text);
  if (choices && !choices.includes(text))
    throw new UsageError(`--${toOptionName(name)} must be one of ${choices.join(', ')}, got "${text}".`);
  return text;
}

/** Parses comma-separated names, or JSON with one entry or a list. */
function parseEntries(where: string, text: string): unknown[] {
  return /^\s*[[{]/.test(text) ? [parseJsonOption(where, text)].flat() : text.split(',');
}

function readBodyFile(file: string): Record<string, unknown> {
  const value = parseJsonOption(`--body-file ${file}`, readTextFile(file));
  if (!isRecord(value)) throw new UsageError(`--body-file ${file} must contain a JSON object.`);
  return { ...value };
}

function parseJsonOption(where: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    throw new UsageError(`${where} must be JSON. Example: '{"name":"value"}'`);
  }
}
