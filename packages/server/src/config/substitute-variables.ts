import type { ConfigPath } from '@floe/contract/config/cross-object-rules';
import { isJsonObject, type Json } from '@floe/contract/json';
import type * as z from 'zod';
import { findScalarKindsAt } from './schema-lookup.ts';
import type { SecretFileReader } from './secret-file.ts';

/** Returns the value of a variable, or undefined if it is not set. */
export type VariableValueLookup = (name: string) => string | undefined;

export interface TextExpansion {
  readonly text: string;
  /** Names of the variables in the text, in order. A file has the name `file:PATH`. */
  readonly names: readonly string[];
  /** Variables without a value and a default, and files that do not exist. */
  readonly unset: readonly string[];
  /** Other problems, described for the author of the text. */
  readonly faults: readonly string[];
}

/**
 * Replaces `${NAME}`, `${NAME:-default}` and `${file:PATH}` in one pass from left to right. `$${`
 * produces a literal `${`. As in a shell, the default also replaces an empty variable, and it ends
 * at the first `}`. Inserted values are not expanded again.
 *
 * @param readFile reads secret files. Absent for text that must not read files on this host.
 */
export function expandVariables(
  text: string,
  variables: VariableValueLookup,
  readFile?: SecretFileReader,
): TextExpansion {
  const names: string[] = [];
  const unset: string[] = [];
  const faults: string[] = [];
  const found = { names, unset, faults };
  let out = '';
  let from = 0;
  while (true) {
    const open = text.indexOf('${', from);
    if (open === -1) return { text: out + text.slice(from), names, unset, faults };
    if (open > from && text[open - 1] === '$') {
      out += text.slice(from, open - 1) + '${';
      from = open + 2;
      continue;
    }
    const close = text.indexOf('}', open);
    if (close === -1) {
      faults.push('each "${" must have a closing "}"; write $${ for a literal ${');
      return { text: out, names, unset, faults };
    }
    out += text.slice(from, open);
    const reference = text.slice(open + 2, close);
    out += reference.startsWith(FILE_PREFIX)
      ? expandFile(reference, readFile, found)
      : expandVariable(reference, variables, found);
    from = close + 1;
  }
}

const FILE_PREFIX = 'file:';

/** The findings of one expansion so far. */
interface ExpansionNotes {
  readonly names: string[];
  readonly unset: string[];
  readonly faults: string[];
}

function expandVariable(reference: string, variables: VariableValueLookup, found: ExpansionNotes): string {
  const [name = '', fallback] = splitOnce(reference, ':-');
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    found.faults.push(
      'a reference must have the form ${NAME}, ${NAME:-default} or ${file:PATH}, where NAME consists of letters, digits and _, and does not start with a digit',
    );
    return '';
  }
  if (fallback?.includes('${'))
    found.faults.push(
      'the default of a reference must not contain another reference, because the default ends at the first "}"',
    );
  found.names.push(name);
  const value = variables(name);
  if (value === undefined && fallback === undefined) found.unset.push(name);
  return fallback === undefined ? (value ?? '') : value || fallback;
}

function expandFile(
  reference: string,
  readFile: SecretFileReader | undefined,
  found: ExpansionNotes,
): string {
  const path = reference.slice(FILE_PREFIX.length);
  if (readFile === undefined)
    found.faults.push(
      "${file:PATH} can be used only in the server's floe.yaml; use ${NAME} instead. The command `floe config apply` reads the variable NAME from your environment; API clients send the value of NAME in the field `variables`",
    );
  else if (path.trim() === '') found.faults.push('${file:PATH} must contain a file path');
  else {
    found.names.push(reference);
    const result = readFile(path);
    if ('content' in result) return result.content;
    if (result.isMissing) found.unset.push(reference);
    else found.faults.push(`the file ${path} ${result.problem}`);
  }
  return '';
}

function describeUnset(name: string): string {
  return name.startsWith(FILE_PREFIX)
    ? `the file ${name.slice(FILE_PREFIX.length)} does not exist; create the file, or correct the path`
    : `the environment variable ${name} is not set; set it, or write \${${name}:-default} for a default`;
}

/** Limit for the sum of all expanded texts, because a variable can be repeated. */
const MAX_EXPANDED_CHARACTERS = 16 << 20;

export interface SubstitutionProblem {
  readonly path: ConfigPath;
  readonly message: string;
  /** Set if the problem is a variable that is not set, or a file that does not exist, on this machine. */
  readonly isUnset?: true;
}

export interface SubstitutionResult {
  readonly tree: Json;
  readonly faults: readonly SubstitutionProblem[];
  /** Names of the variables in the tree. */
  readonly names: ReadonlySet<string>;
  namesAt(path: ConfigPath): readonly string[];
}

/**
 * Expands the variables in every string of a tree. If the schema accepts a number or a boolean but
 * no text, converts the expanded text. If the conversion fails, the value stays text and the schema
 * rejects it.
 */
export function substituteVariables(
  tree: Json,
  schema: z.core.$ZodType,
  variables: VariableValueLookup,
  readFile?: SecretFileReader,
): SubstitutionResult {
  const faults: SubstitutionProblem[] = [];
  const byPath = new Map<string, readonly string[]>();
  let left = MAX_EXPANDED_CHARACTERS;
  const visit = (value: Json, path: ConfigPath): Json => {
    if (typeof value === 'string') {
      if (!value.includes('${') || left < 0) return value;
      const expansion = expandVariables(value, variables, readFile);
      left -= expansion.text.length;
      if (left < 0)
        faults.push({
          path,
          message:
            'is too long: the values that contain variables can have at most 16 million characters in total after the variables are replaced',
        });
      for (const name of expansion.unset) faults.push({ path, message: describeUnset(name), isUnset: true });
      for (const message of expansion.faults) faults.push({ path, message });
      byPath.set(pathKey(path), expansion.names);
      return expansion.names.length === 0 ? expansion.text : coerceScalar(expansion.text, schema, path);
    }
    if (Array.isArray(value)) return value.map((entry: Json, index) => visit(entry, [...path, index]));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key, visit(entry ?? null, [...path, key])]),
    );
  };
  return {
    tree: visit(tree, []),
    faults,
    names: new Set([...byPath.values()].flat()),
    namesAt: (path) => byPath.get(pathKey(path)) ?? [],
  };
}

/** Converts text without a YAML type, such as the value of a variable, to the type that the schema accepts at `path`. */
export function coerceScalar(text: string, schema: z.core.$ZodType, path: ConfigPath): Json {
  const kinds = findScalarKindsAt(schema, path);
  if (kinds.has('text')) return text;
  if (kinds.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (kinds.has('number') && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text);
  return text;
}

function pathKey(path: ConfigPath): string {
  return JSON.stringify(path);
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
