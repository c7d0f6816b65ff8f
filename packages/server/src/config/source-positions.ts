import type { ConfigPath } from '@floe/contract/config/cross-object-rules';
import type { SourcePosition } from './config-problem.ts';

/**
 * The positions of all fields of a YAML text. Plain data, so that a thread can send it. Much smaller than
 * the nodes of the YAML library.
 */
export interface PositionTable {
  /** The keys of all maps, each once. */
  readonly names: readonly string[];
  /**
   * `FIELD_SIZE` numbers per field. The fields of a map or a list follow each other. The first one is the
   * document.
   */
  readonly fields: Uint32Array<ArrayBuffer>;
}

/** The positions of the numbers of a field. */
const FIELD_SIZE = 5;
/** Twice the index of its name, plus 1 if it has a value. */
const NAME = 0;
const LINE = 1;
const COLUMN = 2;
/** Index of the first field in it. */
const CHILDREN = 3;
/** Twice the number of fields in it, plus 1 for a list. */
const COUNT = 4;

/** Collects the source position of each value while a configuration file is parsed. */
export class PositionTableBuilder {
  readonly #fields: number[] = [];
  readonly #names = new Map<string, number>();

  /** Adds fields that belong to one map or list, and returns the index of the first one. */
  reserve(count: number): number {
    const first = this.#fields.length / FIELD_SIZE;
    for (let left = count * FIELD_SIZE; left > 0; left--) this.#fields.push(0);
    return first;
  }

  /** @param name the key in its map. An entry of a list has none. */
  setField(field: number, name: string, { line, column }: SourcePosition): void {
    const at = this.#names.get(name) ?? this.#names.size;
    this.#names.set(name, at);
    this.#set(field, NAME, at * 2 + 1);
    this.#set(field, LINE, line);
    this.#set(field, COLUMN, column);
  }

  setChildren(field: number, first: number, count: number, isList: boolean): void {
    this.#set(field, CHILDREN, first);
    this.#set(field, COUNT, count * 2 + (isList ? 1 : 0));
  }

  /** Marks the key as having no value, so that the file does not set the field. */
  unset(field: number): void {
    this.#set(field, NAME, (this.#fields[field * FIELD_SIZE + NAME] ?? 0) & ~1);
  }

  positionOf(field: number): SourcePosition {
    const at = field * FIELD_SIZE;
    return { line: this.#fields[at + LINE] ?? 1, column: this.#fields[at + COLUMN] ?? 1 };
  }

  build(): PositionTable {
    return { names: [...this.#names.keys()], fields: Uint32Array.from(this.#fields) };
  }

  #set(field: number, part: number, value: number): void {
    this.#fields[field * FIELD_SIZE + part] = value;
  }
}

/** Finds the source positions of fields in a `PositionTable`. */
export class SourcePositions {
  readonly #names: readonly string[];
  readonly #fields: Uint32Array;

  constructor({ names, fields }: PositionTable) {
    this.#names = names;
    this.#fields = fields;
  }

  /** Position of the field, or of its closest parent. */
  positionOf(path: ConfigPath): SourcePosition {
    const { field } = this.#find(path);
    return { line: this.#get(field, LINE), column: this.#get(field, COLUMN) };
  }

  /** Whether the file sets the field. A key without a value sets nothing. */
  sets(path: ConfigPath): boolean {
    const { field, isExact } = this.#find(path);
    return isExact && this.#get(field, NAME) % 2 === 1;
  }

  /** 1-based line of a field or of its closest parent. Undefined if the file does not set its section. */
  lineOf(path: ConfigPath): number | undefined {
    return path.length > 0 && this.sets(path.slice(0, 1)) ? this.positionOf(path).line : undefined;
  }

  /**
   * Returns by how many lines a field and everything in it is further down than in another file. Null if the
   * two differ in the fields that are set, or if only a part of them moved.
   */
  linesMoved(path: ConfigPath, other: SourcePositions, otherPath: ConfigPath): number | null {
    const own = this.#find(path);
    const before = other.#find(otherPath);
    if (!own.isExact || !before.isExact) return null;
    const lines = this.#get(own.field, LINE) - other.#get(before.field, LINE);
    return this.#isMoved(own.field, other, before.field, lines) ? lines : null;
  }

  #isMoved(field: number, other: SourcePositions, before: number, lines: number): boolean {
    const count = this.#get(field, COUNT);
    if (count !== other.#get(before, COUNT)) return false;
    const first = this.#get(field, CHILDREN);
    const firstBefore = other.#get(before, CHILDREN);
    for (let at = 0; at < count >>> 1; at++) {
      const [child, childBefore] = [first + at, firstBefore + at];
      const isSame =
        this.#get(child, LINE) - other.#get(childBefore, LINE) === lines &&
        this.#get(child, NAME) % 2 === other.#get(childBefore, NAME) % 2 &&
        this.#nameOf(child) === other.#nameOf(childBefore) &&
        this.#isMoved(child, other, childBefore, lines);
      if (!isSame) return false;
    }
    return true;
  }

  #find(path: ConfigPath): { readonly field: number; readonly isExact: boolean } {
    let field = 0;
    for (const step of path) {
      const child = this.#childOf(field, step);
      if (child === null) return { field, isExact: false };
      field = child;
    }
    return { field, isExact: true };
  }

  #childOf(field: number, step: string | number): number | null {
    const counted = this.#get(field, COUNT);
    const [first, count] = [this.#get(field, CHILDREN), counted >>> 1];
    if (counted % 2 === 1) return typeof step === 'number' && step >= 0 && step < count ? first + step : null;
    const name = String(step);
    for (let child = first; child < first + count; child++) if (this.#nameOf(child) === name) return child;
    return null;
  }

  #nameOf(field: number): string | undefined {
    return this.#names[this.#get(field, NAME) >>> 1];
  }

  #get(field: number, part: number): number {
    return this.#fields[field * FIELD_SIZE + part] ?? 0;
  }
}
