import { isUnknownPattern } from './glob.ts';
import { MAX_CODE_CHARS, type SyntaxNode } from './shell-parser.ts';
import { type CommandInput, isTooLong, type ShellWord, type WordSegment } from './shell-word.ts';

/** The value of a variable: the segments of its word, or of several words for an array. */
export type VariableValue = readonly (readonly WordSegment[])[];

/** A shell function, and the code that contains its body. */
export interface ShellFunction {
  readonly body: SyntaxNode;
  readonly text: string;
}

/**
 * A file that the analyzed code writes. The code may later run the file, or use it as a copy of a
 * program.
 */
export interface WrittenFile {
  /** Its content. Null if unknown. */
  readonly text: string | null;
  /** The program that the file is a copy of. Null if the file is not a copy of a program. */
  readonly program: string | null;
}

/** Names of variables that contain options. */
const OPTION_VARIABLE = /FLAG|OPT|ARG|PARAM|SWITCH|FORCE/i;
const MAX_SEGMENTS = 64;
const COMPUTED: WordSegment = { text: null, quoted: true, certain: false, unknown: 'computed' };
/** A longer `IFS` is unknown. */
const MAX_SEPARATORS = 32;
const DEFAULT_SEPARATORS = ' \t\n';

/**
 * The state of the shell while code is analyzed: variables, functions and aliases, and the files that
 * the code has written.
 */
export class ShellScope {
  readonly #parent: ShellScope | null;
  readonly #values = new Map<string, VariableValue>();
  readonly #reassigned = new Set<string>();
  /** Namerefs (`declare -n`) and the variables that they refer to. Null: the next assignment sets the variable. */
  readonly #references = new Map<string, string | null>();
  readonly #functions = new Map<string, ShellFunction>();
  readonly #aliases = new Map<string, string>();
  readonly #files: Map<string, WrittenFile>;
  readonly #descriptors: Map<string, CommandInput>;
  readonly #assignedNames: Set<string>;
  #args: readonly ShellWord[];
  /** Whether `*` also matches names that start with a dot. */
  dotglob = false;

  /**
   * @param args the positional parameters, starting with `$0`
   * @param assignedNames receives the names of all variables that the code sets
   */
  constructor(
    parent: ShellScope | null = null,
    args: readonly ShellWord[] = parent?.args ?? [],
    assignedNames: Set<string> = parent === null ? new Set() : parent.#assignedNames,
  ) {
    this.#parent = parent;
    this.#args = args;
    this.#files = parent === null ? new Map() : parent.#files;
    this.#assignedNames = assignedNames;
    this.#descriptors = parent === null ? new Map() : parent.#descriptors;
    this.dotglob = parent?.dotglob ?? false;
  }

  /** The positional parameters, starting with `$0`. */
  get args(): readonly ShellWord[] {
    return this.#args;
  }

  /** Records the input that a file descriptor provides. */
  setDescriptor(number: string, input: CommandInput): void {
    this.#descriptors.set(number, input);
    this.write(`/dev/fd/${number}`, { text: input.printed.text, program: null });
  }

  findDescriptor(number: string): CommandInput | null {
    return this.#descriptors.get(number) ?? null;
  }

  /** Removes the first positional parameters, as `shift` does. */
  shiftArgs(count: number): void {
    this.#args = [...this.#args.slice(0, 1), ...this.#args.slice(1 + count)];
  }

  /** Sets the positional parameters, as `set --` does. */
  setArgs(words: readonly ShellWord[]): void {
    this.#args = [...this.#args.slice(0, 1), ...(this.#args.length === 0 ? words.slice(0, 1) : []), ...words];
  }

  /**
   * Makes a variable another name of `target`, as `declare -n` does. Without a target, its value or its next
   * value is the target.
   */
  refer(name: string, target: string | null): void {
    if (target === name) return;
    const value = target === null && !this.#isNameref(name) ? this.value(name) : null;
    if (target !== null || !this.#isNameref(name)) this.#references.set(name, target);
    if (value !== null) this.#setTarget(name, value);
  }

  /** Makes a nameref an ordinary variable, as `declare +n` and `unset -n` do. */
  endReference(name: string): void {
    if (this.#isNameref(name)) this.#references.set(name, name);
  }

  /** Sets the variable that a nameref refers to. The nameref is unknown if `value` is not a name. */
  #setTarget(name: string, value: VariableValue): void {
    const [pieces = []] = value;
    const text = pieces.map((piece) => piece.text ?? ' ').join('');
    const isName = /^[A-Za-z_]\w*(?:\[.*\])?$/s.test(text) && text !== name;
    this.#references.set(name, isName ? text : null);
    if (!isName) this.#values.set(name, [[COMPUTED]]);
  }

  #isNameref(name: string): boolean {
    const target = this.#findReference(name);
    return target !== undefined && target !== name;
  }

