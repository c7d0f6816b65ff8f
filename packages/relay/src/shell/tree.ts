import { createRequire } from 'node:module';
import type { Parser, TreeCursor } from 'web-tree-sitter';

/** A piece of a command as the grammar names it; positions are indices of the text. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  /** What it is to its parent, such as `name` or `argument`; null for the rest. */
  readonly field: string | null;
  readonly children: readonly Node[];
}

/** Deeper than this no person and no agent nests. */
const MOST_DEPTH = 150;

/** What may still be done for one command; taken from as it is done. */
export interface Work {
  /** How often the parser may still ask whether to go on: about once for 25 nodes. Hostile texts take 0.6 ms each. */
  looks: number;
  nodes: number;
  /** Pieces that are visited; functions and loops are more than once. */
  visits: number;
  commands: number;
  characters: number;
}

/** Why a text has no tree. */
export type NoTree = 'syntax' | 'too_much';

/** Reads bash; made by `loadGrammar`. */
export interface Grammar {
  /** The tree of a text that is well-formed as a whole; else why there is none. Never throws. */
  parse(text: string, work: Work): Node | NoTree;
}

let loading: Promise<Grammar> | null = null;

/** The grammar for bash, two WebAssembly files of 1.6 MB that take some 30 ms, read once in a process. */
export function loadGrammar(): Promise<Grammar> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Grammar> {
  const { Language, Parser } = await import('web-tree-sitter');
  await Parser.init();
  const path = createRequire(import.meta.url).resolve('tree-sitter-bash/tree-sitter-bash.wasm');
  const parser = new Parser();
  parser.setLanguage(await Language.load(path));
  return { parse: (text, work) => parse(parser, text, work) };
}

function parse(parser: Parser, text: string, work: Work): Node | NoTree {
  const progressCallback = () => {
    work.looks -= 1;
    return work.looks < 0;
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
      return copied(cursor, 0) ?? 'too_much';
    } finally {
      cursor.delete();
    }
  } finally {
    tree.delete();
  }
}

/** The tree below the cursor, out of the parser's memory; null when it is too deep. */
function copied(cursor: TreeCursor, depth: number): Node | null {
  if (depth > MOST_DEPTH) return null;
  const { nodeType: type, startIndex: start, endIndex: end, currentFieldName: field } = cursor;
  const children: Node[] = [];
  if (cursor.gotoFirstChild()) {
    do {
      const child = copied(cursor, depth + 1);
      if (child === null) return null;
      children.push(child);
    } while (cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  return { type, start, end, field, children };
}
