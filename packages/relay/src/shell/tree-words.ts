import type { SyntaxNode } from './grammar.ts';
import type { WordSegment } from './word.ts';

/** The value behind the index of an element. */
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

/** A backslash before a line break is nothing; the grammar takes it for a blank. */
const LINE_CONTINUATION = /^(?:\\\n)*$/;

/** Words of a command; what no blank parts is one word for the shell, if not for the grammar: `a$b-c$d`. */
export function mergeAdjacentWords(nodes: readonly SyntaxNode[], text: string): SyntaxNode[] {
  const words: SyntaxNode[] = [];
  for (const node of nodes) {
    if (!isWord(node)) continue;
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

/** What is more than text in a word. */
function expansionNodes(node: SyntaxNode): readonly SyntaxNode[] {
  if (node.type === 'command_name' || node.type === 'concatenation')
    return node.children.flatMap(expansionNodes);
  return node.type === 'word' || node.type === 'number' || !/^[a-z]/.test(node.type) ? [] : [node];
}

export function isStatementType(type: string): boolean {
  return /^(?:command|pipeline|list|redirected_statement|subshell|compound_statement|negated_command|declaration_command|test_command|(?:if|for|while|case|c_style_for)_statement|function_definition)$/.test(
    type,
  );
}
