import { isUnknownPattern } from './glob.ts';
import type { SyntaxNode } from './grammar.ts';
import type { ShellWord, WordSegment } from './word.ts';

/** The pieces of one word that a variable holds; more than one of them for an array. */
export type VariableValue = readonly (readonly WordSegment[])[];

/** A function, and the text its body stands in. */
export interface ShellFunction {
  readonly body: SyntaxNode;
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
const OPTION_VARIABLE = /FLAG|OPT|ARG|PARAM|SWITCH/i;
const MAX_SEGMENTS = 64;

/** What a command text has said by now: variables, functions, aliases, and files that it wrote. */
export class ShellScope {
  readonly #parent: ShellScope | null;
  readonly #values = new Map<string, VariableValue>();
  readonly #reassigned = new Set<string>();
  readonly #functions = new Map<string, ShellFunction>();
  readonly #aliases = new Map<string, string>();
  readonly #files: Map<string, WrittenFile>;
  #args: readonly ShellWord[];
  /** Whether `*` stands for names with a dot, too. */
  dotglob = false;

  /** @param args the positional parameters, of which the first is `$0` */
  constructor(parent: ShellScope | null = null, args: readonly ShellWord[] = parent?.args ?? []) {
    this.#parent = parent;
    this.#args = args;
    this.#files = parent === null ? new Map() : parent.#files;
    this.dotglob = parent?.dotglob ?? false;
  }

  /** The positional parameters, from `$0` on. */
  get args(): readonly ShellWord[] {
    return this.#args;
  }

  /** `set --` */
  setArgs(words: readonly ShellWord[]): void {
    this.#args = [...this.#args.slice(0, 1), ...(this.#args.length === 0 ? words.slice(0, 1) : []), ...words];
  }

  assign(name: string, value: VariableValue): void {
    if (this.#values.has(name)) this.#reassigned.add(name);
    const size = value.reduce((sum, pieces) => sum + pieces.length, 0);
    this.#values.set(name, size > MAX_SEGMENTS ? [[{ text: null, quoted: true, certain: false }]] : value);
  }

  /** A loop's variable has one value after the other. */
  assignEach(name: string, value: VariableValue): void {
    this.#values.delete(name);
    this.assign(name, value);
  }

  /** Whether the text sets a variable once, so that its value is as good as spelled out. */
  isAssignedOnce(name: string): boolean {
    if (/^(?:[@*]|\d+)$/.test(name)) return this.#args.length > 0;
    if (this.#values.has(name)) return !this.#reassigned.has(name);
    return this.#parent?.isAssignedOnce(name) ?? false;
  }

  /** Notes that the value of a variable is none that anybody knows. */
  markUnknown(name: string, unknown: WordSegment['unknown'] = 'data'): void {
    this.assign(name, [[{ text: null, quoted: true, certain: false, unknown }]]);
  }

  /** What a variable holds; null when nothing in the text says it. */
  value(name: string): VariableValue | null {
    const isParameter = /^(?:[@*]|\d+)$/.test(name);
    const value = isParameter ? undefined : (this.#values.get(name) ?? this.#parent?.value(name));
    if (value !== undefined && value !== null) return value;
    if (name === 'IFS') return plainValue(' ');
    if (name === 'HOME') return plainValue('~');
    if (name === 'PWD') return plainValue('.');
    if (name === '@' || name === '*') return this.args.slice(1).map(wordSegments);
    if (/^\d+$/.test(name)) {
      const arg = this.args[Number(name)];
      // Arguments of the text itself, which has none.
      return arg ? [wordSegments(arg)] : name === '0' ? null : plainValue('');
    }
    return null;
  }

  define(name: string, shellFunction: ShellFunction): void {
    this.#functions.set(name, shellFunction);
  }

  findFunction(name: string): ShellFunction | null {
    return this.#functions.get(name) ?? this.#parent?.findFunction(name) ?? null;
  }

  alias(name: string, text: string): void {
    this.#aliases.set(name, text);
  }

  findAlias(name: string): string | null {
    return this.#aliases.get(name) ?? this.#parent?.findAlias(name) ?? null;
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
export function unknownVariableSource(name: string): WordSegment['unknown'] {
  return OPTION_VARIABLE.test(name) ? 'options' : 'variable';
}

function plainValue(text: string): VariableValue {
  return [[{ text, quoted: false, certain: false }]];
}

/** A word as what a variable holds: the shell does not split it again where it stands in quotes. */
export function wordSegments({ text, pattern, glob, unknown }: ShellWord): readonly WordSegment[] {
  const names = glob || (text === null && !isUnknownPattern(pattern));
  const piece = { text: text === null && names ? pattern : text, quoted: false, certain: false };
  return [{ ...piece, ...(unknown && { unknown }), ...(names && { names }) }];
}

function cleanPath(path: string): string {
  return path.replace(/^(?:\.\/)+/, '').replaceAll(/\/(?:\.?\/)+/g, '/');
}
