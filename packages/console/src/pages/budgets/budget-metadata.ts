import { isJsonObject, type Json } from '@floe/contract/json';
import { ApiError } from '../../data/api-error.ts';
import { budgetsText } from './text.ts';

/** The line breaks of a textarea, which changes all of them to `\n`. */
const LINE_BREAK = /[\r\n]/;

type Metadata = Readonly<Record<string, string>>;

/**
 * Formats metadata as the text of a field: one `name=value` pair per line. A pair that this form cannot represent,
 * such as one with `=` in its name, is a line with a JSON object. `parseBudgetMetadata` returns the same metadata.
 */
export function formatBudgetMetadata(metadata: Metadata): string {
  return Object.entries(metadata)
    .map(([name, value]) => {
      const line = `${name}=${value}`;
      const [parsed, ...others] = line.split(LINE_BREAK).map(parsePair);
      const isExact = others.length === 0 && parsed?.[0] === name && parsed[1] === value;
      return isExact && !line.startsWith('{') ? line : JSON.stringify({ [name]: value });
    })
    .join('\n');
}

/**
 * Parses the text of the metadata field.
 * @throws ApiError for a line that is neither a pair nor a JSON object, and for a name that is given twice
 */
export function parseBudgetMetadata(text: string): Record<string, string> {
  const parsed = new Map<string, string>();
  for (const line of text.split(LINE_BREAK).flatMap((each) => each.trim() || [])) {
    for (const pair of line.startsWith('{') ? parseObject(line) : [parsePair(line)]) {
      const [name, value] = pair ?? reject(budgetsText.fields.metadataInvalid(line));
      if (parsed.has(name)) reject(budgetsText.fields.metadataRepeated(name));
      parsed.set(name, value);
    }
  }
  return Object.fromEntries(parsed);
}

/** Returns the name and the value of a line. Null if one of them is missing. */
function parsePair(line: string): readonly [name: string, value: string] | null {
  const at = line.indexOf('=');
  const [name, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  return at === -1 || name === '' || value === '' ? null : [name, value];
}

function parseObject(line: string): readonly (readonly [string, string] | null)[] {
  const value = parseJson(line);
  if (!isJsonObject(value)) return [null];
  return Object.entries(value).map(([name, one]) => (typeof one === 'string' ? [name, one] : null));
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function reject(message: string): never {
  throw new ApiError({ status: 0, code: 'invalid', param: 'metadata', message });
}
