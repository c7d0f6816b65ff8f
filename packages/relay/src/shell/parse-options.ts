import type { ShellWord } from './shell-word.ts';

/** How a program parses its options. Letters are short options. */
export interface OptionSyntax {
  /** Options with a value, in the same word or the next. */
  readonly values: string;
  /** Options with an optional value, in the same word only. */
  readonly attached?: string;
  /**
   * The letters that represent long options in `values`, `attached` and the result, by name. Long options that
   * are not listed take no value from the next word.
   */
  readonly long: Readonly<Record<string, string>>;
  /** Options may follow operands. */
  readonly permutes?: boolean;
  /** The option whose value is a long option: `-W exec=file` is `--exec=file`. */
  readonly longPrefix?: string;
  /** Options after which all arguments are operands. */
  readonly last?: string;
}

/** One option of a command, with its value. */
export interface ParsedOption {
  readonly letter: string;
  /** Null if the option takes no value, or if its value is missing. */
  readonly value: ShellWord | null;
}

/** The arguments of a command, divided into options and operands. */
export interface ParsedOptions {
  readonly options: readonly ParsedOption[];
  readonly operands: readonly ShellWord[];
}

/**
 * Parses arguments as `getopt_long` does: clusters of letters, attached values and abbreviated long options.
 * A word whose text is unknown may be an option, so options can follow it.
 */
export function parseCommandOptions(args: readonly ShellWord[], syntax: OptionSyntax): ParsedOptions {
  return new OptionReader(args, syntax).read();
}

class OptionReader {
  readonly #args: readonly ShellWord[];
  readonly #syntax: OptionSyntax;
  readonly #options: ParsedOption[] = [];
  #at = 0;

  constructor(args: readonly ShellWord[], syntax: OptionSyntax) {
    this.#args = args;
    this.#syntax = syntax;
  }

  read(): ParsedOptions {
    const { permutes = false, last = '' } = this.#syntax;
    const operands: ShellWord[] = [];
    let isEnded = false;
    for (let word = this.#take(); word; word = this.#take()) {
      const text = word.text ?? word.prefix;
      const isOption = text.startsWith('-') && word.text !== '-';
      if (isEnded || !isOption) {
        operands.push(word);
        isEnded ||= !permutes && (word.text !== null || text !== '');
      } else if (word.text === '--') isEnded = true;
      else if (text.startsWith('--')) this.#readLong(word);
      else this.#readShort(word);
      isEnded ||= last.includes(this.#options.at(-1)?.letter ?? ' ');
    }
    return { options: this.#options, operands };
  }

  #take(): ShellWord | null {
    const word = this.#args[this.#at] ?? null;
    this.#at += 1;
    return word;
  }

  #readShort(word: ShellWord): void {
    const { values, attached = '', longPrefix } = this.#syntax;
    const text = word.text ?? word.prefix;
    for (let at = 1; at < text.length; at += 1) {
      const letter = text.charAt(at);
      const takesNext = values.includes(letter);
      if (!takesNext && !attached.includes(letter)) {
        this.#options.push({ letter, value: null });
        continue;
      }
      const isInWord = at + 1 < text.length || word.text === null;
      const value = isInWord ? dropStart(word, at + 1) : takesNext ? this.#take() : null;
      if (letter !== longPrefix) this.#options.push({ letter, value });
      else if (value) this.#readLong(addStart(value, '--'));
      return;
    }
  }

  #readLong(word: ShellWord): void {
    const { values, long } = this.#syntax;
    const text = word.text ?? word.prefix;
    const end = text.indexOf('=');
    const name = end === -1 ? text : text.slice(0, end);
    const key = Object.hasOwn(long, name)
      ? name
      : Object.keys(long).find((one) => isOptionAbbreviation(name, one));
    const letter = key === undefined ? undefined : long[key];
    if (letter === undefined) return;
    const value = end !== -1 ? dropStart(word, end + 1) : values.includes(letter) ? this.#take() : null;
    this.#options.push({ letter, value });
  }
}

/** Returns whether a program accepts `name` as an abbreviation of the long option `option`. */
export function isOptionAbbreviation(name: string, option: string): boolean {
  return name.length > '--'.length && option.startsWith('--') && option.startsWith(name);
}

function dropStart(word: ShellWord, length: number): ShellWord {
  const { text, prefix, pattern } = word;
  return {
    ...word,
    text: text === null ? null : text.slice(length),
    prefix: prefix.slice(length),
    pattern: pattern.slice(length),
  };
}

function addStart(word: ShellWord, start: string): ShellWord {
  const { text, prefix, pattern } = word;
  return {
    ...word,
    text: text === null ? null : start + text,
    prefix: start + prefix,
    pattern: start + pattern,
  };
}

/**
 * Returns whether a shell with these options only checks the syntax, as with `bash -n`. Returns false for options that
 * take a value, and for interactive shells, which ignore `-n`.
 */
export function isSyntaxCheck(options: readonly Pick<ShellWord, 'text'>[]): boolean {
  return (
    options.every(({ text }) => /^-[a-hj-np-z]+$/.test(text ?? '')) &&
    options.some(({ text }) => text?.includes('n'))
  );
}
