/**
 * What stands behind a filter's `=`: one value or several with commas, each with `!` before it for all others, a bound
 * (`>=100`), any (`*`) or none (`!*`). Quotes keep a comma within a value. Pure.
 */

export interface FilterDescription {
  /** `is`, `is not`, `is any of`, `≥` … */
  readonly operator: string;
  readonly value: string;
}

const BOUNDS: Readonly<Record<string, readonly [word: string, opposite: string]>> = {
  '>=': ['≥', '<'],
  '<=': ['≤', '>'],
  '>': ['>', '<='],
  '<': ['<', '>='],
};

/** The values as the API takes them: one parameter each. */
export function parseFilterValues(text: string): string[] {
  const found = [...text.matchAll(/(!?)(?:"([^"]*)"|([^,]+))/g)].map(
    ([, not = '', quoted, plain = '']) => not + (quoted ?? plain.trim()),
  );
  return found.length === 0 ? [text] : found;
}

/** One text for several values. */
export function formatFilterValue(values: readonly string[]): string {
  return values.map((value) => (/[,"]/.test(value) ? quoted(value) : value)).join(',');
}

function quoted(value: string): string {
  const not = value.startsWith('!') ? '!' : '';
  return `${not}"${value.slice(not.length).replaceAll('"', '')}"`;
}

/** How a filter is read out: `key` `is not` `ci`. */
export function describeFilter(text: string): FilterDescription {
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

/** Without what only says how the value is meant. */
function bare(value: string): string {
  return value.replace(/^!?=?/, '');
}

/** The same filter the other way round; null where there is none. */
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

/** A field's filter without one more value. What was chosen stays, but for that. */
export function removeFilterValue(text: string | null, value: string): string {
  const values = text === null ? [] : parseFilterValues(text);
  const isExclusion = values.every((one) => one.startsWith('!') && one !== '!*');
  if (isExclusion) return formatFilterValue([...new Set([...values, `!${value}`])]);
  const left = values.filter((one) => one !== value);
  return left.length === 0 || left.length === values.length
    ? formatFilterValue([`!${value}`])
    : formatFilterValue(left);
}
