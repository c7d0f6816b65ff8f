/**
 * The syntax of a filter value. A filter has one value or several separated by commas. `!` before a value
 * excludes it. A value can also be a bound (`>=100`), any value (`*`) or no value (`!*`). Quotes preserve a
 * comma in a value. In quotes, `""` is one quote. Pure.
 */

/** The display text of a filter: its operator and its value. */
export interface FilterDescription {
  /** Display text such as `is`, `is not`, `is any of` or `≥`. */
  readonly operator: string;
  readonly value: string;
}

const BOUNDS: Readonly<Record<string, readonly [word: string, opposite: string]>> = {
  '>=': ['≥', '<'],
  '<=': ['≤', '>'],
  '>': ['>', '<='],
  '<': ['<', '>='],
};

/**
 * Splits a filter value such as `ci,nightly` into its values. Each is sent to the API as a separate parameter.
 */
export function parseFilterValues(text: string): string[] {
  const found = [...text.matchAll(/(!?)(?:"((?:[^"]|"")*)"|([^,]+))/g)].map(
    ([, not = '', quoted, plain = '']) => not + (quoted?.replaceAll('""', '"') ?? plain.trim()),
  );
  return found.length === 0 ? [text] : found;
}

/** Joins values into one filter value, which `parseFilterValues` can split again. */
export function formatFilterValue(values: readonly string[]): string {
  return values.map((value) => (/,|^!?["\s]|\s$/.test(value) ? quote(value) : value)).join(',');
}

/**
 * Returns the filter value that matches exactly this value, even if it contains commas or quotes, or starts with an
 * operator.
 */
export function toExactFilterValue(value: string): string {
  return formatFilterValue([escapeOperator(value)]);
}

/** Escapes a value that starts with an operator. */
export function escapeOperator(value: string): string {
  return /^[!=*<>]/.test(value) ? `=${value}` : value;
}

function quote(value: string): string {
  const not = value.startsWith('!') ? '!' : '';
  return `${not}"${value.slice(not.length).replaceAll('"', '""')}"`;
}

/** Describes a filter value for display: `!ci` becomes the operator `is not` and the value `ci`. */
export function describeFilterValue(text: string): FilterDescription {
  const values = parseFilterValues(text);
  const [first = ''] = values;
  if (values.length === 1) {
    if (first === '*') return { operator: 'is', value: 'set' };
    if (first === '!*') return { operator: 'is', value: 'not set' };
    const [, sign = '', bound = ''] = /^(>=|<=|>|<)(.+)$/.exec(first) ?? [];
    const word = BOUNDS[sign]?.[0];
    if (word) return { operator: word, value: bound };
    return { operator: first.startsWith('!') ? 'is not' : 'is', value: bare(first) };
  }
  const isNone = values.every((value) => value.startsWith('!'));
  const isMixed = !isNone && values.some((value) => value.startsWith('!'));
  return {
    operator: isNone ? 'is none of' : isMixed ? 'is' : 'is any of',
    value: (isMixed ? values : values.map(bare)).join(', '),
  };
}

/** Removes quotes and the negation from a value. */
function bare(value: string): string {
  return value.replace(/^!?=?/, '');
}

/** Returns the negated filter value, or null if it cannot be negated. */
export function negateFilterValue(text: string): string | null {
  const values = parseFilterValues(text);
  const [first = ''] = values;
  const [, sign = '', bound = ''] = /^(>=|<=|>|<)(.+)$/.exec(first) ?? [];
  if (sign !== '') return values.length === 1 ? `${BOUNDS[sign]?.[1] ?? ''}${bound}` : null;
  if (values.every((value) => value.startsWith('!')))
    return formatFilterValue(values.map((value) => value.slice(1)));
  return values.some((value) => value.startsWith('!'))
    ? null
    : formatFilterValue(values.map((value) => `!${value}`));
}

/**
 * Returns the filter value that no longer matches `value`. If the filter selects several values, removes
 * `value` from them. Otherwise, excludes `value`, in addition to the values that are already excluded.
 * @param text The filter value, or null if there is no filter.
 */
export function excludeFilterValue(text: string | null, value: string): string {
  const values = text === null ? [] : parseFilterValues(text);
  const isExclusion = values.every((one) => one.startsWith('!') && one !== '!*');
  if (isExclusion) return formatFilterValue([...new Set([...values, `!${value}`])]);
  const left = values.filter((one) => one !== value);
  return left.length === 0 || left.length === values.length
    ? formatFilterValue([`!${value}`])
    : formatFilterValue(left);
}
