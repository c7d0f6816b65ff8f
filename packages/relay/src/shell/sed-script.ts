/** What a sed script does in addition to editing text: the commands that it runs, and the files that it reads and writes. */
export interface SedEffects {
  /** Shell commands of the command `e`. */
  readonly commands: readonly string[];
  /** Files of the commands `r` and `R`. */
  readonly reads: readonly string[];
  /** Files of the commands `w` and `W`, and of the flag `w`. */
  readonly writes: readonly string[];
  /** The command `e` without a command runs each line of the input. */
  readonly runsLines: boolean;
  /** The flag `e` of the command `s` runs each changed line. */
  readonly runsChangedLines: boolean;
}

/** Finds the commands of a sed script that run programs, or that read or write files ("sed scripts" in the manual of GNU sed). */
export function findSedEffects(script: string): SedEffects {
  return new SedScriptReader(script).read();
}

/** Commands whose arguments end at the line or at a semicolon: labels, exit codes and widths. */
const SHORT_ARGUMENT_COMMANDS = ':bTtqQlLv';

/** The rest of a bracket expression, which may contain classes such as `[:alpha:]`. */
const BRACKETS = /\^?\]?(?:\[[:.=][^\]]{1,10}[:.=]\]|[^\]])*\]/y;

class SedScriptReader {
  readonly #text: string;
  readonly #commands: string[] = [];
  readonly #reads: string[] = [];
  readonly #writes: string[] = [];
  #runsLines = false;
  #runsChangedLines = false;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): SedEffects {
    while (this.#at < this.#text.length) this.#readCommand();
    return {
      commands: this.#commands,
      reads: this.#reads,
      writes: this.#writes,
      runsLines: this.#runsLines,
      runsChangedLines: this.#runsChangedLines,
    };
  }

  #readCommand(): void {
    this.#skip(/[\s;{}]*/y);
    this.#skipAddress();
    if (this.#skip(/\s*,\s*[+~]?/y) !== '') this.#skipAddress();
    this.#skip(/[\s!]*/y);
    const name = this.#text.charAt(this.#at);
    this.#at += 1;
    if (name === 's') this.#readSubstitution();
    else if (name === 'y') this.#skipParts(false);
    else if (name === 'e') this.#readExecution();
    else if (/^[rR]$/.test(name)) this.#readFileName(this.#reads);
    else if (/^[wW]$/.test(name)) this.#readFileName(this.#writes);
    else if (name === '#') this.#skip(/[^\n]*/y);
    else if (/^[aic]$/.test(name)) this.#takeText();
    else if (name !== '' && SHORT_ARGUMENT_COMMANDS.includes(name)) this.#skip(/[^\n;}]*/y);
  }

  /** A line number with a step, `$`, or an expression with flags. */
  #skipAddress(): void {
    if (this.#skip(/\d+(?:\s*~\s*\d+)?|\$/y) !== '') return;
    const mark = this.#skip(/\/|\\[^\n]/y);
    if (mark === '') return;
    this.#skipPart(mark.at(-1) ?? '', true);
    this.#skip(/[IM]*/y);
  }

  /** `s/a/b/flags`. The flag `w` takes the rest of the line. */
  #readSubstitution(): void {
    this.#skipParts(true);
    const flags = this.#skip(/[gpiImMe\d]*/y);
    this.#runsChangedLines ||= flags.includes('e');
    if (this.#skip(/w/y) !== '') this.#readFileName(this.#writes);
  }

  #readExecution(): void {
    const command = this.#takeText().trim();
    if (/^[;}]*$/.test(command)) this.#runsLines = true;
    else this.#commands.push(command);
  }

  /** Some versions of sed end the name at a semicolon or a brace. */
  #readFileName(names: string[]): void {
    const name = this.#skip(/[^\n]*/y).trim();
    names.push(...new Set([name, name.replace(/[;}].*$/s, '').trim()]));
  }

  /** The text of `a`, `i`, `c` and `e`: the rest of the line, and further lines after a backslash. */
  #takeText(): string {
    const text = this.#skip(/(?:\\[\s\S]|[^\\\n])*/y);
    return text.replace(/^\s*\\\s*/, '').replaceAll(/\\([\s\S])/g, '$1');
  }

  #skipParts(isExpression: boolean): void {
    const delimiter = this.#take();
    this.#skipPart(delimiter, isExpression);
    this.#skipPart(delimiter, false);
  }

  /** Skips text up to its delimiter. In an expression, a delimiter in brackets does not end it. */
  #skipPart(delimiter: string, isExpression: boolean): void {
    while (this.#at < this.#text.length) {
      const char = this.#take();
      if (char === delimiter) return;
      if (char === '\\') this.#at += 1;
      else if (char === '[' && isExpression && this.#text.includes(']', this.#at)) this.#skip(BRACKETS);
    }
  }

  #take(): string {
    const char = this.#text.charAt(this.#at);
    this.#at += 1;
    return char;
  }

  /** Skips the match at the current position, and returns it. */
  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [match = ''] = pattern.exec(this.#text) ?? [];
    this.#at += match.length;
    return match;
  }
}
