import { type CommandTrait, normalizeCommandName } from './command.ts';
import { isSyntaxCheck } from './parse-options.ts';
import { findPositionalArguments } from './positional-arguments.ts';
import { createLiteralWord, EMPTY_SHELL_WORD, type ShellWord } from './shell-word.ts';
import { SHELL_ARGUMENT_SYNTAX, SHELL_NAMES, SYSTEM_WRAPPERS } from './system-wrappers.ts';
import { TOOL_WRAPPERS } from './tool-wrappers.ts';
import type { WrapperSyntax } from './wrapper-syntax.ts';

/** A command that another command runs, as words or as shell code. */
export type NestedCommand =
  | { readonly kind: 'words'; readonly words: readonly ShellWord[] }
  | {
      readonly kind: 'code';
      readonly word: ShellWord;
      readonly text: string | null;
      /** Positional parameters of the text, starting with `$0`. */
      readonly args?: readonly ShellWord[];
    };

/** What a wrapper runs: commands, scripts, its input, or code in another language. */
export interface CommandUnwrapResult {
  readonly nested: readonly NestedCommand[];
  readonly traits: readonly CommandTrait[];
  /** Reasons why it is unclear what runs. */
  readonly unclearReasons: readonly string[];
  /** Whether the command runs a shell or interpreter that reads code from its input. */
  readonly readsInput: boolean;
  /** Positional parameters of the code in its input, starting with `$0`. */
  readonly inputArgs?: readonly ShellWord[];
  /** The scripts that it runs. */
  readonly files?: readonly ShellWord[];
  /** Words with code in another language. */
  readonly foreign?: readonly ShellWord[];
  /** Files that its program reads. */
  readonly reads?: readonly string[];
  /** Files that its program writes. */
  readonly writes?: readonly string[];
  /** Number of words that belong to the command. The words after them are a command that it runs. */
  readonly own?: number;
}

/**
 * Creates a nested command from a word that contains shell code. `args` are the positional parameters
 * of the code.
 */
export function toNestedCode(word: ShellWord, args: readonly ShellWord[] = []): NestedCommand {
  return { kind: 'code', word, text: word.text, args };
}

/** The name of a command and its arguments. */
export interface CommandInvocation {
  readonly name: string;
  readonly args: readonly ShellWord[];
}

const WRAPPERS: Readonly<Record<string, WrapperSyntax>> = { ...SYSTEM_WRAPPERS, ...TOOL_WRAPPERS };
/** Maximum number of words in the name of a wrapper. Longer names are tried first. */
const LONGEST_NAME = 3;

/** Determines what a wrapper runs. Null if the command is not a wrapper. */
export function unwrapCommand({ name, args }: CommandInvocation): CommandUnwrapResult | null {
  if (SHELL_NAMES.has(name)) return new ShellReader(name, args).read();
  const words = findPositionalArguments(name, args);
  for (let length = Math.min(LONGEST_NAME, words.length); length >= 0; length -= 1) {
    const named = words.slice(0, length);
    const key = [name, ...named.map(({ word }) => word.text ?? '')].join(' ');
    const wrapper = Object.hasOwn(WRAPPERS, key) ? WRAPPERS[key] : undefined;
    if (!wrapper || named.some(({ isCertain, at }) => !isCertain && at > 0)) continue;
    const rest = args.slice((named.at(-1)?.at ?? -1) + 1);
    const unwrapped = new WrapperReader(key, wrapper, rest).read();
    return { ...unwrapped, own: (unwrapped.own ?? rest.length) + args.length - rest.length };
  }
  return null;
}

class WrapperReader {
  readonly #name: string;
  readonly #wrapper: WrapperSyntax;
  readonly #args: readonly ShellWord[];
  readonly #doubts: string[] = [];
  readonly #inner: NestedCommand[] = [];
  readonly #starts: number[] = [];

  constructor(name: string, wrapper: WrapperSyntax, args: readonly ShellWord[]) {
    this.#name = name;
    this.#wrapper = wrapper;
    this.#args = args;
  }

