import type { ConfigPath } from '@floe/contract/config/cross-object-rules';
import type { Json } from '@floe/contract/json';
import { getYamlErrorMessage } from '@floe/contract/yaml-error-messages';
import { type ErrorCode, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { type ConfigProblem, formatConfigPath, type SourcePosition } from './config-problem.ts';
import { type PositionTable, PositionTableBuilder } from './source-positions.ts';

/** For comparison: a thousand monitors need about 200 KB. */
const MAX_CHARACTERS = 4 << 20;
/** Limit for nodes, with aliases expanded, because aliases can multiply. */
const MAX_NODES = 100_000;
const MAX_DEPTH = 64;
/** Maximum number of reported problems. */
const MAX_PROBLEMS = 100;

export interface ParsedYaml {
  /** Plain values, without keys that have no value. Null if the text has no content. */
  readonly tree: Json;
  readonly problems: readonly ConfigProblem[];
  /** Positions of all fields. Incomplete if there are problems. */
  readonly positions: PositionTable;
}

/**
 * Parses one YAML 1.2 document (core schema) and records positions. Reports duplicate keys, tabs,
 * unknown tags and excessive aliases. Does not use the parser's messages, because they quote the
 * text, which can contain secrets.
 */
export function parseYamlDocument(text: string): ParsedYaml {
  const lines = new LineCounter();
  const nowhere = { tree: null, positions: new PositionTableBuilder().build() };
  if (text.length > MAX_CHARACTERS)
    return {
      ...nowhere,
      problems: [createProblem(1, 1, `must have at most ${MAX_CHARACTERS >> 20} million characters`)],
    };
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    // Also for a document with the directive `%YAML 1.1`, in which `yes` and dates would not be text.
    schema: 'core',
    // Otherwise, the library resolves tags such as `!!timestamp` and `!!binary` to values that are not JSON.
    resolveKnownTags: false,
    // The library compares each key with all previous keys. `YamlReader` uses a set instead.
    uniqueKeys: false,
  });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    const rows = text.split('\n');
    const problems: ConfigProblem[] = [];
    for (const [line, { code, column }] of [...firstErrorPerLine(faults, lines)].slice(0, MAX_PROBLEMS))
      problems.push(createProblem(line, column, describeYamlError(code, rows[line - 1] ?? '')));
    return { ...nowhere, problems };
  }
  const reader = new YamlReader(lines);
  const tree = reader.read(document.contents);
  return { tree, problems: reader.problems, positions: reader.positions.build() };
}

/**
 * Converts plain values as `parseYamlDocument` does, but without limits and positions. Used for values that Floe has
 * created, because the YAML parser needs about 0.3 ms per resource.
 */
export function toParsedYaml(value: unknown): ParsedYaml {
  const tree: Json = JSON.parse(JSON.stringify(value), function (this: unknown, _key, inner: unknown) {
    return inner === null && !Array.isArray(this) ? undefined : inner;
  });
  return { tree, problems: [], positions: new PositionTableBuilder().build() };
}

