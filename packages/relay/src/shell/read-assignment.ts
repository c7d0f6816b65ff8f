import type { VariableAssignment } from './command.ts';
import { joinSegmentTexts, readAssignedValue, readShellWords, type WordReadContext } from './read-word.ts';
import type { SyntaxNode } from './shell-parser.ts';
import type { VariableValue } from './shell-scope.ts';
import { dropLeadingText } from './syntax-tree-words.ts';

/** An example of the path that the shell substitutes for `<(…)`. The real number differs. */
const PROCESS_SUBSTITUTION_PATH = '/dev/fd/63';

/** Reads an assignment `name=value` from its syntax node. */
export function readAssignment({ children }: SyntaxNode, source: WordReadContext): VariableAssignment {
  const [name, operator, value] = children;
  return {
    name: name ? source.text.slice(name.start, name.end) : '',
    value: name?.type === 'variable_name' && operator?.type === '=' ? readText(value, source) : null,
  };
}

function readText(value: SyntaxNode | undefined, source: WordReadContext): string | null {
  if (value?.type === 'array') return null;
  if (value?.type === 'process_substitution') return PROCESS_SUBSTITUTION_PATH;
  return joinSegmentTexts(readAssignedValue(value, source));
}

/** Reads the elements of an array assignment `name=(…)` from its syntax node. */
export function readArrayElements({ children }: SyntaxNode, source: WordReadContext): VariableValue {
  const words = children.filter(({ type }) => /^[a-z]/.test(type));
  return words.flatMap((word): VariableValue => {
    const [, index] = /^(\[[^\]]*\]=)/.exec(source.text.slice(word.start, word.end)) ?? [];
    if (index !== undefined) return [dropLeadingText(readAssignedValue(word, source), index.length)];
    return readShellWords(word, source).map((one) => [
      { text: one.text, quoted: true, certain: true, ...(one.glob && { names: true }) },
    ]);
  });
}