  read(): CommandUnwrapResult {
    const { dashes, inputProgram, raises, shell, skip = 0 } = this.#wrapper;
    const dashed = dashes === true ? this.#args.findIndex(({ text }) => text === '--') : -1;
    this.#options(0);
    const starts = dashed === -1 ? this.#starts : [dashed + 1];
    const before = dashed === -1 && Number.isFinite(skip) ? skip : 0;
    for (const start of new Set(starts)) if (!this.#isScripts(start)) this.#begin(start, before);
    // The parser drops a `-` before a here-document.
    if (inputProgram !== undefined && this.#inner.length === 0)
      this.#inner.push({ kind: 'words', words: [createLiteralWord(inputProgram, EMPTY_SHELL_WORD)] });
    return {
      nested: this.#inner,
      files: this.#inner.length === 0 ? this.#scripts() : [],
      own:
        starts.length === 0 ? this.#args.length : Math.min(this.#args.length, Math.max(...starts) + before),
      traits: raises === true ? ['raises_privileges'] : [],
      unclearReasons: this.#doubts,
      readsInput: shell === true && this.#inner.length === 0,
    };
  }

  /** Parses options from index `from`. The command starts after them. */
  #options(from: number): void {
    const { assignments, commandWith, skip = 0 } = this.#wrapper;
    for (let at = from; at < this.#args.length; at += 1) {
      const word = this.#args[at];
      const text = word?.text ?? null;
      if (text === '--') return void this.#starts.push(at + 1);
      if (text === null || !/^-./.test(text)) {
        if (assignments && text !== null && /^\w+=/.test(text)) continue;
        // Options may follow the user of `su` and the file of `script`.
        if (
          skip === Number.POSITIVE_INFINITY &&
          !this.#args.slice(0, at).some((word) => word.text !== null && commandWith?.includes(word.text))
        )
          continue;
        return void this.#starts.push(at);
      }
      const taken = this.#option(text, at);
      if (taken === null) {
        this.#doubts.push(`the option ${splitOption(text)[0].slice(0, 40)} of "${this.#name}" is unknown`);
        if (from === 0) this.#options(at + 2);
      } else at += taken;
    }
  }

  /** Number of further words that an option takes. Null if unknown. */
  #option(text: string, at: number): number | null {
    const { code = [], longValues = [], longPairs = [], longBare = [], otherwise } = this.#wrapper;
    const [name = '', value] = splitOption(text);
    if (code.includes(name)) return this.#code(at, value);
    if (!text.startsWith('--')) return this.#letters(text, at);
    if (value !== undefined || longBare.includes(name)) return 0;
    if (longValues.includes(name)) return 1;
    if (longPairs.includes(name)) return 2;
    if (otherwise === undefined) return null;
    return otherwise === 'value' ? 1 : 0;
  }

