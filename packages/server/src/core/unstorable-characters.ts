/**
 * Replaces the characters that a database cannot store with U+FFFD. PostgreSQL rejects U+0000 and lone
 * surrogates.
 */
export function replaceUnstorableCharacters(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

/**
 * Replaces unstorable characters in a row's text values with U+FFFD. Does not change other values,
 * so each column keeps its type.
 */
export function replaceUnstorableRowText<Row extends object>(row: Row): Row {
  const columns = Object.entries(row).map(([column, value]) => [
    column,
    typeof value === 'string' ? replaceUnstorableCharacters(value) : value,
  ]);
  return Object.fromEntries(columns) as Row;
}

/** In the output of `JSON.stringify`: an escaped backslash, or the escape of an unstorable character. */
const ESCAPES = /(\\\\)|\\u(?:0000|d[89a-f]..)/g;

/**
 * Replaces unstorable characters in the texts and names of JSON data with U+FFFD. PostgreSQL stores JSON text with
 * their escapes, but cannot read values from it.
 */
export function replaceUnstorableJsonCharacters<Value extends object>(value: Value): Value {
  const text = JSON.stringify(value);
  const replaced = text.replace(ESCAPES, (_, backslashes?: string) => backslashes ?? '\ufffd');
  return replaced === text ? value : JSON.parse(replaced);
}

/** The error message for a field of the API or of floe.yaml with the character U+0000, which PostgreSQL cannot store. */
export const NUL_CHARACTER_MESSAGE = 'must not contain the character U+0000';

interface TreeNode {
  readonly value: unknown;
  readonly step: string | number;
  readonly parent: TreeNode | null;
}

/**
 * Returns the path in JSON data of a text value or a member name that contains U+0000, or null. PostgreSQL rejects this
 * character. SQLite accepts it, but Floe rejects it for both databases. Does not recurse, because a value without a
 * schema can have any depth.
 */
export function findNulCharacter(tree: unknown): readonly (string | number)[] | null {
  const open: TreeNode[] = [{ value: tree, step: '', parent: null }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { value, step } = node;
    if (String(step).includes('\0') || (typeof value === 'string' && value.includes('\0')))
      return pathOf(node);
    if (Array.isArray(value))
      for (const [at, entry] of value.entries()) open.push({ value: entry, step: at, parent: node });
    else if (typeof value === 'object' && value !== null)
      for (const [name, entry] of Object.entries(value))
        open.push({ value: entry, step: name, parent: node });
  }
  return null;
}

function pathOf(node: TreeNode): readonly (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: TreeNode = node; at.parent !== null; at = at.parent) path.unshift(at.step);
  return path;
}
