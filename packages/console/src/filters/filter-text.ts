import { negateFilterValue } from './filter-value.ts';

/** The filter bar's language: what people type, and the URL parameters it stands for. Pure. */

/** A field of a list that can be filtered; `name` is the API's own query parameter. */
export interface FilterField {
  readonly name: string;
  readonly label: string;
  /** Values to offer; absent for free text. */
  readonly values?: readonly string[];
  /** Parameters may be `name.<key>`, as in `metadata.team`. */
  readonly keyed?: boolean;
  /** The API takes it the other way round too: all but this. */
  readonly excludes?: boolean;
  readonly hint?: string;
}

export interface FilterToken {
  readonly name: string;
  readonly value: string;
}

export type ParsedFilterText =
  | { readonly kind: 'token'; readonly token: FilterToken }
  | { readonly kind: 'unknown_field'; readonly name: string; readonly nearest: string | null }
  | { readonly kind: 'no_value'; readonly field: FilterField }
  | { readonly kind: 'text' };

/** The field a parameter belongs to, `metadata.team` to `metadata`. */
export function findFilterField(fields: readonly FilterField[], name: string): FilterField | undefined {
  return fields.find((field) =>
    field.keyed
      ? name.startsWith(`${field.name}.`) && name.length > field.name.length + 1
      : field.name === name,
  );
}

/** What a typed text means: `status:429`, `state = partial`, `-key:ci`, `model is not gpt-5`, `metadata.team:growth`. */
export function parseTypedFilter(text: string, fields: readonly FilterField[]): ParsedFilterText {
  const [, minus = '', name = '', operator = '', rest = ''] =
    /^\s*(-?)(\w[\w.-]*)\s*(!=|[:=]|\bis\s+not\b|\bis\b)\s*(.*?)\s*$/s.exec(text) ?? [];
  if (name === '') return { kind: 'text' };
  const field =
    findFilterField(fields, name) ?? fields.find(({ label }) => label.toLowerCase() === name.toLowerCase());
  if (!field) return { kind: 'unknown_field', name, nearest: nearest(name, fields) };
  if (rest === '') return { kind: 'no_value', field };
  const isNot = minus !== '' || operator === '!=' || operator.includes('not');
  // Quotes that hold no comma together are only how it was typed.
  const value = /^"[^",]*"$/.test(rest) ? rest.slice(1, -1) : rest;
  return {
    kind: 'token',
    token: { name: field.keyed ? name : field.name, value: (isNot && negateFilterValue(value)) || value },
  };
}

/** Several at once, as pasted: `status:500 model:openai/gpt-5`; quotes keep blanks. */
export function parsePastedFilters(text: string, fields: readonly FilterField[]): FilterToken[] {
  const found: FilterToken[] = [];
  for (const [piece] of text.matchAll(/-?\w[\w.-]*\s*(?:!=|[:=])\s*(?:"[^"]*"|\S+)/g)) {
    const typed = parseTypedFilter(piece, fields);
    if (typed.kind === 'token') found.push(typed.token);
  }
  return found;
}

/** The filters in a URL's query, in its order. */
export function toFilterTokens(query: URLSearchParams, fields: readonly FilterField[]): FilterToken[] {
  return [...query].flatMap(([name, value]) => (findFilterField(fields, name) ? [{ name, value }] : []));
}

/** Filters as the API takes them. */
export function filterValues(tokens: readonly FilterToken[]): Record<string, string> {
  return Object.fromEntries(tokens.map(({ name, value }) => [name, value]));
}

/** The field whose name is least different, when it is near enough to be a slip. */
function nearest(name: string, fields: readonly FilterField[]): string | null {
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const field of fields) {
    const distance = editDistance(name, field.name);
    if (distance <= Math.max(2, field.name.length / 2) && distance < (best?.distance ?? Infinity))
      best = { name: field.name, distance };
  }
  return best?.name ?? null;
}

/** Levenshtein distance, one row at a time. */
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
