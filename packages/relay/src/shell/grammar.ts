import { createRequire } from 'node:module';
import type { Parser, TreeCursor } from 'web-tree-sitter';

/** A piece of a command as the grammar names it; positions are indices of the text. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  /** What it is to its parent, such as `name` or `argument`; null for the rest. */
  readonly field: string | null;
  readonly children: readonly SyntaxNode[];
}

/** Deeper than this no person and no agent nests. */
const MAX_TREE_DEPTH = 150;

/** What may still be done for one command; taken from as it is done. */
export interface AnalysisBudget {
  /** How often the parser may still ask whether to go on: about once for 25 nodes. Hostile texts take 0.6 ms each. */
  parserCallbacks: number;
  nodes: number;
  /** Pieces that are visited; functions and loops are more than once. */
  visits: number;
  commands: number;
  characters: number;
}

/** Why a text has no tree. */
export type ParseFailure = 'syntax' | 'too_much';

/** Reads bash; made by `loadShellGrammar`. */
export interface ShellGrammar {
  /** The tree of a text that is well-formed as a whole; else why there is none. Never throws. */
  parse(text: string, work: AnalysisBudget): SyntaxNode | ParseFailure;
}

let loading: Promise<ShellGrammar> | null = null;

/** The grammar for bash, two WebAssembly files of 1.6 MB that take some 30 ms, read once in a process. */
export function loadShellGrammar(): Promise<ShellGrammar> {
  loading ??= loadParser();
  return loading;
}

async function loadParser(): Promise<ShellGrammar> {
  const { Language, Parser } = await import('web-tree-sitter');
  await Parser.init();
  const path = createRequire(import.meta.url).resolve('tree-sitter-bash/tree-sitter-bash.wasm');
  const parser = new Parser();
  parser.setLanguage(await Language.load(path));
  return { parse: (text, work) => parseTree(parser, text, work) };
}

function parseTree(parser: Parser, text: string, work: AnalysisBudget): SyntaxNode | ParseFailure {
  const progressCallback = () => {
    work.parserCallbacks -= 1;
    return work.parserCallbacks < 0;
  };
  const tree = parser.parse(text, null, { progressCallback });
  if (tree === null) {
    parser.reset();
    return 'too_much';
  }
  try {
    if (tree.rootNode.hasError) return 'syntax';
    work.nodes -= tree.rootNode.descendantCount;
    if (work.nodes < 0) return 'too_much';
    const cursor = tree.walk();
    try {
      return copyTree(cursor, 0) ?? 'too_much';
    } finally {
      cursor.delete();
    }
  } finally {
    tree.delete();
  }
}

/** The tree below the cursor, out of the parser's memory; null when it is too deep. */
function copyTree(cursor: TreeCursor, depth: number): SyntaxNode | null {
  if (depth > MAX_TREE_DEPTH) return null;
  const { nodeType: type, startIndex: start, endIndex: end, currentFieldName: field } = cursor;
  const children: SyntaxNode[] = [];
  if (cursor.gotoFirstChild()) {
    do {
      const child = copyTree(cursor, depth + 1);
      if (child === null) return null;
      children.push(child);
    } while (cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  return { type, start, end, field, children };
}
