import type { VariableAssignment } from './command.ts';
import { joinSegmentTexts, readAssignedValue, readShellWords, type WordReadContext } from './read-word.ts';
import type { SyntaxNode } from './shell-parser.ts';
import { toWordSegments, type VariableValue } from './shell-scope.ts';
import type { WordSegment } from './shell-word.ts';
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
function readArrayElements({ children }: SyntaxNode, source: WordReadContext): VariableValue {
  const words = children.filter(({ type }) => /^[a-z]/.test(type));
  return words.flatMap((word): VariableValue => {
    const [, index] = /^(\[[^\]]*\]=)/.exec(source.text.slice(word.start, word.end)) ?? [];
    if (index !== undefined) return [dropLeadingText(readAssignedValue(word, source), index.length)];
    return readShellWords(word, source).map((one) =>
      toWordSegments(one).map((piece) => ({ ...piece, quoted: true })),
    );
  });
}

/** Assigns a value, a list or an element to a variable, as the syntax node of the assignment states. */
export function assignVariable({ children }: SyntaxNode, target: string, source: WordReadContext): void {
  const { scope } = source;
  const [name, operator, value] = children;
  const isElement = name?.type === 'subscript';
  const variable = isElement ? target.replace(/\[.*$/s, '') : target;
  const before = scope.isAssigned(variable) ? (scope.value(variable) ?? []) : [];
  const isAdded = operator?.type !== '=';
  if (value?.type === 'array')
    return scope.assign(variable, [...(isAdded ? before : []), ...readArrayElements(value, source)]);
  const index = isElement ? target.replace(/^[^[]*\[|\]$/g, '') : null;
  scope.assign(variable, assignElement(before, index, readAssignedValue(value, source), isAdded));
}

/**
 * Returns the value of a variable after an assignment to it or to the element `index`. The elements of an array have
 * no keys. If the key of an element is not its position, only the list of all elements is known. A replaced element
 * remains at the end of the list, because it may have another key.
 */
function assignElement(
  before: VariableValue,
  index: string | null,
  added: readonly WordSegment[],
  isAdded: boolean,
): VariableValue {
  if (index === null && !isAdded) return [added];
  const at = index === null ? 0 : /^\d+$/.test(index) ? Number(index) : -1;
  const known = at === -1 ? undefined : before[at];
  const element = isAdded ? [...(known ?? []), ...added] : added;
  const replaced = index !== null && !isAdded && known ? [known] : [];
  if (at >= 0 && at <= before.length)
    return [...before.slice(0, at), element, ...before.slice(at + 1), ...replaced];
  if (before.length === 0 || at === -1) return [...before, element];
  return [[{ text: null, quoted: true, certain: false, unknown: 'computed' }]];
}
