import { extractSubscriptCode, hasSubscriptCode } from './arithmetic.ts';
import { CodeInspector, MAX_CODE_DEPTH } from './code-inspector.ts';
import {
  type CommandTrait,
  normalizeCommandName,
  type ShellRedirect,
  type SimpleCommand,
  type UnclearSpan,
  type VariableAssignment,
} from './command.ts';
import { createUnknownCommandOutput, predictCommandOutput } from './command-output.ts';
import type { CommandRecord, CommandSink, NestedCodeAnalyzer } from './command-sink.ts';
import { findEnvironmentEffects, parseAssignment } from './environment-effects.ts';
import { findEquivalentGitPushCommands } from './equivalent-git-push.ts';
import {
  findGitConfigCommands,
  findGitTransportCommands,
  findOrRecordForcedGitPush,
  normalizeGitInvocation,
  resolveOrRecordGitAlias,
} from './git-commands.ts';
import { findRecordedCommand, guessWrappedCommands } from './guess-wrapped-commands.ts';
import { analyzeInterpreter } from './interpreters.ts';
import { NETWORK_COMMAND_INPUT } from './network-command-input.ts';
import { findCommandsInOptions } from './option-commands.ts';
import { findPositionalArguments } from './positional-arguments.ts';
import { findFilesNamedByInput } from './predict-arguments.ts';
import { recordFileWrites, recordRedirectWrites } from './record-file-writes.ts';
import { recordVariableChanges } from './record-variable-changes.ts';
import type { RemainingAnalysisWork } from './shell-parser.ts';
import type { ShellScope } from './shell-scope.ts';
import { type CommandOutput, createLiteralWord, type ShellWord, type TextSpan } from './shell-word.ts';
import type { CodeLocation, UnresolvedCommand } from './unresolved-command.ts';
import {
  type CommandInvocation,
  type CommandUnwrapResult,
  type NestedCommand,
  unwrapCommand,
} from './unwrap-command.ts';

/** Analyzes commands, finds the commands that they run, and records all of them. */
export class CommandAnalyzer implements CommandSink {
  readonly commands: SimpleCommand[] = [];
  readonly unclear: UnclearSpan[] = [];
  readonly variables = new Set<string>();
  readonly #work: RemainingAnalysisWork;
  readonly #inspector: CodeInspector;

  constructor(work: RemainingAnalysisWork, reader: NestedCodeAnalyzer) {
    this.#work = work;
    this.#inspector = new CodeInspector(this, work, reader);
  }

  get codeInspector(): CodeInspector {
    return this.#inspector;
  }

  reportUnclear(reason: string, { start, end }: TextSpan): void {
    this.unclear.push({ reason, start, end });
  }

