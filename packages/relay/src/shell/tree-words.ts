import type { Node } from './tree.ts';
import type { Piece } from './word.ts';

/** The value behind the index of an element. */
export function withoutStart(pieces: readonly Piece[], length: number): readonly Piece[] {
  let left = length;
  return pieces.flatMap((piece) => {
    if (piece.text === null) return [piece];
    const text = piece.text.slice(left);
    left = Math.max(0, left - piece.text.length);
    return text === '' ? [] : [{ ...piece, text }];
  });
}

function isWord({ field, type }: Node): boolean {
  return field === 'argument' || type === 'command_name';
}

/** A backslash before a line break is nothing; the grammar takes it for a blank. */
const CONTINUED = /^(?:\\\n)*$/;

/** Words of a command; what no blank parts is one word for the shell, if not for the grammar: `a$b-c$d`. */
export function wholeWords(nodes: readonly Node[], text: string): Node[] {
  const words: Node[] = [];
  for (const node of nodes) {
    if (!isWord(node)) continue;
    const before = words.at(-1);
    if (before === undefined || !CONTINUED.test(text.slice(before.end, node.start))) words.push(node);
    else
      words.splice(-1, 1, {
        ...before,
        type: 'concatenation',
        end: node.end,
        children: [...partsOf(before), ...partsOf(node)],
      });
  }
  return words;
}

/** What is more than text in a word. */
function partsOf(node: Node): readonly Node[] {
  if (node.type === 'command_name' || node.type === 'concatenation') return node.children.flatMap(partsOf);
  return node.type === 'word' || node.type === 'number' || !/^[a-z]/.test(node.type) ? [] : [node];
}

export function isStatement(type: string): boolean {
  return /^(?:command|pipeline|list|redirected_statement|subshell|compound_statement|negated_command|declaration_command|test_command|(?:if|for|while|case|c_style_for)_statement|function_definition)$/.test(
    type,
  );
}
