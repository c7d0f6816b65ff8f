import { isSubscriptCode, subscriptCode } from './arithmetic.ts';
import type { Surroundings } from './collect.ts';
import {
  type Assignment,
  commandName,
  type Doubt,
  type Redirect,
  type SimpleCommand,
  type Trait,
} from './command.ts';
import { assignmentOf, environmentRuns } from './environment-runs.ts';
import { noteFiles, noteRedirects } from './file-flow.ts';
import { filled, namesRead } from './fill.ts';
import { foreignCode } from './foreign-code.ts';
import {
  gitAlias,
  gitInvocation,
  gitSettings,
  gitTransports,
  impliedOptions,
  shellWord,
} from './git-runs.ts';
import { globPattern } from './glob.ts';
import { positionals } from './global-options.ts';
import type { Invoked, Placing } from './invoked.ts';
import { outputOf, unknownText } from './output.ts';
import type { Input } from './redirects.ts';
import { interpreted, optionCode } from './runs-code.ts';
import { Scope, type ShellFunction } from './scope.ts';
import { noteVariables } from './set-variables.ts';
import { shellEscapes } from './shell-escapes.ts';
import type { Work } from './tree.ts';
import { unknownWrapper } from './unknown-wrapper.ts';
import { type Inner, type Invocation, isShell, type Unwrapped, unwrap } from './unwrap.ts';
import { type Place, type Printed, plainWord, type Word } from './word.ts';
import { scriptText } from './written-scripts.ts';

/** Reads what stands within a text: another text, or the body of a function. */
export interface Reader {
  text(text: string, around: Surroundings): void;
  body(shellFunction: ShellFunction, around: Surroundings): void;
}

/** Nested deeper than this is not followed. */
const MOST_DEPTH = 16;
const MOST_UNKNOWN_ARGS = 9;

/** Takes commands as they are written, finds what they run in their turn, and notes all of them. */
export class Invoker {
  readonly commands: SimpleCommand[] = [];
  readonly doubts: Doubt[] = [];
  readonly #work: Work;
  readonly #reader: Reader;
  readonly #uncalled = new Map<ShellFunction, Placing & { readonly name: string }>();

  constructor(work: Work, reader: Reader) {
    this.#work = work;
    this.#reader = reader;
  }

  doubt(because: string, { start, end }: Place): void {
    this.doubts.push({ because, start, end });
  }

