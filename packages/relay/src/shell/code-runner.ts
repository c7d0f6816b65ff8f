import { commandName, type Doubt, type Redirect, type SimpleCommand, type Trait } from './command.ts';
import { filled } from './fill.ts';
import { foreignCode } from './foreign-code.ts';
import { shellWord } from './git-runs.ts';
import { globPattern } from './glob.ts';
import type { Invoked, Placing } from './invoked.ts';
import { unknownText } from './output.ts';
import type { Input } from './redirects.ts';
import { Scope, type ShellFunction } from './scope.ts';
import { shellEscapes } from './shell-escapes.ts';
import type { Surroundings } from './surroundings.ts';
import type { Work } from './tree.ts';
import { type Inner, type Invocation, isShell } from './unwrap.ts';
import { type Place, type Printed, plainWord, type Word } from './word.ts';
import { scriptText } from './written-scripts.ts';

/** Reads what stands within a text: another text, or the body of a function. */
export interface Reader {
  text(text: string, around: Surroundings): void;
  body(shellFunction: ShellFunction, around: Surroundings): void;
}

/** Takes the commands that are found within code. */
export interface CommandHost {
  readonly doubts: Doubt[];
  doubt(because: string, place: Place): void;
  invoke(given: Invoked): Printed | null;
  note(given: Invoked, command: FoundCommand): void;
}

/** A command as it is noted; `name` and `own` are those of its words unless given. */
export type FoundCommand = Pick<SimpleCommand, 'word' | 'args' | 'traits'> &
  Partial<Pick<SimpleCommand, 'own' | 'implied' | 'name'>>;

/** Nested deeper than this is not followed. */
export const MOST_DEPTH = 16;
const MOST_UNKNOWN_ARGS = 9;

/** Looks into the code that commands run: texts for a shell, functions, scripts, code of other languages. */
export class CodeRunner {
  readonly #host: CommandHost;
  readonly #work: Work;
  readonly #reader: Reader;
  readonly #uncalled = new Map<ShellFunction, Placing & { readonly name: string }>();

  constructor(host: CommandHost, work: Work, reader: Reader) {
    this.#host = host;
    this.#work = work;
    this.#reader = reader;
  }