  #letters(text: string, at: number): number | null {
    const { code = [], values = '', bare = '', otherwise } = this.#wrapper;
    for (let n = 1; n < text.length; n += 1) {
      const letter = text.charAt(n);
      const rest = text.slice(n + 1);
      if (code.includes(`-${letter}`)) return this.#code(at, rest === '' ? undefined : rest);
      if (values.includes(letter)) return rest === '' ? 1 : 0;
      if (bare.includes(letter)) continue;
      if (otherwise === undefined) return null;
      if (otherwise === 'value') return rest === '' ? 1 : 0;
    }
    return 0;
  }

  #code(at: number, attached: string | undefined): number {
    const word = attached === undefined ? this.#args[at + 1] : this.#args[at];
    if (word) this.#inner.push({ kind: 'code', word, text: attached ?? word.text });
    return attached === undefined ? 1 : 0;
  }

  /** The program that an option names. */
  #program(): readonly ShellWord[] {
    const { program, defaultProgram } = this.#wrapper;
    for (const [at, word] of this.#args.entries()) {
      const next = this.#args[at + 1];
      if (program !== undefined && word.text === program && next) return [next];
      if (program !== undefined && word.text?.startsWith(`${program}=`))
        return [createLiteralWord(word.text.slice(program.length + 1), word)];
    }
    const [place] = this.#args;
    return defaultProgram !== undefined && place ? [createLiteralWord(defaultProgram, place)] : [];
  }

  /** The program that runs the input. Empty if the command at `at` is not `-`. */
  #inputProgram(at: number): readonly ShellWord[] {
    const { inputProgram } = this.#wrapper;
    const word = this.#args[at];
    return inputProgram !== undefined && word?.text === '-' ? [createLiteralWord(inputProgram, word)] : [];
  }

  /** Whether files with commands follow instead of a command: `parallel :::: file`. */
  #isScripts(at: number): boolean {
    return this.#wrapper.scripts?.includes(this.#args[at]?.text ?? '') === true;
  }

  #scripts(): readonly ShellWord[] {
    return this.#args.flatMap((word, at) => {
      if (at > 0 && this.#isScripts(at - 1)) return [word];
      const option = this.#wrapper.scripts?.find((one) => word.text?.startsWith(one) && word.text !== one);
      if (option === undefined) return [];
      return [createLiteralWord((word.text ?? '').slice(option.length).replace(/^=/, ''), word)];
    });
  }

  #begin(start: number, skip: number): void {
    const at = this.#args[start + skip]?.text === '--' ? start + skip + 1 : start + skip;
    const words = [...this.#program(), ...this.#inputProgram(at), ...this.#args.slice(at)];
    const [first] = words;
    if (!first) return;
    // `flock file -c text`: the option follows the file.
    if (skip > 0 && this.#wrapper.code?.includes(first.text ?? '')) return void this.#code(at, undefined);
    const { joins } = this.#wrapper;
    const isCode = joins === true || (joins === 'single' && words.length === 1);
    if (this.#wrapper.first) this.#inner.push(joinWordsAsCode([first]));
    else this.#inner.push(isCode ? joinWordsAsCode(words) : { kind: 'words', words });
  }
}

/** Parses the arguments of a shell: `-c text`, a script file, or its input. */
class ShellReader {
  readonly #name: string;
  readonly #args: readonly ShellWord[];
  /** Scripts that an interactive shell runs before anything else. */
  readonly #startFiles: ShellWord[] = [];

  constructor(name: string, args: readonly ShellWord[]) {
    this.#name = name;
    this.#args = args;
  }

  read(): CommandUnwrapResult {
    const { values = '', longValues = [] } = SHELL_ARGUMENT_SYNTAX;
    let takesCode = false;
    let readsInput = false;
    for (let at = 0; at < this.#args.length; at += 1) {
      const word = this.#args[at];
      const text = word?.text ?? null;
      if (!word || text === null || !/^[-+]./.test(text) || text === '--') {
        const operand = text === '--' ? this.#args[at + 1] : word;
        if (operand === undefined) break;
        const rest = this.#args.slice(this.#args.indexOf(operand) + 1);
        if (isSyntaxCheck(this.#args.slice(0, at)))
          return { ...this.#runs([], false), reads: takesCode || !operand.text ? [] : [operand.text] };
        if (takesCode) return this.#runs([toNestedCode(operand, rest)], false);
        if (readsInput || isStandardInputPath(operand.text))
          return {
            ...this.#runs([], true),
            inputArgs: [...(readsInput ? [word ?? operand] : []), operand, ...rest],
          };
        return { ...this.#runs([], false), files: [operand, ...this.#startFiles] };
      }
      if (text.startsWith('--')) {
        if (text === '--command') takesCode = true;
        if (longValues.includes(text)) {
          const file = this.#args[at + 1];
          if (file) this.#startFiles.push(file);
          at += 1;
        }
        continue;
      }
      const letters = text.slice(1);
      takesCode ||= letters.includes('c');
      readsInput ||= letters.includes('s');
      // Each such letter takes the next word: `-oc pipefail code`.
      at += [...letters].filter((letter) => values.includes(letter)).length;
    }
    return this.#runs([], !isSyntaxCheck(this.#args));
  }

  #runs(inner: NestedCommand[], readsInput: boolean): CommandUnwrapResult {
    const doubts = this.#name === 'fish' && inner.length > 0 ? ['fish code cannot be analyzed'] : [];
    return { nested: inner, traits: [], unclearReasons: doubts, readsInput, files: this.#startFiles };
  }
}

/** Returns whether a path refers to standard input, such as `-` or `/dev/stdin`. */
export function isStandardInputPath(text: string | null): boolean {
  return text === '-' || text === '/dev/stdin' || text === '/dev/fd/0' || text === '/proc/self/fd/0';
}

/** Joins words into shell code, as `eval` and `ssh` do. */
export function joinWordsAsCode(words: readonly ShellWord[]): NestedCommand {
  const [first] = words;
  const last = words.at(-1);
  const text = words.some((word) => word.text === null) ? null : words.map((word) => word.text).join(' ');
  const place = { start: first?.start ?? 0, end: last?.end ?? 0 };
  const word = createLiteralWord(text ?? '', place);
  const unknown = words.find((one) => one.unknown !== null)?.unknown ?? null;
  const certain = words.every((one) => one.certain);
  return { kind: 'code', word: { ...word, certain, ...(text === null && { unknown }) }, text };
}

function splitOption(text: string): [string, string?] {
  const at = text.indexOf('=');
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Returns whether a path refers to a shell, such as `/bin/sh`. */
export function isShellPath(path: string): boolean {
  return SHELL_NAMES.has(normalizeCommandName(path));
}