  /** Whether one more piece may be looked at; notes a doubt when none may. */
  mayVisit(place: Place): boolean {
    this.#work.visits -= 1;
    if (this.#work.visits === -1) this.doubt('it is too much to be looked at', place);
    return this.#work.visits >= 0;
  }

  /** What a command prints, as far as that can be told without running it. */
  printed(words: readonly Word[], input: Printed | null): Printed {
    const [name, ...args] = words;
    return name?.text == null ? unknownText('made') : outputOf(commandName(name.text), args, input);
  }

  /** Variables that are set for what follows. */
  declare(assignments: readonly Assignment[], placing: Placing): void {
    const { code, loads } = environmentRuns(assignments);
    for (const name of loads) this.doubt(`${name} makes programs run something else`, placing);
    for (const text of code) this.#code({ text, placing, name: assignments[0]?.name ?? '' });
    for (const { name, value } of assignments)
      if (/^PS[0-3]$/.test(name) && value !== null) this.expands(value, placing);
    for (const { value } of assignments)
      if (value !== null && isSubscriptCode(value)) this.expands(subscriptCode(value), placing);
  }

  /** A text in which substitutions run, as in double quotes. */
  expands(text: string, placing: Placing): void {
    if (/\$\(|`/.test(text))
      this.#code({ text: `: "${text.replaceAll(/["\\]/g, '\\$&')}"`, placing, name: ':' });
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
      this.#callBody(shellFunction, [plainWord(name, place), ...args], { ...place, around }, null);
    }
  }

  writes(redirects: readonly Redirect[], printed: Printed | null, scope: Scope): void {
    noteRedirects(redirects, printed, scope);
  }

  /** Notes a command and what it runs; returns what it prints. */
  invoke(given: Invoked): Printed | null {
    const words = dropEmpty(given.words);
    if (words.length < given.words.length) this.doubt('the name of a command may be empty', given);
    const [word, ...args] = words;
    if (!word) {
      if (given.redirects.length > 0) this.#note(given, plainWord('', given), [], []);
      return given.redirects.length > 0 ? (given.input?.printed ?? null) : null;
    }
    this.#work.commands -= 1;
    if (this.#work.commands < 0 || given.around.depth > MOST_DEPTH) {
      this.doubt('it holds more commands than are looked at', given);
      return null;
    }
    this.declare(given.assignments, given);
    const isConnected = given.redirects.some(({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target.pattern));
    if (isConnected && given.input === null)
      return this.invoke({ ...given, assignments: [], input: NETWORK });
    const name = this.#nameOf(word, given);
    if (name === null) {
      this.#note(given, word, args, ['unclear']);
      return unknownText('made');
    }
    this.#run(name, word, args, given);
    return outputOf(name, args, given.input?.printed ?? null);
  }

  /** Null when nobody can tell; doubts are noted. */
  #nameOf(word: Word, given: Invoked): string | null {
    const { text, sure, glob } = word;
    if (text === null) {
      this.doubt('the name of a command is not known before it runs', given);
      return null;
    }
    const { scope } = given.around;
    // With another `IFS` a variable is cut elsewhere.
    const isCut = word.splits && scope.isSure('IFS');
    if ((!sure && !scope.fileAt(text)) || glob || isCut)
      this.doubt('the name of a command is not spelled out', given);
    // zsh replaces `=name` by the path of the command.
    if (text.startsWith('=')) this.doubt('the name of a command begins with "="', given);
    if (text.includes('{}')) this.doubt('the name of a command is filled in when it runs', given);
    return commandName(text);
  }

  #run(written: string, word: Word, words: readonly Word[], given: Invoked): void {
    const { scope } = given.around;
    if (this.#runsWritten(word, words, given)) return;
    const { name, args } = gitInvocation({ name: gnuName(written), args: words }, word);
    this.#callNamed(name, word, args, given);
    const invocation = { name, args };
    const subcommand = positionals(name, args)[0]?.word.text ?? null;
    const wrapped = unwrap(invocation);
    const language = wrapped ? null : interpreted(invocation);
    const found: Unwrapped | null = wrapped ?? language;
    const traits: Trait[] = [...(found?.traits ?? [])];
    for (const doubt of found?.doubts ?? []) this.doubt(doubt, given);
    noteFiles(name, args, given.input, scope);
    noteVariables(name, args, given.input, scope);
    const inner = [
      ...(found?.inner ?? unknownWrapper(invocation)),
      ...this.#others(invocation, subcommand, given, traits),
    ];
    if (name === 'env' || name === 'sudo' || name === 'export')
      traits.push(...this.#environment(args, given));
    const redirects = found?.foreign?.flatMap((code) => this.#foreign(code.text, code, given)) ?? [];
    for (const path of found?.reads ?? []) redirects.push({ operator: '<', target: plainWord(path, word) });
    if (found?.readsInput) redirects.push(...this.#reads(wrapped ? 'sh' : name, given, traits));
    redirects.push(...namesRead(name, args, given.input));
    const own = found?.own ?? args.length;
    const implied = impliedOptions(invocation, scope);
    if (found?.file) redirects.push(...this.#script(name, found.file, given, traits));
    redirects.push(...this.#escapes(invocation, subcommand, given, traits));
    this.#note({ ...given, redirects: [...given.redirects, ...redirects] }, word, args, traits, {
      own,
      implied,
      name,
    });
    for (const run of inner) this.#inside(run, name, args, given);
  }

  /** What a command runs beside being a wrapper or an interpreter. */
  #others(invocation: Invocation, subcommand: string | null, given: Invoked, traits: Trait[]): Inner[] {
    const { name, args } = invocation;
    const inner = optionCode(invocation, subcommand);
    if (name === 'git') {
      inner.push(...gitSettings(invocation), ...gitTransports(invocation));
      inner.push(...gitAlias(invocation, given.around.scope));
      if (args.some(({ text }) => /^core\.hookspath=/i.test(text ?? ''))) {
        traits.push('injects');
        this.doubt('core.hooksPath makes git run something else', given);
      }
    }
    if (name === 'enable' && args.some(({ text }) => text === '-f'))
      this.doubt('it loads a library into the shell', given);
    if (name === 'alias') inner.push(...args.map((word) => aliased(word, given.around.scope)));
    if (name === 'hash' && args[0]?.text === '-p' && args[1]?.text && args[2]?.text)
      given.around.scope.alias(args[2].text, args[1].text);
    for (const word of args) {
      // `gh alias set x '!command'`
      const [, command] = /^!\s*([\w./]+\s[\s\S]*)$/.exec(word.text ?? '') ?? [];
      if (command !== undefined && name !== 'git') inner.push({ kind: 'code', word, text: command });
    }
    for (const { text } of args)
      if (text !== null && EVALUATES.has(name) && isSubscriptCode(text))
        this.expands(subscriptCode(text), given);
    return inner;
  }

  /** A file that this text wrote, or a copy of a program under another name; whether it was one. */
  #runsWritten(word: Word, args: readonly Word[], given: Invoked): boolean {
    if (!word.text?.includes('/')) return false;
    const { scope } = given.around;
    const file = scope.fileAt(word.text);
    if (!file) return false;
    if (file.program !== null) {
      const around = deeper(given.around, word.text);
      this.invoke({ ...given, words: [{ ...plainWord(file.program, word) }, ...args], around });
      return true;
    }
    const traits: Trait[] = [];
    this.#runsText(file.text, 'sh', given, traits, [word, ...args]);
    this.#note(given, word, args, traits);
    return true;
  }

  /** An alias or a function of this text: what it stands for runs with these words. */
  #callNamed(name: string, word: Word, args: readonly Word[], given: Invoked): void {
    const { scope, via } = given.around;
    const key = word.text ?? '';
    if (via.includes(commandName(key))) return;
    const alias = scope.aliasNamed(key);
    if (alias !== null)
      this.#code({
        text: [alias, ...args.map(shellWord)].join(' '),
        placing: given,
        name,
        input: given.input,
      });
    const shellFunction = scope.functionNamed(key);
    if (shellFunction) this.#callBody(shellFunction, [word, ...args], given, given.input);
  }

  #callBody(
    shellFunction: ShellFunction,
    args: readonly Word[],
    placing: Placing,
    input: Input | null,
  ): void {
    this.#uncalled.delete(shellFunction);
    const { around, start, end } = placing;
    const scope = new Scope(around.scope, args);
    const inside = deeper(around, args[0]?.text ?? '');
    if (inside.depth > MOST_DEPTH) return this.doubt('it is too deep to be looked at', placing);
    this.#reader.body(shellFunction, { ...inside, scope, input, place: around.place ?? { start, end } });
  }

  #environment(args: readonly Word[], given: Invoked): Trait[] {
    const assignments = args.map(({ text }) => assignmentOf(text)).filter((found) => found !== null);
    const before = this.doubts.length;
    this.declare(assignments, given);
    return this.doubts.length > before ? ['injects'] : [];
  }

  /** A shell or an interpreter that reads its code: known code is looked at, other makes it unclear. */
  #reads(interpreter: string, given: Invoked, traits: Trait[]): Redirect[] {
    if (given.input === null) return [];
    if (given.input.kind === 'pipe' && isShell(interpreter)) traits.push('runs_input');
    return this.#runsText(given.input.printed.text, interpreter, given, traits, []);
  }

  /** A file that is run: one that this text wrote, a program's output, or one of which nothing is known. */
  #script(name: string, file: Word, given: Invoked, traits: Trait[]): Redirect[] {
    const { scope } = given.around;
    const printed = file.process ?? (file.text === null ? null : scope.fileAt(file.text));
    if (printed === null)
      return isShell(name) || /^(?:source|\.)$/.test(name) ? [{ operator: '<', target: file }] : [];
    if (printed.text === null && 'unknown' in printed && printed.unknown === 'own') return [];
    return this.#runsText(printed.text, name, given, traits, []);
  }

  /** Code that a shell or an interpreter runs; returns the files that it names. */
  #runsText(
    text: string | null,
    interpreter: string,
    given: Invoked,
    traits: Trait[],
    args: readonly Word[],
  ): Redirect[] {
    if (text === null) {
      traits.push('runs_input');
      this.doubt('it runs what it reads, which is not known before', given);
      return [];
    }
    traits.push('runs_code');
    const script = scriptText(text, interpreter);
    if (script.isForeign) return this.#foreign(script.text, plainWord('', given), given);
    this.#code({ text: script.text, placing: given, name: interpreter, input: null, args });
    return [];
  }

  /** Code of another language: what its literals say it runs and reads. */
  #foreign(text: string | null, word: Word, given: Invoked): Redirect[] {
    if (text === null) {
      this.doubt('it runs code that is not known before', given);
      return [];
    }
    const { texts, commands, reads, doubt } = foreignCode(text);
    if (doubt !== null) this.doubt(doubt, given);
    const around = deeper(given.around, given.words[0]?.text ?? '');
    const doubts = this.doubts.length;
    for (const one of texts) this.#code({ text: one, placing: { ...given, around }, name: '', input: null });
    for (const one of commands) {
      const words = one.filter(Boolean).map((part) => plainWord(part, word));
      this.invoke({ ...given, words, assignments: [], redirects: [], input: null, around });
    }
    // A literal that is no command at all says nothing about what cannot be analysed.
    this.doubts.length = Math.min(this.doubts.length, doubts);
    if (Math.min(this.#work.commands, this.#work.visits, this.#work.characters, this.#work.looks) < 0)
      this.doubt('it is too much to be looked at', given);
    return reads.map((path) => ({ operator: '<', target: globWord(path, word) }));
  }

  /** Commands in a program's own language: `vim -c '!…'`, `psql -c '\! …'`. */
  #escapes(
    { name, args }: Invocation,
    subcommand: string | null,
    given: Invoked,
    traits: Trait[],
  ): Redirect[] {
    const found = shellEscapes(name, args, given.input?.printed ?? null, subcommand, given.around.scope);
    if (!found) return [];
    for (const { word, text } of found.runs)
      this.#inside({ kind: 'code', word, text }, name, args, {
        ...given,
        input: CONNECTS.test(name) ? NETWORK : null,
      });
    if (found.readsUnknown && /^(?:at|batch|crontab)$/.test(name)) {
      traits.push('runs_input');
      this.doubt('it runs what it reads, which is not known before', given);
    }
    return found.reads.map((path) => ({ operator: '<', target: plainWord(path, given) }));
  }

  #inside(run: Inner, name: string, args: readonly Word[], given: Invoked): void {
    const around = deeper(given.around, name);
    if (run.kind === 'words') {
      for (const words of filled(name, args, run.words, given.input))
        this.invoke({ ...given, words, assignments: [], redirects: [], around });
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
      this.#code({ text: code, placing: given, name, input: given.input, args: values });
    }
    if (!run.word.certain && run.text !== null && run.word.unknown !== null)
      this.doubt('it runs a text that is put together', given);
  }

  #code({ text, placing, name, input = null, args }: CodeRun): void {
    if (text === null) {
      this.doubt('it runs a text that is not known before', placing);
      return;
    }
    const { start, end, around } = placing;
    const scope = args && args.length > 0 ? new Scope(around.scope, args) : around.scope;
    this.#reader.text(text, { ...deeper(around, name), scope, input, place: around.place ?? { start, end } });
  }

  #note(
    given: Invoked,
    word: Word,
    args: readonly Word[],
    traits: readonly Trait[],
    more: Partial<Pick<SimpleCommand, 'own' | 'implied' | 'name'>> = {},
  ): void {
    const { assignments, redirects, start, end, around } = given;
    const name = traits.includes('unclear') ? null : (more.name ?? commandName(word.text ?? ''));
    const { own = args.length, implied = [] } = more;
    const { via } = around;
    this.commands.push({ name, word, args, own, implied, assignments, redirects, via, traits, start, end });
  }
}

