import { isBlank } from './glob.ts';
import type { Node } from './tree.ts';
import type { Piece, Word } from './word.ts';

/** The pieces of one word that a variable holds; more than one of them for an array. */
export type Value = readonly (readonly Piece[])[];

/** A function, and the text its body stands in. */
export interface ShellFunction {
  readonly body: Node;
  readonly text: string;
}

/** What a text writes to a file, runs or copies under another name. */
export interface WrittenFile {
  /** What it holds; null when nobody can tell. */
  readonly text: string | null;
  /** The program that it is a copy of; null for a text. */
  readonly program: string | null;
}

/** A variable whose name says that it holds options. */
const OPTIONS = /FLAG|OPT|ARG|PARAM|SWITCH/i;
const MOST_PIECES = 64;

/** What a command text has said by now: variables, functions, aliases, and files that it wrote. */
export class Scope {
  readonly #parent: Scope | null;
  readonly #values = new Map<string, Value>();
  readonly #twice = new Set<string>();
  readonly #functions = new Map<string, ShellFunction>();
  readonly #aliases = new Map<string, string>();
  readonly #files: Map<string, WrittenFile>;
  #args: readonly Word[];
  /** Whether `*` stands for names with a dot, too. */
  dotglob = false;

  /** @param args the positional parameters, of which the first is `$0` */
  constructor(parent: Scope | null = null, args: readonly Word[] = parent?.args ?? []) {
    this.#parent = parent;
    this.#args = args;
    this.#files = parent === null ? new Map() : parent.#files;
    this.dotglob = parent?.dotglob ?? false;
  }

  /** The positional parameters, from `$0` on. */
  get args(): readonly Word[] {
    return this.#args;
  }

  /** `set --` */
  setArgs(words: readonly Word[]): void {
    this.#args = [...this.#args.slice(0, 1), ...(this.#args.length === 0 ? words.slice(0, 1) : []), ...words];
  }

  assign(name: string, value: Value): void {
    if (this.#values.has(name)) this.#twice.add(name);
    const size = value.reduce((sum, pieces) => sum + pieces.length, 0);
    this.#values.set(name, size > MOST_PIECES ? [[{ text: null, quoted: true, certain: false }]] : value);
  }

  /** A loop's variable has one value after the other. */
  assignEach(name: string, value: Value): void {
    this.#values.delete(name);
    this.assign(name, value);
  }

  /** Whether the text sets a variable once, so that its value is as good as spelled out. */
  isSure(name: string): boolean {
    if (/^(?:[@*]|\d+)$/.test(name)) return this.#args.length > 0;
    if (this.#values.has(name)) return !this.#twice.has(name);
    return this.#parent?.isSure(name) ?? false;
  }

  /** Notes that the value of a variable is none that anybody knows. */
  forget(name: string, unknown: Piece['unknown'] = 'data'): void {
    this.assign(name, [[{ text: null, quoted: true, certain: false, unknown }]]);
  }

  /** What a variable holds; null when nothing in the text says it. */
  value(name: string): Value | null {
    const isParameter = /^(?:[@*]|\d+)$/.test(name);
    const value = isParameter ? undefined : (this.#values.get(name) ?? this.#parent?.value(name));
    if (value !== undefined && value !== null) return value;
    if (name === 'IFS') return plain(' ');
    if (name === 'HOME') return plain('~');
    if (name === 'PWD') return plain('.');
    if (name === '@' || name === '*') return this.args.slice(1).map(piecesOf);
    if (/^\d+$/.test(name)) {
      const arg = this.args[Number(name)];
      // Arguments of the text itself, which has none.
      return arg ? [piecesOf(arg)] : name === '0' ? null : plain('');
    }
    return null;
  }

  define(name: string, shellFunction: ShellFunction): void {
    this.#functions.set(name, shellFunction);
  }

  functionNamed(name: string): ShellFunction | null {
    return this.#functions.get(name) ?? this.#parent?.functionNamed(name) ?? null;
  }

  alias(name: string, text: string): void {
    this.#aliases.set(name, text);
  }

  aliasNamed(name: string): string | null {
    return this.#aliases.get(name) ?? this.#parent?.aliasNamed(name) ?? null;
  }

  write(path: string, file: WrittenFile): void {
    this.#files.set(cleanPath(path), file);
  }

  fileAt(path: string): WrittenFile | null {
    const clean = cleanPath(path);
    const found = this.#files.get(clean);
    if (found) return found;
    // After `cd` the same file has another name; a directory that was fetched holds what it holds.
    for (const [name, file] of this.#files) {
      if (name.endsWith(`/${clean}`) || (!clean.startsWith('/') && clean.endsWith(`/${name}`))) return file;
      if (name.endsWith('/') && clean.startsWith(name)) return file;
    }
    return null;
  }
}

/** What nobody knows of a variable that the text does not set. */
export function unknownOf(name: string): Piece['unknown'] {
  return OPTIONS.test(name) ? 'options' : 'variable';
}

function plain(text: string): Value {
  return [[{ text, quoted: false, certain: false }]];
}

/** A word as what a variable holds: the shell does not split it again where it stands in quotes. */
export function piecesOf({ text, pattern, glob, unknown }: Word): readonly Piece[] {
  const names = glob || (text === null && !isBlank(pattern));
  const piece = { text: text === null && names ? pattern : text, quoted: false, certain: false };
  return [{ ...piece, ...(unknown && { unknown }), ...(names && { names }) }];
}

function cleanPath(path: string): string {
  return path.replace(/^(?:\.\/)+/, '').replaceAll(/\/(?:\.?\/)+/g, '/');
}
