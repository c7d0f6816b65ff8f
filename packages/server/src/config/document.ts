import type { ConfigPath } from '@floe/contract/config/references';
import type { Json } from '@floe/contract/json';
import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from 'yaml';
import { formatPath, type Position, type Problem } from './problem.ts';

/** A thousand monitors take about 200 KB. */
const MAX_CHARACTERS = 4 << 20;
/** Aliases multiply; what they stand for is counted each time. */
const MAX_NODES = 200_000;
const MAX_DEPTH = 64;

export interface YamlText {
  /** Plain values; keys without a value are left out. Null when the text has no content. */
  readonly tree: Json;
  readonly problems: readonly Problem[];
  /** Where the field stands, or the nearest thing around it. */
  positionOf(path: ConfigPath): Position;
}

/**
 * Parses one YAML 1.2 document (core schema) and keeps where everything stands. Duplicate keys, tabs,
 * unknown tags and runaway aliases are problems. Messages are our own words, because the parser's
 * quote the text, which holds secrets.
 */
export function readYaml(text: string): YamlText {
  const lines = new LineCounter();
  const nowhere = { tree: null, positionOf: () => ({ line: 1, column: 1 }) };
  if (text.length > MAX_CHARACTERS)
    return { ...nowhere, problems: [problemAt(1, 1, `is larger than ${MAX_CHARACTERS >> 20} MB`)] };
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    const problems = faults.map((fault) => {
      const { line, col } = lines.linePos(fault.pos[0]);
      return problemAt(line, col, inOurWords(fault.code, text.split('\n')[line - 1] ?? ''));
    });
    return { ...nowhere, problems: onePerLine(problems) };
  }
  const reading = new Reading(document, lines);
  const tree = reading.value(document.contents, []);
  return { tree, problems: reading.problems, positionOf: (path) => reading.positionOf(path) };
}

class Reading {
  readonly problems: Problem[] = [];
  readonly #positions = new Map<string, Position>();
  readonly #document: Document;
  readonly #lines: LineCounter;
  #nodes = 0;

  constructor(document: Document, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  /** The plain value of a node; null stands for "nothing here" and for what was refused. */
  value(node: unknown, path: ConfigPath): Json {
    if (isAlias(node)) return this.#alias(node, path);
    if (path.length > MAX_DEPTH || ++this.#nodes > MAX_NODES) {
      if (this.#nodes <= MAX_NODES + 1)
        this.#refuse(path.slice(0, 1), 'is nested too deeply or repeats too much');
      this.#nodes = MAX_NODES + 1;
      return null;
    }
    if (isMap<unknown, unknown>(node)) {
      const entries: [string, Json][] = [];
      for (const { key, value } of node.items) {
        if (!isScalar(key)) {
          this.#refuse(path, 'has a key that is not plain text', key);
          continue;
        }
        const name = String(key.value);
        this.#place([...path, name], key);
        const plain = this.value(value, [...path, name]);
        if (plain !== null) entries.push([name, plain]);
      }
      return Object.fromEntries(entries);
    }
    if (isSeq<unknown>(node))
      return node.items.map((item, index) => {
        this.#place([...path, index], item);
        return this.value(item, [...path, index]);
      });
    return isScalar(node) ? plainScalar(node.value) : null;
  }

  #alias(node: Node & { resolve(document: Document): Node | undefined }, path: ConfigPath): Json {
    const target = node.resolve(this.#document);
    if (target !== undefined) return this.value(target, path);
    this.#refuse(path, 'refers to an anchor that is not defined above it');
    return null;
  }

  positionOf(path: ConfigPath): Position {
    for (let length = path.length; length > 0; length--) {
      const found = this.#positions.get(formatPath(path.slice(0, length)));
      if (found !== undefined) return found;
    }
    return this.#at(this.#document.contents);
  }

  #place(path: ConfigPath, node: unknown): void {
    this.#positions.set(formatPath(path), this.#at(node));
  }

  #at(node: unknown): Position {
    const offset = hasRange(node) ? node.range[0] : 0;
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  #refuse(path: ConfigPath, message: string, node?: unknown): void {
    const position = hasRange(node) ? this.#at(node) : this.positionOf(path);
    this.problems.push({ where: formatPath(path), message, position });
  }
}

function hasRange(node: unknown): node is { readonly range: readonly [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}

function plainScalar(value: unknown): Json {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function problemAt(line: number, column: number, message: string): Problem {
  return { where: '', message, position: { line, column } };
}

/** One slip makes the parser complain several times about one line; the first complaint is the cause. */
function onePerLine(problems: readonly Problem[]): Problem[] {
  const seen = new Set<number | undefined>();
  return problems.filter(({ position }) => {
    if (seen.has(position?.line)) return false;
    seen.add(position?.line);
    return true;
  });
}

const WORDS: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'an alias (*name) is not written correctly; put a value that starts with * in quotes',
  BAD_COLLECTION_TYPE: 'a tag does not fit its value',
  BAD_DQ_ESCAPE: 'unknown escape in double quotes; use single quotes or write \\\\ for a backslash',
  BAD_INDENT: 'the indentation does not line up with the lines above',
  BAD_SCALAR_START: 'a value starts with a reserved character; put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a value contains ": "; put it in quotes',
  BLOCK_IN_FLOW: 'an indented block stands inside { } or [ ]',
  DUPLICATE_KEY: 'this key is already set in the same map',
  MISSING_CHAR: 'a closing quote, bracket or comma is missing',
  MULTILINE_IMPLICIT_KEY: 'a key goes over several lines; is a ":" or a quote missing above?',
  MULTIPLE_DOCS: 'only one document is allowed: remove the ---',
  NON_STRING_KEY: 'a key is not plain text',
  RESOURCE_EXHAUSTION: 'is nested too deeply',
  TAB_AS_INDENT: 'a tab is used as indentation; use spaces',
  TAG_RESOLVE_FAILED: 'tags (!name) are not known here; put a value that starts with ! in quotes',
  UNEXPECTED_TOKEN: 'this is not expected here',
};

function inOurWords(code: ErrorCode, line: string): string {
  const words = WORDS[code] ?? `is not valid YAML (${code.toLowerCase().replaceAll('_', ' ')})`;
  return /[{[,].*\$\{/.test(line) ? `${words}; put \${…} in quotes inside { } and [ ]` : words;
}