/** The tools of GNU under the names that they have beside those of a BSD system. */
const GNU =
  /^g(timeout|nice|nohup|env|stdbuf|xargs|find|rm|cat|head|tail|tar|cp|mv|dd|base64|ln|tee|sort|cut|tr|od|split|install|chroot)$/;

function gnuName(name: string): string {
  return GNU.exec(name)?.[1] ?? name;
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
const NETWORK: Input = { kind: 'pipe', printed: unknownText('data') };

/** Builtins that evaluate subscripts in their words. */
const EVALUATES = new Set([
  'let',
  'test',
  '[',
  'declare',
  'typeset',
  'local',
  'export',
  'readonly',
  'unset',
  'printf',
  'read',
  'mapfile',
]);

/** A path of code, which may ask a library for names of files. */
function globWord(path: string, place: Place): Word {
  return { ...plainWord(path, place), pattern: globPattern(path, true, false) };
}

function deeper(around: Surroundings, name: string): Surroundings {
  return { ...around, via: [...around.via, commandName(name)], depth: around.depth + 1 };
}

/** A word that may vanish and has no text is no name: what follows is run. */
function dropEmpty(words: readonly Word[]): readonly Word[] {
  const first = words.findIndex(({ text, splits }) => text !== '' || !splits);
  return first === -1 ? [] : words.slice(first);
}

function aliased(word: Word, scope: Scope): Inner {
  const assignment = assignmentOf(word.text);
  if (assignment?.value) scope.alias(assignment.name, assignment.value);
  const value = assignment?.value ?? (word.text === null ? null : '');
  return { kind: 'code', word, text: value };
}