class YamlReader {
  readonly problems: ConfigProblem[] = [];
  readonly positions = new PositionTableBuilder();
  readonly #lines: LineCounter;
  /** The library searches the whole document for every alias. */
  readonly #anchors = new Map<string, unknown>();
  #nodes = 0;
  /** The field of the root that is read. */
  #section = 0;

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  read(contents: unknown): Json {
    const root = this.positions.reserve(1);
    this.positions.setField(root, '', this.#at(contents));
    return this.#value(contents, [], root);
  }

  /** The plain value of a node. Null if there is none, or if the node was rejected. */
  #value(node: unknown, path: ConfigPath, field: number): Json {
    if (path.length === 1) this.#section = field;
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (target === undefined)
        this.#refuse(
          path,
          'must refer to an anchor that is defined earlier in the file',
          this.positions.positionOf(field),
        );
      return target === undefined ? null : this.#value(target, path, field);
    }
    const isTooDeep = path.length > MAX_DEPTH;
    if (isTooDeep || this.#nodes >= MAX_NODES || this.problems.length >= MAX_PROBLEMS) {
      if (this.problems.length === 0)
        this.#refuse(
          isTooDeep ? path.slice(0, 1) : [],
          isTooDeep
            ? `is nested too deeply; use at most ${MAX_DEPTH} levels`
            : 'must have at most 100,000 values after its aliases are expanded; use fewer values or aliases',
          this.positions.positionOf(this.#section),
        );
      this.#nodes = MAX_NODES;
      return null;
    }
    this.#nodes += 1;
    if (isNode(node) && 'anchor' in node && typeof node.anchor === 'string')
      this.#anchors.set(node.anchor, node);
    if (isMap<unknown, unknown>(node)) return this.#map(node, path, field);
    if (isSeq<unknown>(node)) return this.#list(node.items, path, field);
    return isScalar(node) ? toJsonScalar(node.value) : null;
  }

  #list(items: readonly unknown[], path: ConfigPath, field: number): Json {
    const first = this.#reserveChildren(field, items.length, true);
    return items.map((item, index) => {
      this.positions.setField(first + index, '', this.#at(item));
      return this.#value(item, [...path, index], first + index);
    });
  }

  #map({ items }: YamlEntries, path: ConfigPath, field: number): Json {
    const entries: [string, Json][] = [];
    const known = new Set<string>();
    const first = this.#reserveChildren(field, items.length, false);
    for (const [index, { key, value }] of items.entries()) {
      if (this.problems.length >= MAX_PROBLEMS) break;
      if (!isScalar(key)) {
        const position = hasRange(key) ? this.#at(key) : this.positions.positionOf(field);
        this.#refuse(path, 'each key must be plain text', position);
        continue;
      }
      const name = String(key.value);
      if (known.has(name)) this.#refuseAgain(key);
      known.add(name);
      this.positions.setField(first + index, name, this.#at(key));
      const plain = this.#value(value, [...path, name], first + index);
      if (plain === null) this.positions.unset(first + index);
      else entries.push([name, plain]);
    }
    return Object.fromEntries(entries);
  }

  #reserveChildren(field: number, count: number, isList: boolean): number {
    const first = this.positions.reserve(count);
    this.positions.setChildren(field, first, count, isList);
    return first;
  }

  /** Reports a duplicate key once, even if several aliases refer to the map. */
  #refuseAgain(key: unknown): void {
    const position = this.#at(key);
    const isTold = this.problems.some((one) => one.position?.line === position.line);
    if (!isTold) this.problems.push({ where: '', message: getYamlErrorMessage('DUPLICATE_KEY'), position });
  }

  #at(node: unknown): SourcePosition {
    const { line, col } = this.#lines.linePos(hasRange(node) ? node.range[0] : 0);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  #refuse(path: ConfigPath, message: string, position: SourcePosition): void {
    if (this.problems.length >= MAX_PROBLEMS) return;
    this.problems.push({ where: formatConfigPath(path), message, position });
  }
}

interface YamlPair {
  readonly key: unknown;
  readonly value: unknown;
}

interface YamlEntries {
  readonly items: readonly YamlPair[];
}

function hasRange(node: unknown): node is { readonly range: readonly [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}

function toJsonScalar(value: unknown): Json {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function createProblem(line: number, column: number, message: string): ConfigProblem {
  return { where: '', message, position: { line, column } };
}

/** The parser often reports several errors for one mistake. The first error of a line is the cause. */
function firstErrorPerLine(
  faults: readonly { readonly code: ErrorCode; readonly pos: readonly [number, number] }[],
  lines: LineCounter,
): Map<number, { code: ErrorCode; column: number }> {
  const found = new Map<number, { code: ErrorCode; column: number }>();
  for (const { code, pos } of faults) {
    const { line, col } = lines.linePos(pos[0]);
    if (!found.has(line)) found.set(line, { code, column: col });
  }
  return found;
}

function describeYamlError(code: ErrorCode, line: string): string {
  const words = getYamlErrorMessage(code);
  const unquoted = /[{[,]/.test(line.slice(0, Math.max(0, line.indexOf('${'))));
  return unquoted ? `${words}; put \${…} in quotes inside { } and [ ]` : words;
}
