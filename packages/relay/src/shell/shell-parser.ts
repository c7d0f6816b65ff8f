import { createRequire } from 'node:module';
import type { Parser, TreeCursor } from 'web-tree-sitter';

/** A node of the syntax tree. Positions are indexes into the text. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  /** Its role in the parent, such as `name` or `argument`. Null for other nodes. */
  readonly field: string | null;
  readonly children: readonly SyntaxNode[];
}

/** Maximum number of characters of one piece of code. Longer code is not analyzed. */
export const MAX_CODE_CHARS = 10_000;

/** Number of characters that the parser reads at once. */
const PARSER_READ_CHARS = 1_000;

/** Maximum depth of a syntax tree. Real commands are far below it. */
const MAX_TREE_DEPTH = 150;

/**
 * The amount of work that the analysis of one command may still do. The analysis reduces it as it
 * proceeds.
 */
export interface RemainingAnalysisWork {
  /**
   * Remaining progress callbacks of the parser, one per about 25 nodes. For the most hostile code, each takes 0.6 ms.
   */
  parserCallbacks: number;
  /** Remaining reads of code by the parser. For code such as `@a@a@a`, it reads the rest again after every character. */
  parserReads: number;
  nodes: number;
  /** Remaining nodes to visit. Functions and loops are visited more than once. */
  visits: number;
  commands: number;
  characters: number;
}

/** Returns whether no more work may be done. The part of the code that remains is then unclear. */
export function isWorkExhausted(work: RemainingAnalysisWork): boolean {
  const { commands, visits, characters, parserCallbacks, parserReads } = work;
  return Math.min(commands, visits, characters, parserCallbacks, parserReads) < 0;
}

/** The reason why code has no syntax tree. */
export type ShellParseFailureReason = 'syntax' | 'too_much';

/** A parser for bash, created by `loadShellParser`. */
export interface ShellParser {
  /** Parses code. Returns the reason if the code has a syntax error or is too complex. Never throws. */
  parse(text: string, work: RemainingAnalysisWork): SyntaxNode | ShellParseFailureReason;
}

let loading: Promise<ShellParser> | null = null;

/**
 * Loads the bash grammar, once per process. It consists of two WebAssembly files of 1.6 MB, and
 * loading takes about 30 ms. If it fails, for example because too many files are open, the next call tries again.
 */
export function loadShellParser(): Promise<ShellParser> {
  loading ??= loadParser().catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
}

const ESCAPES = /\\[$`\\]/g;

async function loadParser(): Promise<ShellParser> {
  const { Language, Parser } = await import('web-tree-sitter');
  await Parser.init();
  const path = createRequire(import.meta.url).resolve('tree-sitter-bash/tree-sitter-bash.wasm');
  const parser = new Parser();
  parser.setLanguage(await Language.load(path));
  return {
    parse(text, work) {
      const tree = parseTree(parser, text, work);
      // The grammar does not accept `\$(` in a here-document, where it is text.
      if (tree !== 'syntax' || !text.includes('<<')) return tree;
      const plain = text.replaceAll(ESCAPES, '__');
      return plain === text ? tree : parseTree(parser, plain, work);
    },
  };
}

function parseTree(
  parser: Parser,
  text: string,
  work: RemainingAnalysisWork,
): SyntaxNode | ShellParseFailureReason {
  const progressCallback = () => {
    work.parserCallbacks -= 1;
    return work.parserCallbacks < 0;
  };
  const readText = (at: number) => {
    work.parserReads -= 1;
    // An empty string signals the end of the code, so the parser stops.
    return work.parserReads >= 0 ? text.slice(at, at + PARSER_READ_CHARS) : '';
  };
  const tree = parser.parse(readText, null, { progressCallback });
  if (tree === null) {
    parser.reset();
    return 'too_much';
  }
  try {
    if (work.parserReads < 0) return 'too_much';
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

/** Copies the tree below the cursor out of the parser's memory. Null if it is too deep. */
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
