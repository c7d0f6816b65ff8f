import { negateFilterValue, parseFilterValues } from './filter-value.ts';

/** The syntax of the filter bar: parses typed text into URL parameters. Pure. */

/** A list field that can be filtered. `name` is the query parameter of the API. */
export interface FilterField {
  readonly name: string;
  readonly label: string;
  /** Suggested values. Absent for free text. */
  readonly values?: readonly string[];
  /** Whether parameters have the form `name.<key>`, as in `metadata.team`. */
  readonly keyed?: boolean;
  /**
   * Whether the API supports negation: all rows without this value. `bounds` supports it only for bounds, such as
   * `>=100`. If absent, values can be negated only by typing.
   */
  readonly excludes?: boolean | 'bounds';
  readonly hint?: string;
}

/** A filter: the name of a query parameter and its value. */
export interface FilterToken {
  readonly name: string;
  readonly value: string;
}

/** The result of parsing typed text: a filter, a problem, or `text` if the text is not a filter. */
export type ParsedFilterText =
  | { readonly kind: 'token'; readonly token: FilterToken }
  | { readonly kind: 'unknown_field'; readonly name: string; readonly nearest: string | null }
  | { readonly kind: 'no_value'; readonly field: FilterField }
  | { readonly kind: 'no_exclusion'; readonly field: FilterField }
  | { readonly kind: 'text' };

/**
 * Returns the field to which a query parameter belongs, such as `metadata` for `metadata.team`. Returns
 * undefined if there is none.
 */
export function findFilterField(fields: readonly FilterField[], name: string): FilterField | undefined {
  return fields.find((field) =>
    field.keyed
      ? name.startsWith(`${field.name}.`) && name.length > field.name.length + 1
      : field.name === name,
  );
}

/**
 * Parses the text that a user typed in the filter bar, such as `status:429`, `state = partial`, `-key:ci`,
 * `model is not gpt-5` or `metadata.team:growth`.
 */
export function parseTypedFilter(text: string, fields: readonly FilterField[]): ParsedFilterText {
  const [, minus = '', name = '', operator = '', rest = ''] =
    /^\s*(-?)(\w[\w.-]*)\s*(!=|[:=]|\bis\s+not\b|\bis\b)\s*(.*?)\s*$/s.exec(text) ?? [];
  if (name === '') return { kind: 'text' };
  const field =
    findFilterField(fields, name) ?? fields.find(({ label }) => label.toLowerCase() === name.toLowerCase());
  if (!field) return { kind: 'unknown_field', name, nearest: nearest(name, fields) };
  if (rest === '') return { kind: 'no_value', field };
  const isNot = minus !== '' || operator === '!=' || operator.includes('not');
  // Quotes around a value without a comma have no meaning, so they are removed.
  const value = /^"[^",]*"$/.test(rest) ? rest.slice(1, -1) : rest;
  const acceptsNot = field.excludes !== false && field.excludes !== 'bounds';
  const whole = isNot ? negateFieldFilter(field, value) : acceptsNot || !value.startsWith('!') ? value : null;
  if (whole === null) return { kind: 'no_exclusion', field };
  return { kind: 'token', token: { name: field.keyed ? name : field.name, value: whole } };
}

/** Returns the negated value of a filter of the field, or null if the API does not support it. */
export function negateFieldFilter({ excludes }: FilterField, value: string): string | null {
  if (excludes === false || (excludes === 'bounds' && !/^[<>]/.test(value))) return null;
  return negateFilterValue(value);
}

/** Parses several pasted filters, such as `status:500 model:openai/gpt-5`. Quotes preserve spaces. */
export function parsePastedFilters(text: string, fields: readonly FilterField[]): FilterToken[] {
  const found: FilterToken[] = [];
  for (const [piece] of text.matchAll(/-?\w[\w.-]*\s*(?:!=|[:=])\s*(?:"(?:[^"]|"")*"|\S+)/g)) {
    const typed = parseTypedFilter(piece, fields);
    if (typed.kind === 'token') found.push(typed.token);
  }
  return found;
}

/** Returns the filters in the query of a URL, in their order in the query. Other parameters are omitted. */
export function toFilterTokens(query: URLSearchParams, fields: readonly FilterField[]): FilterToken[] {
  return [...query].flatMap(([name, value]) => (findFilterField(fields, name) ? [{ name, value }] : []));
}

/** Converts filters to query parameters of an API that accepts several values for each filter. */
export function toMultiValueFilterQuery(
  tokens: readonly FilterToken[],
): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    tokens.map(({ name, value }) => {
      const [first = value, ...others] = parseFilterValues(value);
      return [name, others.length === 0 ? first : [first, ...others]];
    }),
  );
}

/** Converts filters to query parameters of an API that accepts one value for each filter. */
export function toFilterQuery(tokens: readonly FilterToken[]): Record<string, string> {
  return Object.fromEntries(tokens.map(({ name, value }) => [name, value]));
}

/** Returns the name most similar to a mistyped field name, or null if none is similar enough. */
function nearest(name: string, fields: readonly FilterField[]): string | null {
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const field of fields) {
    const distance = editDistance(name, field.name);
    if (distance <= Math.max(2, field.name.length / 2) && distance < (best?.distance ?? Infinity))
      best = { name: field.name, distance };
  }
  return best?.name ?? null;
}

/** Returns the Levenshtein distance. Computes one row at a time. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
