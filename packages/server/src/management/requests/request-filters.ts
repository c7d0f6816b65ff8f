import type { RequestFilterQuery } from '@floe/contract/api/analytics';
import {
  BOUNDED_COLUMNS,
  type BoundedColumn,
  type Bounds,
  CHOSEN_COLUMNS,
  type Choice,
  type ChosenColumn,
  type ExchangeFilters,
  type RangeChoice,
} from '../../store/exchange-filters.ts';

const METADATA = 'metadata.';

/** The filters of a validated query, `metadata.<key>` among them, as the store takes them. */
export function filtersOf(query: RequestFilterQuery & Readonly<Record<string, unknown>>): ExchangeFilters {
  const chosen: { [Column in ChosenColumn]?: Choice } = {};
  for (const column of CHOSEN_COLUMNS) {
    const choice = choiceOf(query[column]);
    if (choice) chosen[column] = choice;
  }
  const bounded: { [Column in BoundedColumn]?: Bounds } = {};
  for (const column of BOUNDED_COLUMNS) {
    const bounds = boundsOf(query[column]);
    if (bounds) bounded[column] = bounds;
  }
  return {
    chosen,
    bounded,
    key: choiceOf(query.key),
    model: choiceOf(query.model),
    status: statusesOf(query.status),
    outcome: choiceOf(query.outcome),
    stream: query.stream === undefined ? undefined : query.stream === 'true',
    dropped: query.dropped === undefined ? undefined : query.dropped === 'true',
    metadata: metadataOf(query),
  };
}

type Given = string | readonly string[] | undefined;

function listOf(given: Given): readonly string[] {
  if (given === undefined) return [];
  return typeof given === 'string' ? [given] : given;
}

/** `x`, `!x`, `*` and `!*`, each any number of times; undefined when there is none. */
export function choiceOf(given: Given): Choice | undefined {
  const values = listOf(given);
  if (values.length === 0) return undefined;
  const said = (value: string) => (value.startsWith('=') ? value.slice(1) : value);
  const negated = values.filter((value) => value.startsWith('!'));
  const plain = values.filter((value) => !value.startsWith('!') && value !== '*');
  const isPresent = values.includes('*');
  const isAbsent = values.includes('!*');
  return {
    any: plain.map(said),
    none: negated.filter((value) => value !== '!*').map((value) => said(value.slice(1))),
    ...((isPresent || isAbsent) && { present: isPresent }),
  };
}

/** `429`, `5xx`, `400..499` and `error`, each with or without a `!`. */
function statusesOf(given: Given): RangeChoice | undefined {
  const values = listOf(given);
  if (values.length === 0) return undefined;
  const rangesOf = (value: string) =>
    // Two classes, as each has its place in the index.
    (value === 'error' ? ['4xx', '5xx'] : [value]).map((one) => {
      const [from = '', to = from] = one.split('..');
      return { from: Number(from.replace('xx', '00')), to: Number(to.replace('xx', '99')) };
    });
  const negated = values.filter((value) => value.startsWith('!'));
  return {
    any: values.filter((value) => !value.startsWith('!')).flatMap(rangesOf),
    none: negated.flatMap((value) => rangesOf(value.slice(1))),
  };
}

/** The part that several bounds leave. */
function boundsOf(given: Given): Bounds | undefined {
  const values = listOf(given);
  if (values.length === 0) return undefined;
  const each = values.map(oneBound);
  const from = Math.max(...each.map((bound) => bound.from ?? Number.NEGATIVE_INFINITY));
  const to = Math.min(...each.map((bound) => bound.to ?? Number.POSITIVE_INFINITY));
  return {
    ...(from !== Number.NEGATIVE_INFINITY && { from }),
    ...(to !== Number.POSITIVE_INFINITY && { to }),
  };
}

function oneBound(text: string): Bounds {
  const [, sign = '', value = ''] = /^(>=|<=|>|<)?(-?[\d.]+)$/.exec(text) ?? [];
  if (text.includes('..')) {
    const [from, to] = text.split('..');
    return { ...(from && { from: Number(from) }), ...(to && { to: Number(to) }) };
  }
  const number = Number(value);
  if (sign === '>=') return { from: number };
  if (sign === '<=') return { to: number };
  // The next number a double can hold: what is counted in whole ones or measured alike.
  if (sign === '>') return { from: above(number) };
  if (sign === '<') return { to: -above(-number) };
  return { from: number, to: number };
}

function above(number: number): number {
  return number + Math.max(Number.EPSILON * Math.abs(number), Number.MIN_VALUE);
}

function metadataOf(query: Readonly<Record<string, unknown>>): Record<string, Choice> {
  const found: Record<string, Choice> = {};
  for (const [name, value] of Object.entries(query)) {
    if (!name.startsWith(METADATA) || !isGiven(value)) continue;
    const choice = choiceOf(value);
    if (choice) found[name.slice(METADATA.length)] = choice;
  }
  return found;
}

function isGiven(value: unknown): value is Given {
  return typeof value === 'string' || Array.isArray(value);
}
