import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { UsageError } from '../connection.ts';
import { type Field, isRecord, type Operation, positionsOf } from './operations.ts';

/** A request to the API and how its answer is shown. */
export interface Asked {
  readonly method: string;
  /** With query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; null without a body. */
  readonly body: string | null;
  readonly json: boolean;
  /** Rows wanted of a list; null for every one. */
  readonly most: number | null;
}

const OWN = {
  json: { type: 'boolean' },
  all: { type: 'boolean' },
  file: { type: 'string' },
  unset: { type: 'string', multiple: true },
  filter: { type: 'string', multiple: true },
  'idempotency-key': { type: 'string' },
  'if-match': { type: 'string' },
} as const;

/** A field's option: `expires_at` is `--expires-at`. */
export const optionOf = (name: string) => name.replaceAll('_', '-');

/** @throws UsageError, and parseArgs' own errors for options nobody knows */
export function read(operation: Operation, args: readonly string[]): Asked {
  const fields = Object.entries(operation.takes).filter(([name]) => !Object.hasOwn(OWN, name));
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    allowNegative: true,
    options: {
      ...Object.fromEntries(fields.map(([name, field]) => [optionOf(name), parsedAs(field)])),
      ...OWN,
    },
  });
  const given: Readonly<Record<string, unknown>> = values;
  const query = new URLSearchParams();
  for (const pair of values.filter ?? []) {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`--filter ${pair}: write name=value.`);
    query.append(pair.slice(0, at), pair.slice(at + 1));
  }
  const body: Record<string, unknown> = values.file === undefined ? {} : bodyIn(values.file);
  for (const [name, field] of fields) {
    const value = given[optionOf(name)];
    if (value === undefined) continue;
    if (field.in === 'query') for (const text of [value].flat()) query.append(name, String(text));
    else body[name] = valueIn(name, field, value);
  }
  for (const name of values.unset ?? []) body[name.replaceAll('-', '_')] = null;
  const text = query.size === 0 ? '' : `?${query}`;
  return {
    method: operation.method,
    path: `${pathOf(operation, positionals)}${text}`,
    headers: headersOf(operation, values['idempotency-key'], values['if-match']),
    body: operation.body ? JSON.stringify(body) : null,
    json: values.json === true,
    most: values.all === true ? null : Number(given['limit'] ?? 50),
  };
}

function parsedAs({ kind, in: where }: Field) {
  if (kind === 'flag' && where !== 'query') return { type: 'boolean' } as const;
  return { type: 'string', multiple: kind === 'texts' || kind === 'entries' || where === 'query' } as const;
}

function headersOf({ idempotent }: Operation, key: string | undefined, etag: string | undefined) {
  return {
    ...(idempotent && { 'idempotency-key': key ?? randomUUID() }),
    ...(etag !== undefined && { 'if-match': etag }),
  };
}

function pathOf(operation: Operation, given: readonly string[]): string {
  const names = positionsOf(operation);
  const missing = names[given.length];
  if (missing !== undefined) throw new UsageError(`<${missing}> is missing.`);
  const excess = given[names.length];
  if (excess !== undefined) throw new UsageError(`"${excess}" is one argument too many.`);
  return names.reduce(
    (path, name, at) => path.replace(`{${name}}`, encodeURIComponent(given[at] ?? '')),
    operation.path,
  );
}

function valueIn(name: string, { kind, choices }: Field, value: unknown): unknown {
  if (kind === 'flag') return value;
  if (kind === 'texts') return [value].flat().flatMap((text) => String(text).split(','));
  if (kind === 'entries')
    return [value].flat().flatMap((text) => entriesIn(`--${optionOf(name)}`, String(text)));
  const text = String(value);
  if (kind === 'number') {
    const number = Number(text);
    if (text.trim() === '' || !Number.isFinite(number))
      throw new UsageError(`--${optionOf(name)} must be a number, not "${text}".`);
    return number;
  }
  if (kind === 'json') return jsonIn(`--${optionOf(name)}`, text);
  if (choices && !choices.includes(text))
    throw new UsageError(`--${optionOf(name)} must be one of ${choices.join(', ')}.`);
  return text;
}

/** Names between commas, or JSON: one entry or a list of them. */
function entriesIn(where: string, text: string): unknown[] {
  return /^\s*[[{]/.test(text) ? [jsonIn(where, text)].flat() : text.split(',');
}

function bodyIn(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new UsageError(`--file ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const value = jsonIn(`--file ${file}`, text);
  if (!isRecord(value)) throw new UsageError(`--file ${file}: holds no JSON object.`);
  return { ...value };
}

function jsonIn(where: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    throw new UsageError(`${where} must be JSON, as '{"name":"value"}'.`);
  }
}
