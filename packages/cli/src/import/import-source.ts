import { getYamlErrorMessage } from '@floe/contract/yaml-error-messages';
import { parseDocument } from 'yaml';

const MAX_CHARACTERS = 16 << 20;
const MAX_DEPTH = 64;
const MAX_PROBLEMS = 20;

/**
 * Thrown if the source cannot be imported. The message contains the location of each problem and no value of
 * the source.
 */
export class ImportSourceError extends Error {
  override readonly name = 'ImportSourceError';
}

/**
 * Parses the source as YAML 1.1, the version that PyYAML implements, or as JSON, which is a subset of YAML.
 * @throws ImportSourceError if the text is not valid YAML, is too large or is nested too deeply
 */
export function parseImportSource(text: string, file: string): unknown {
  if (text.length > MAX_CHARACTERS)
    throw new ImportSourceError(`${file} is too large. The maximum is ${MAX_CHARACTERS} characters.`);
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length;
  const document = parseDocument(text, {
    version: '1.1',
    merge: true,
    prettyErrors: false,
    logLevel: 'silent',
  });
  // The messages of the parser quote the text, which contains secrets.
  const problems = document.errors.map(
    ({ code, pos }) => `${file}:${lineOf(pos[0])}: ${getYamlErrorMessage(code)}`,
  );
  if (problems.length > 0) throw new ImportSourceError(problems.slice(0, MAX_PROBLEMS).join('\n'));
  let tree: unknown;
  try {
    tree = document.toJS({ maxAliasCount: 1_000 });
    requireDepth(tree, 0);
    tree = JSON.parse(JSON.stringify(tree) ?? 'null');
  } catch {
    throw new ImportSourceError(
      `${file} has more than ${MAX_DEPTH} levels of nesting, or its YAML aliases expand to too many values. Simplify the file.`,
    );
  }
  return tree;
}

function requireDepth(value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw new Error('the YAML is nested too deeply');
  if (typeof value !== 'object' || value === null) return;
  for (const inner of Object.values(value)) requireDepth(inner, depth + 1);
}
