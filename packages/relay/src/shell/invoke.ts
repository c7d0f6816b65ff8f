import { isSubscriptCode, subscriptCode } from './arithmetic.ts';
import {
  CodeRunner,
  type CommandHost,
  type FoundCommand,
  MOST_DEPTH,
  NETWORK,
  type Reader,
} from './code-runner.ts';
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
import { namesRead } from './fill.ts';
import { gitAlias, gitInvocation, gitSettings, gitTransports, impliedOptions } from './git-runs.ts';
import { positionals } from './global-options.ts';
import type { Invoked, Placing } from './invoked.ts';
import { outputOf, unknownText } from './output.ts';
import { interpreted, optionCode } from './runs-code.ts';
import type { Scope } from './scope.ts';
import { noteVariables } from './set-variables.ts';
import type { Work } from './tree.ts';
import { unknownWrapper } from './unknown-wrapper.ts';
import { type Inner, type Invocation, type Unwrapped, unwrap } from './unwrap.ts';
import { type Place, type Printed, plainWord, type Word } from './word.ts';

/** Takes commands as they are written, finds what they run in their turn, and notes all of them. */
export class Invoker implements CommandHost {
  readonly commands: SimpleCommand[] = [];
  readonly doubts: Doubt[] = [];
  readonly #work: Work;
  readonly #runner: CodeRunner;

  constructor(work: Work, reader: Reader) {
    this.#work = work;
    this.#runner = new CodeRunner(this, work, reader);
  }

  get code(): CodeRunner {
    return this.#runner;
  }

  doubt(because: string, { start, end }: Place): void {
    this.doubts.push({ because, start, end });
  }

  /** Whether more pieces may be looked at; notes a doubt when none may. */
  mayVisit(place: Place, pieces = 1): boolean {
    const wasLeft = this.#work.visits >= 0;
    this.#work.visits -= pieces;
    if (wasLeft && this.#work.visits < 0) this.doubt('it is too much to be looked at', place);
    return this.#work.visits >= 0 && this.#work.commands >= 0;
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
    for (const text of code) this.#runner.code({ text, placing, name: assignments[0]?.name ?? '' });
    for (const { name, value } of assignments)
      if (/^PS[0-3]$/.test(name) && value !== null) this.#runner.expands(value, placing);
    for (const { value } of assignments)
      if (value !== null && isSubscriptCode(value)) this.#runner.expands(subscriptCode(value), placing);
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
      if (given.redirects.length > 0) this.note(given, { word: plainWord('', given), args: [], traits: [] });
      return given.redirects.length > 0 ? (given.input?.printed ?? null) : null;
    }
    this.#work.commands -= 1;
    if (!this.mayVisit(given, words.length) || given.around.depth > MOST_DEPTH) {
      this.doubt('it holds more commands than are looked at', given);
      return null;
    }
    this.declare(given.assignments, given);
    const isConnected = given.redirects.some(({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target.pattern));
    if (isConnected && given.input === null)
      return this.invoke({ ...given, assignments: [], input: NETWORK });
    const name = this.#nameOf(word, given);
    if (name === null) {
      this.note(given, { word, args, traits: ['unclear'] });
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
    if (this.#runner.runsWritten(word, words, given)) return;
    const { name, args } = gitInvocation({ name: gnuName(written), args: words }, word);
    this.#runner.callNamed(name, word, args, given);
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
    const redirects = found?.foreign?.flatMap((code) => this.#runner.foreign(code.text, code, given)) ?? [];
    for (const path of found?.reads ?? []) redirects.push({ operator: '<', target: plainWord(path, word) });
    if (found?.readsInput) redirects.push(...this.#runner.reads(wrapped ? 'sh' : name, given, traits));
    redirects.push(...namesRead(name, args, given.input));
    const own = found?.own ?? args.length;
    const implied = impliedOptions(invocation, scope);
    if (found?.file) redirects.push(...this.#runner.script(name, found.file, given, traits));
    redirects.push(...this.#runner.escapes(invocation, subcommand, given, traits));
    const all = { ...given, redirects: [...given.redirects, ...redirects] };
    this.note(all, { word, args, traits, own, implied, name });
    for (const run of inner) this.#runner.inside(run, name, args, given);
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
        this.#runner.expands(subscriptCode(text), given);
    return inner;
  }

  #environment(args: readonly Word[], given: Invoked): Trait[] {
    const assignments = args.map(({ text }) => assignmentOf(text)).filter((found) => found !== null);
    const before = this.doubts.length;
    this.declare(assignments, given);
    return this.doubts.length > before ? ['injects'] : [];
  }

  note({ assignments, redirects, start, end, around }: Invoked, command: FoundCommand): void {
    const { word, args, traits, own = args.length, implied = [] } = command;
    const name = traits.includes('unclear') ? null : (command.name ?? commandName(word.text ?? ''));
    const { via } = around;
    this.commands.push({
      name,
      word,
      args,
      own,
      implied,
      assignments,
      redirects,
      via,
      traits: [...new Set(traits)],
      start,
      end,
    });
  }
}

/** The tools of GNU under the names that they have beside those of a BSD system. */
const GNU =
  /^g(timeout|nice|nohup|env|stdbuf|xargs|find|rm|cat|head|tail|tar|cp|mv|dd|base64|ln|tee|sort|cut|tr|od|split|install|chroot)$/;

function gnuName(name: string): string {
  return GNU.exec(name)?.[1] ?? name;
}

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