  /** A text in which substitutions run, as in double quotes. */
  expands(text: string, placing: Placing): void {
    if (/\$\(|`/.test(text))
      this.code({ text: `: "${text.replaceAll(/["\\]/g, '\\$&')}"`, placing, name: ':' });
  }

  define(name: string, shellFunction: ShellFunction, placing: Placing): void {
    placing.around.scope.define(name, shellFunction);
    this.#uncalled.set(shellFunction, { ...placing, name });
  }

  /** Looks at functions that this text defines and does not call. */
  finish(): void {
    for (const [shellFunction, { name, around, ...place }] of this.#uncalled) {
      const unknown = { ...plainWord('', place), text: null, certain: false, pattern: '\uE000' };
      const args = Array.from({ length: MOST_UNKNOWN_ARGS }, () => ({
        ...unknown,
        unknown: 'variable' as const,
      }));
      this.callBody(shellFunction, [plainWord(name, place), ...args], { ...place, around }, null);
    }
  }

  /** A file that this text wrote, or a copy of a program under another name; whether it was one. */
  runsWritten(word: Word, args: readonly Word[], given: Invoked): boolean {
    if (!word.text?.includes('/')) return false;
    const { scope } = given.around;
    const file = scope.fileAt(word.text);
    if (!file) return false;
    if (file.program !== null) {
      const around = deeper(given.around, word.text);
      this.#host.invoke({ ...given, words: [{ ...plainWord(file.program, word) }, ...args], around });
      return true;
    }
    const traits: Trait[] = [];
    this.runsText({ text: file.text, interpreter: 'sh', args: [word, ...args] }, given, traits);
    this.#host.note(given, { word, args, traits });
    return true;
  }

  /** An alias or a function of this text: what it stands for runs with these words. */
  callNamed(name: string, word: Word, args: readonly Word[], given: Invoked): void {
    const { scope, via } = given.around;
    const key = word.text ?? '';
    if (via.includes(commandName(key))) return;
    const alias = scope.aliasNamed(key);
    if (alias !== null)
      this.code({
        text: [alias, ...args.map(shellWord)].join(' '),
        placing: given,
        name,
        input: given.input,
      });
    const shellFunction = scope.functionNamed(key);
    if (shellFunction) this.callBody(shellFunction, [word, ...args], given, given.input);
  }

  callBody(shellFunction: ShellFunction, args: readonly Word[], placing: Placing, input: Input | null): void {
    this.#uncalled.delete(shellFunction);
    const { around, start, end } = placing;
    const scope = new Scope(around.scope, args);
    const inside = deeper(around, args[0]?.text ?? '');
    if (inside.depth > MOST_DEPTH) return this.#host.doubt('it is too deep to be looked at', placing);
    this.#reader.body(shellFunction, { ...inside, scope, input, place: around.place ?? { start, end } });
  }

  /** A shell or an interpreter that reads its code: known code is looked at, other makes it unclear. */
  reads(interpreter: string, given: Invoked, traits: Trait[]): Redirect[] {
    if (given.input === null) return [];
    if (given.input.kind === 'pipe' && isShell(interpreter)) traits.push('runs_input');
    return this.runsText({ text: given.input.printed.text, interpreter }, given, traits);
  }

  /** A file that is run: one that this text wrote, a program's output, or one of which nothing is known. */
  script(name: string, file: Word, given: Invoked, traits: Trait[]): Redirect[] {
    const { scope } = given.around;
    const printed = file.process ?? (file.text === null ? null : scope.fileAt(file.text));
    if (printed === null)
      return isShell(name) || /^(?:source|\.)$/.test(name) ? [{ operator: '<', target: file }] : [];
    if (printed.text === null && 'unknown' in printed && printed.unknown === 'own') return [];
    return this.runsText({ text: printed.text, interpreter: name }, given, traits);
  }

  /** Code that a shell or an interpreter runs; returns the files that it names. */
  runsText({ text, interpreter, args = [] }: Interpreted, given: Invoked, traits: Trait[]): Redirect[] {
    if (text === null) {
      traits.push('runs_input');
      this.#host.doubt('it runs what it reads, which is not known before', given);
      return [];
    }
    traits.push('runs_code');
    const script = scriptText(text, interpreter);
    if (script.isForeign) return this.foreign(script.text, plainWord('', given), given);
    this.code({ text: script.text, placing: given, name: interpreter, input: null, args });
    return [];
  }

  /** Code of another language: what its literals say it runs and reads. */
  foreign(text: string | null, word: Word, given: Invoked): Redirect[] {
    if (text === null) {
      this.#host.doubt('it runs code that is not known before', given);
      return [];
    }
    const { texts, commands, reads, doubt } = foreignCode(text);
    if (doubt !== null) this.#host.doubt(doubt, given);
    const around = deeper(given.around, given.words[0]?.text ?? '');
    const doubts = this.#host.doubts.length;
    for (const one of texts) this.code({ text: one, placing: { ...given, around }, name: '', input: null });
    for (const one of commands) {
      const words = one.filter(Boolean).map((part) => plainWord(part, word));
      this.#host.invoke({ ...given, words, assignments: [], redirects: [], input: null, around });
    }
    // A literal that is no command at all says nothing about what cannot be analysed.
    this.#host.doubts.length = Math.min(this.#host.doubts.length, doubts);
    if (Math.min(this.#work.commands, this.#work.visits, this.#work.characters, this.#work.looks) < 0)
      this.#host.doubt('it is too much to be looked at', given);
    return reads.map((path) => ({ operator: '<', target: globWord(path, word) }));
  }

  /** Commands in a program's own language: `vim -c '!…'`, `psql -c '\! …'`. */
  escapes(invocation: Invocation, subcommand: string | null, given: Invoked, traits: Trait[]): Redirect[] {
    const { name, args } = invocation;
    const found = shellEscapes(invocation, subcommand, given.input?.printed ?? null, given.around.scope);
    if (!found) return [];
    for (const { word, text } of found.runs)
      this.inside({ kind: 'code', word, text }, name, args, {
        ...given,
        input: CONNECTS.test(name) ? NETWORK : null,
      });
    if (found.readsUnknown && /^(?:at|batch|crontab)$/.test(name)) {
      traits.push('runs_input');
      this.#host.doubt('it runs what it reads, which is not known before', given);
    }
    return found.reads.map((path) => ({ operator: '<', target: plainWord(path, given) }));
  }

  inside(run: Inner, name: string, args: readonly Word[], given: Invoked): void {
    const around = deeper(given.around, name);
    if (run.kind === 'words') {
      for (const words of filled(name, args, run.words, given.input))
        this.#host.invoke({ ...given, words, assignments: [], redirects: [], around });
      return;
    }
    if (run.text === null && run.word.unknown === 'own') return;
    const filledIn = filled(name, args, [run.word, ...(run.args ?? [])], given.input);
    for (const [word, ...values] of filledIn) {
      const text = run.text === run.word.text ? (word?.text ?? null) : run.text;
      const isFilled = word !== run.word && text === null;
      // `parallel ::: 'rm x'` runs its arguments.
      const code =
        name === 'parallel' ? (run.text?.replace(/^:::+\+? /, '') ?? null) : isFilled ? null : text;
      this.code({ text: code, placing: given, name, input: given.input, args: values });
    }
    if (!run.word.certain && run.text !== null && run.word.unknown !== null)
      this.#host.doubt('it runs a text that is put together', given);
  }

  code({ text, placing, name, input = null, args }: CodeRun): void {
    if (text === null) {
      this.#host.doubt('it runs a text that is not known before', placing);
      return;
    }
    const { start, end, around } = placing;
    const scope = args && args.length > 0 ? new Scope(around.scope, args) : around.scope;
    this.#reader.text(text, { ...deeper(around, name), scope, input, place: around.place ?? { start, end } });
  }
}

/** Code, and what reads it. */
interface Interpreted {
  readonly text: string | null;
  readonly interpreter: string;
  /** Positional parameters, from `$0` on. */
  readonly args?: readonly Word[];
}

interface CodeRun {
  readonly text: string | null;
  readonly placing: Placing;
  readonly name: string;
  readonly input?: Input | null;
  /** Positional parameters, from `$0` on. */
  readonly args?: readonly Word[];
}

/** Programs that connect what they start with the network. */
const CONNECTS = /^(?:nc|ncat|netcat|socat)$/;
export const NETWORK: Input = { kind: 'pipe', printed: unknownText('data') };

/** A path of code, which may ask a library for names of files. */
function globWord(path: string, place: Place): Word {
  return { ...plainWord(path, place), pattern: globPattern(path, true, false) };
}

function deeper(around: Surroundings, name: string): Surroundings {
  return { ...around, via: [...around.via, commandName(name)], depth: around.depth + 1 };
}