  /**
   * Counts `pieces` visits. Returns whether the analysis may continue. Records an unclear span at the first
   * visit that exceeds the maximum.
   */
  mayVisit(place: TextSpan, pieces = 1): boolean {
    const wasLeft = this.#work.visits >= 0;
    this.#work.visits -= pieces;
    if (wasLeft && this.#work.visits < 0) this.reportUnclear('it is too complex to be analyzed', place);
    return this.#work.visits >= 0 && this.#work.commands >= 0;
  }

  /** Analyzes assignments that apply to later commands. */
  inspectAssignments(assignments: readonly VariableAssignment[], placing: CodeLocation): void {
    for (const { name } of assignments) this.variables.add(name);
    const { code, loads } = findEnvironmentEffects(assignments);
    for (const name of loads) this.reportUnclear(`${name} makes programs run other code`, placing);
    for (const text of code) this.#inspector.inspectCode({ text, placing, name: assignments[0]?.name ?? '' });
    for (const { name, value } of assignments)
      if (/^PS[0-3]$/.test(name) && value !== null) this.#inspector.inspectExpansions(value, placing);
    for (const { value } of assignments)
      if (value !== null && hasSubscriptCode(value))
        this.#inspector.inspectExpansions(extractSubscriptCode(value), placing);
  }

  recordWrites(redirects: readonly ShellRedirect[], printed: CommandOutput | null, scope: ShellScope): void {
    recordRedirectWrites(redirects, printed, scope);
  }

  /** Analyzes and records a command with the commands that it runs. Returns its output. */
  analyze(given: UnresolvedCommand): CommandOutput | null {
    const words = withoutEmptyWords(given.words);
    if (words.length < given.words.length)
      this.reportUnclear('the name of one of its commands can be empty', given);
    const [word, ...args] = words;
    if (!word) {
      if (given.redirects.length > 0)
        this.record(given, { word: createLiteralWord('', given), args: [], traits: [] });
      return given.redirects.length > 0 ? (given.input?.printed ?? null) : null;
    }
    this.#work.commands -= 1;
    if (!this.mayVisit(given, words.length) || given.context.depth > MAX_CODE_DEPTH) {
      this.reportUnclear('it contains too many or too deeply nested commands to be analyzed', given);
      return null;
    }
    this.inspectAssignments(given.assignments, given);
    const isConnected = given.redirects.some(({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target.pattern));
    if (isConnected && given.input === null)
      return this.analyze({ ...given, assignments: [], input: NETWORK_COMMAND_INPUT });
    const name = this.#nameOf(word, given);
    if (name === null) {
      this.record(given, { word, args, traits: ['unclear'] });
      return createUnknownCommandOutput('computed');
    }
    this.#analyzeNamed(name, word, args, given);
    return predictCommandOutput(name, args, given.input?.printed ?? null);
  }

  /** The name of the command. Null if unknown; the reason is recorded. */
  #nameOf(word: ShellWord, given: UnresolvedCommand): string | null {
    const { text, isSpelledOut, glob } = word;
    if (text === null) {
      this.reportUnclear('the name of one of its commands is not known in advance', given);
      return null;
    }
    const { scope } = given.context;
    // Another `IFS` changes how a variable is split.
    const isCut = word.splits && scope.isAssignedOnce('IFS');
    if ((!isSpelledOut && !scope.fileAt(text)) || glob || isCut)
      this.reportUnclear('the name of one of its commands is not a literal', given);
    // zsh replaces `=name` by the path of the command.
    if (text.startsWith('=')) this.reportUnclear('the name of one of its commands starts with "="', given);
    if (text.includes('{}'))
      this.reportUnclear('the name of one of its commands is a placeholder ({})', given);
    return normalizeCommandName(text);
  }

  #analyzeNamed(
    written: string,
    word: ShellWord,
    words: readonly ShellWord[],
    given: UnresolvedCommand,
  ): void {
    const { scope } = given.context;
    if (this.#inspector.inspectWrittenFile(word, words, given)) return;
    const { name, args } = normalizeGitInvocation({ name: withoutGnuPrefix(written), args: words }, word);
    this.#inspector.inspectNamedCall(name, word, args, given);
    const invocation = { name, args };
    const subcommand = findPositionalArguments(name, args)[0]?.word.text ?? null;
    const wrapped = unwrapCommand(invocation);
    const language = wrapped ? null : analyzeInterpreter(invocation);
    const found: CommandUnwrapResult | null = wrapped ?? language;
    const traits: CommandTrait[] = [...(found?.traits ?? [])];
    for (const doubt of found?.unclearReasons ?? []) this.reportUnclear(doubt, given);
    recordFileWrites(name, args, given.input, scope);
    recordVariableChanges(name, args, given.input, scope);
    const inner = [
      ...(found?.nested ?? guessWrappedCommands(invocation)),
      ...this.#findOtherCommands(invocation, subcommand, given, traits),
    ];
    if (name === 'env' || name === 'sudo' || name === 'export')
      traits.push(...this.#environment(args, given));
    const redirects =
      found?.foreign?.flatMap((code) => this.#inspector.inspectForeignCode(code.text, code, given)) ?? [];
    for (const path of found?.reads ?? [])
      redirects.push({ operator: '<', target: createLiteralWord(path, word) });
    for (const path of found?.writes ?? [])
      redirects.push({ operator: '>', target: createLiteralWord(path, word) });
    if (found?.readsInput)
      redirects.push(
        ...this.#inspector.inspectInput(
          { interpreter: wrapped ? 'sh' : name, args: found.inputArgs ?? [] },
          given,
          traits,
        ),
      );
    redirects.push(...findFilesNamedByInput(name, args, given.input));
    const own = found?.own ?? args.length;
    const implied = findOrRecordForcedGitPush(invocation, scope);
    for (const file of found?.files ?? [])
      redirects.push(
        ...this.#inspector.inspectScript(name === 'parallel' ? 'sh' : name, file, given, traits),
      );
    redirects.push(...this.#inspector.inspectEmbeddedCommands(invocation, subcommand, given, traits));
    const all = { ...given, redirects: [...given.redirects, ...redirects] };
    this.record(all, { word, args, traits, own, implied, name });
    for (const run of inner) this.#inspector.inspectNestedCommand(run, name, args, given);
  }

  /** Finds commands that run for reasons other than wrappers and interpreters. */
  #findOtherCommands(
    invocation: CommandInvocation,
    subcommand: string | null,
    given: UnresolvedCommand,
    traits: CommandTrait[],
  ): NestedCommand[] {
    const { name, args } = invocation;
    const inner = [
      ...findCommandsInOptions(invocation, subcommand),
      ...findEquivalentGitPushCommands(invocation),
    ];
    if (name === 'git') {
      inner.push(...findGitConfigCommands(invocation), ...findGitTransportCommands(invocation));
      inner.push(...resolveOrRecordGitAlias(invocation, given.context.scope));
      if (args.some(({ text }) => /^(?:core\.hookspath|--exec-path)=/i.test(text ?? ''))) {
        traits.push('injects');
        this.reportUnclear('core.hooksPath or --exec-path makes git run other code', given);
      }
    }
    if (name === 'script') inner.push(...findRecordedCommand(args));
    if (name === 'enable' && args.some(({ text }) => text === '-f'))
      this.reportUnclear('it loads a library into the shell', given);
    // In zsh, a global alias replaces words, and a suffix alias runs files.
    if (name === 'alias' && args.some(({ text }) => /^-[a-z]*[gs]/.test(text ?? '')))
      this.reportUnclear('it defines a global or suffix alias (alias -g or alias -s)', given);
    if (name === 'alias') inner.push(...args.map((word) => defineAlias(word, given.context.scope)));
    if (name === 'hash' && args[0]?.text === '-p' && args[1]?.text && args[2]?.text)
      given.context.scope.alias(args[2].text, args[1].text);
    for (const word of args) {
      // `gh alias set x '!command'` and `hg --config alias.x='!command'`
      const [, command] = /^(?:alias\.[\w-]+=)?!\s*([\w./]+\s[\s\S]*)$/.exec(word.text ?? '') ?? [];
      if (command !== undefined && name !== 'git') inner.push({ kind: 'code', word, text: command });
    }
    for (const { text } of args)
      if (text !== null && EVALUATING_BUILTINS.has(name) && hasSubscriptCode(text))
        this.#inspector.inspectExpansions(extractSubscriptCode(text), given);
    return inner;
  }

  #environment(args: readonly ShellWord[], given: UnresolvedCommand): CommandTrait[] {
    const assignments = args.map(({ text }) => parseAssignment(text)).filter((found) => found !== null);
    const before = this.unclear.length;
    this.inspectAssignments(assignments, given);
    return this.unclear.length > before ? ['injects'] : [];
  }

  record({ assignments, redirects, start, end, context }: UnresolvedCommand, command: CommandRecord): void {
    const { word, args, traits, own = args.length, implied = [] } = command;
    const name = traits.includes('unclear') ? null : (command.name ?? normalizeCommandName(word.text ?? ''));
    const { via } = context;
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

/** GNU tools with the names that they have next to the tools of a BSD system. */
const GNU_PREFIXED =
  /^g(timeout|nice|nohup|env|stdbuf|xargs|find|rm|cat|head|tail|tar|cp|mv|dd|base64|ln|tee|sort|cut|tr|od|split|install|chroot)$/;

function withoutGnuPrefix(name: string): string {
  return GNU_PREFIXED.exec(name)?.[1] ?? name;
}

/** Builtins that evaluate subscripts in their arguments. */
const EVALUATING_BUILTINS = new Set([
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
  'wait',
]);

/** Removes words that may expand to nothing and have no text, because the next word is then the command. */
function withoutEmptyWords(words: readonly ShellWord[]): readonly ShellWord[] {
  const first = words.findIndex(({ text, splits }) => text !== '' || !splits);
  return first === -1 ? [] : words.slice(first);
}

function defineAlias(word: ShellWord, scope: ShellScope): NestedCommand {
  const assignment = parseAssignment(word.text);
  if (assignment?.value) scope.alias(assignment.name, assignment.value);
  const value = assignment?.value ?? (word.text === null ? null : '');
  return { kind: 'code', word, text: value };
}
