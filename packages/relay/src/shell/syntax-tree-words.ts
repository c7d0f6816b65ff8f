import type { SyntaxNode } from './shell-parser.ts';
import type { WordSegment } from './shell-word.ts';

/**
 * Returns the segments after the first `length` characters, such as the value after the index of an array
 * element.
 */
export function dropLeadingText(pieces: readonly WordSegment[], length: number): readonly WordSegment[] {
  let left = length;
  return pieces.flatMap((piece) => {
    if (piece.text === null) return [piece];
    const text = piece.text.slice(left);
    left = Math.max(0, left - piece.text.length);
    return text === '' ? [] : [{ ...piece, text }];
  });
}

function isWord({ field, type }: SyntaxNode): boolean {
  return field === 'argument' || type === 'command_name';
}

/** The grammar parses a line continuation as a blank. The shell removes it. */
const LINE_CONTINUATION = /^(?:\\\n)*$/;

/**
 * Merges adjacent nodes of a command that are not separated by a blank, because the shell treats
 * them as one word: `a$b-c$d`.
 */
export function mergeAdjacentWords(nodes: readonly SyntaxNode[], text: string): SyntaxNode[] {
  const words: SyntaxNode[] = [];
  for (const node of nodes) {
    if (!isWord(node) || isInputDescriptor(node, text)) continue;
    const before = words.at(-1);
    if (before === undefined || !LINE_CONTINUATION.test(text.slice(before.end, node.start))) words.push(node);
    else
      words.splice(-1, 1, {
        ...before,
        type: 'concatenation',
        end: node.end,
        children: [...expansionNodes(before), ...expansionNodes(node)],
      });
  }
  return words;
}

/** The grammar reads the `0` of `sh 0<<< code` and `sh 0< file` as an argument. */
function isInputDescriptor({ start, end }: SyntaxNode, text: string): boolean {
  return text.startsWith('<', end) && /^\d+$/.test(text.slice(start, end));
}

/** The nodes of a word that are not plain text. */
function expansionNodes(node: SyntaxNode): readonly SyntaxNode[] {
  if (node.type === 'command_name' || node.type === 'concatenation')
    return node.children.flatMap(expansionNodes);
  return node.type === 'word' || node.type === 'number' || !/^[a-z]/.test(node.type) ? [] : [node];
}

/** Returns whether a grammar node type is a statement that runs commands. */
export function isStatementType(type: string): boolean {
  return /^(?:command|pipeline|list|redirected_statement|subshell|compound_statement|negated_command|declaration_command|test_command|(?:if|for|while|case|c_style_for)_statement|function_definition)$/.test(
    type,
  );
}