  /** The variable that a name stands for. A chain of namerefs has at most eight links; bash rejects loops. */
  #resolve(name: string): string {
    let resolved = name;
    for (let link = 0; link < 8; link += 1) resolved = this.#findReference(resolved) ?? resolved;
    return resolved;
  }

  #findReference(name: string): string | null | undefined {
    if (this.#references.has(name) || this.#parent === null) return this.#references.get(name);
    return this.#parent.#findReference(name);
  }

  assign(given: string, value: VariableValue): void {
    const name = this.#resolve(given);
    this.#assignedNames.add(name);
    if (this.#findReference(name) === null) return this.#setTarget(name, value);
    if (this.#values.has(name)) this.#reassigned.add(name);
    const segments = value.flat();
    const isTooLarge = segments.length > MAX_SEGMENTS || isTooLong(segments);
    this.#values.set(name, isTooLarge ? [[COMPUTED]] : value);
  }

  /** Assigns one of several values to a loop variable. The values of a nameref are variables. */
  assignEach(name: string, value: VariableValue): void {
    if (this.#isNameref(name)) return this.#setTarget(name, value);
    this.#values.delete(name);
    this.assign(name, value);
  }

  /**
   * Returns whether the code sets a variable exactly once. The value then counts as written in the command.
   */
  isAssignedOnce(given: string): boolean {
    const name = this.#resolve(given);
    if (/^(?:[@*]|\d+)$/.test(name)) return this.#args.length > 0;
    if (this.#values.has(name)) return !this.#reassigned.has(name);
    return this.#parent?.isAssignedOnce(name) ?? false;
  }

  /** Returns whether the code sets a variable. */
  isAssigned(given: string): boolean {
    const name = this.#resolve(given);
    return this.#values.has(name) || (this.#parent?.isAssigned(name) ?? false);
  }

  /** Returns a function that restores the value that a variable has now. */
  save(given: string): () => void {
    const name = this.#resolve(given);
    const value = this.#values.get(name);
    const wasReassigned = this.#reassigned.has(name);
    return () => {
      if (value === undefined) this.#values.delete(name);
      else this.#values.set(name, value);
      if (!wasReassigned) this.#reassigned.delete(name);
    };
  }

  /** The characters at which the shell splits the value of a variable. Null if unknown. */
  get separators(): string | null {
    if (!this.isAssigned('IFS')) return DEFAULT_SEPARATORS;
    const [pieces = []] = this.value('IFS') ?? [];
    const text = pieces.some((piece) => piece.text === null) ? null : pieces.map((one) => one.text).join('');
    return text === null || text.length > MAX_SEPARATORS ? null : text;
  }

  /** Marks the value of a variable as unknown. */
  markUnknown(name: string, unknown: WordSegment['unknown'] = 'data'): void {
    this.assign(name, [[{ text: null, quoted: true, certain: false, unknown }]]);
  }

  /** Returns the value of a variable. Null if the code does not set the variable. */
  value(given: string): VariableValue | null {
    const name = this.#resolve(given);
    const isParameter = /^(?:[@*]|\d+)$/.test(name);
    const value = isParameter ? undefined : (this.#values.get(name) ?? this.#parent?.value(name));
    if (value !== undefined && value !== null) return value;
    if (name === 'IFS') return plainValue(' ');
    if (name === 'HOME') return plainValue('~');
    if (name === 'PWD') return plainValue('.');
    if (name === '@' || name === '*') return this.args.slice(1).map(toWordSegments);
    if (/^\d+$/.test(name)) {
      // An unknown argument can expand to the arguments after it. The text itself has no arguments.
      const arg =
        this.args[Number(name)] ??
        this.args.find(({ text, splits, glob }) => text === null && (splits || glob));
      return arg ? [toWordSegments(arg)] : name === '0' ? null : plainValue('');
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
    // Code can double the content of a file many times.
    const { text } = file;
    const isKnown = text !== null && text.length <= MAX_CODE_CHARS;
    this.#files.set(cleanPath(path), isKnown ? file : { ...file, text: null });
  }

  fileAt(path: string): WrittenFile | null {
    const clean = cleanPath(path);
    const found = this.#files.get(clean);
    if (found) return found;
    // `cd` changes the names of files. A file may come from a downloaded directory.
    for (const [name, file] of this.#files) {
      if (name.endsWith(`/${clean}`) || (!clean.startsWith('/') && clean.endsWith(`/${name}`))) return file;
      if (name.endsWith('/') && clean.startsWith(name)) return file;
    }
    return null;
  }
}

/**
 * Returns the kind of unknown text that a variable expands to if the code does not set the variable: `options`
 * for variables that usually contain command-line options, such as `CFLAGS`, otherwise `variable`.
 */
export function classifyUnknownVariable(name: string): WordSegment['unknown'] {
  return OPTION_VARIABLE.test(name) ? 'options' : 'variable';
}

function plainValue(text: string): VariableValue {
  return [[{ text, quoted: false, certain: false }]];
}

/**
 * Converts a word to a variable's value. Inside quotes, the shell does not split the value again.
 */
export function toWordSegments({ text, pattern, glob, unknown }: ShellWord): readonly WordSegment[] {
  const names = glob || (text === null && !isUnknownPattern(pattern));
  const piece = { text: text === null && names ? pattern : text, quoted: false, certain: false };
  return [{ ...piece, ...(unknown && { unknown }), ...(names && { names }) }];
}

function cleanPath(path: string): string {
  return path.replace(/^(?:\.\/)+/, '').replaceAll(/\/(?:\.?\/)+/g, '/');
}
