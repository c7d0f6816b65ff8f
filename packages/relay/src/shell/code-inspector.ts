import { isAwkOrSed } from './awk-and-sed.ts';
import { classifyScript } from './classify-script.ts';
import { createNestedCodeContext } from './code-context.ts';
import { type CommandTrait, normalizeCommandName, type ShellRedirect } from './command.ts';
import type { CommandSink, NestedCodeAnalyzer } from './command-sink.ts';
import { findEmbeddedCommands } from './embedded-commands.ts';
import { analyzeForeignCode } from './foreign-code.ts';
import { quoteShellWord } from './git-commands.ts';
import { toCodeWithVariables } from './glob.ts';
import { NETWORK_COMMAND_INPUT, NETWORK_PROGRAM_PATTERN } from './network-command-input.ts';
import { predictArguments } from './predict-arguments.ts';
import { isWorkExhausted, MAX_CODE_CHARS, type RemainingAnalysisWork } from './shell-parser.ts';
import { type ShellFunction, ShellScope } from './shell-scope.ts';
import {
  type CommandInput,
  createGlobWord,
  createLiteralWord,
  createUnknownWord,
  type ShellWord,
} from './shell-word.ts';
import type { CodeLocation, UnresolvedCommand } from './unresolved-command.ts';
import { type CommandInvocation, isShellPath, type NestedCommand } from './unwrap-command.ts';

/** The maximum nesting depth of code. Code that is nested deeper is not analyzed. */
export const MAX_CODE_DEPTH = 16;
const MAX_UNKNOWN_ARGS = 9;

/** Analyzes the code that commands run: shell code, functions, scripts, and code in other languages. */
export class CodeInspector {
  readonly #sink: CommandSink;
  readonly #work: RemainingAnalysisWork;
  readonly #reader: NestedCodeAnalyzer;
  readonly #uncalled = new Map<ShellFunction, CodeLocation & { readonly name: string }>();

  constructor(host: CommandSink, work: RemainingAnalysisWork, reader: NestedCodeAnalyzer) {
    this.#sink = host;
    this.#work = work;
    this.#reader = reader;
  }

  /** Analyzes the command substitutions in a string, as if the string were in double quotes. */
  inspectExpansions(text: string, placing: CodeLocation): void {
    if (/\$\(|`/.test(text))
      this.inspectCode({ text: `: "${text.replaceAll(/["\\]/g, '\\$&')}"`, placing, name: ':' });
  }

  define(name: string, shellFunction: ShellFunction, placing: CodeLocation): void {
    placing.context.scope.define(name, shellFunction);
    this.#uncalled.set(shellFunction, { ...placing, name });
  }

  /** Analyzes functions that the code defines and does not call. */
  inspectUncalledFunctions(): void {
    for (const [shellFunction, { name, context, ...place }] of this.#uncalled) {
      const args = Array.from({ length: MAX_UNKNOWN_ARGS }, () => createUnknownWord(place));
      this.inspectFunctionBody(
        shellFunction,
        [createLiteralWord(name, place), ...args],
        { ...place, context },
        null,
      );
    }
  }

  /** Analyzes a file that the code wrote or copied. Returns false if `word` names no such file. */
  inspectWrittenFile(word: ShellWord, args: readonly ShellWord[], given: UnresolvedCommand): boolean {
    if (!word.text?.includes('/')) return false;
    const file = given.context.scope.fileAt(word.text);
    if (!file) return false;
    if (file.program !== null) {
      const words = [{ ...createLiteralWord(file.program, word) }, ...args];
      this.#sink.analyze({ ...given, words, context: createNestedCodeContext(given.context, word.text) });
      return true;
    }
    const traits: CommandTrait[] = [];
    this.inspectText({ text: file.text, interpreter: 'sh', args: [word, ...args] }, given, traits);
    this.#sink.record(given, { word, args, traits });
    return true;
  }

  /** Analyzes a call of an alias or function that the code defines, with these arguments. */
  inspectNamedCall(
    name: string,
    word: ShellWord,
    args: readonly ShellWord[],
    given: UnresolvedCommand,
  ): void {
    const { scope, via } = given.context;
    const key = word.text ?? '';
    if (via.includes(normalizeCommandName(key))) return;
    const alias = scope.findAlias(key);
    if (alias !== null)
      this.inspectCode({
        text: [alias, ...args.map(quoteShellWord)].join(' '),
        placing: given,
        name,
        input: given.input,
      });
    const shellFunction = scope.findFunction(key);
    if (shellFunction) this.inspectFunctionBody(shellFunction, [word, ...args], given, given.input);
  }

  inspectFunctionBody(
    shellFunction: ShellFunction,
    args: readonly ShellWord[],
    placing: CodeLocation,
    input: CommandInput | null,
  ): void {
    this.#uncalled.delete(shellFunction);
    const { context, start, end } = placing;
    const scope = new ShellScope(context.scope, args);
    const inside = createNestedCodeContext(context, args[0]?.text ?? '');
    if (inside.depth > MAX_CODE_DEPTH)
      return this.#sink.reportUnclear('it is too deeply nested to be analyzed', placing);
    this.#reader.body(shellFunction, { ...inside, scope, input, place: context.place ?? { start, end } });
  }

  /** Analyzes the input of a shell or interpreter as code. Reports unknown input as unclear. */
  inspectInput(
    { interpreter, args }: { readonly interpreter: string; readonly args: readonly ShellWord[] },
    given: UnresolvedCommand,
    traits: CommandTrait[],
  ): ShellRedirect[] {
    if (given.input === null) return [];
    if (given.input.kind === 'pipe' && isShellPath(interpreter)) traits.push('runs_input');
    return this.inspectText({ text: given.input.printed.text, interpreter, args }, given, traits);
  }

  /** Analyzes a script file: one that the code wrote, the output of a program, or one with unknown content. */
  inspectScript(
    name: string,
    file: ShellWord,
    given: UnresolvedCommand,
    traits: CommandTrait[],
  ): ShellRedirect[] {
    const printed = file.process ?? (file.text === null ? null : given.context.scope.fileAt(file.text));
    if (printed === null)
      return isShellPath(name) || /^(?:source|\.)$/.test(name) ? [{ operator: '<', target: file }] : [];
    if (printed.text === null && 'unknown' in printed && printed.unknown === 'program') return [];
    return this.inspectText({ text: printed.text, interpreter: name }, given, traits);
  }

  /** Analyzes code that a shell or interpreter runs. Returns the files that it reads. */
  inspectText(
    { text, interpreter, args = [] }: InterpretedText,
    given: UnresolvedCommand,
    traits: CommandTrait[],
  ): ShellRedirect[] {
    if (text === null) {
      traits.push('runs_input');
      this.#sink.reportUnclear('it runs its input as code, and the input is not known in advance', given);
      return [];
    }
    traits.push('runs_code');
    if (isAwkOrSed(interpreter)) {
      const words = [interpreter, '--', text].map((word) => createLiteralWord(word, given));
      const context = createNestedCodeContext(given.context, interpreter);
      this.#sink.analyze({ ...given, words, assignments: [], redirects: [], input: null, context });
      return [];
    }
    const script = classifyScript(text, interpreter);
    if (script.isForeign) return this.inspectForeignCode(script.text, createLiteralWord('', given), given);
    this.inspectCode({ text: script.text, placing: given, name: interpreter, input: null, args });
    return [];
  }

  /** Analyzes the literals in code of another language. Returns the files that the code reads and writes. */
  inspectForeignCode(text: string | null, word: ShellWord, given: UnresolvedCommand): ShellRedirect[] {
    this.#work.characters -= text?.length ?? 0;
    if (text === null || text.length > MAX_CODE_CHARS || isWorkExhausted(this.#work)) {
      this.#sink.reportUnclear('it runs code that is not known in advance or is too long', given);
      return [];
    }
    const { texts, commands, files, unclearReason } = analyzeForeignCode(text);
    if (unclearReason !== null) this.#sink.reportUnclear(unclearReason, given);
    const around = createNestedCodeContext(given.context, given.words[0]?.text ?? '');
    for (const { value, isCertain } of texts)
      this.#withDoubts(isCertain, () =>
        this.inspectCode({ text: value, placing: { ...given, context: around }, name: '', input: null }),
      );
    for (const { value, isCertain } of commands) {
      const words = value.filter(Boolean).map((part) => createLiteralWord(part, word));
      const nested = { ...given, words, assignments: [], redirects: [], input: null, context: around };
      this.#withDoubts(isCertain, () => void this.#sink.analyze(nested));
    }
    if (isWorkExhausted(this.#work)) this.#sink.reportUnclear('it is too complex to be analyzed', given);
    return files.map(({ operator, path }) => ({ operator, target: createGlobWord(path, word) }));
  }

  /** A literal that is not certainly a command does not make the code unclear. */
  #withDoubts(isCertain: boolean, inspect: () => void): void {
    const doubts = this.#sink.unclear.length;
    inspect();
    if (!isCertain) this.#sink.unclear.length = Math.min(this.#sink.unclear.length, doubts);
  }

  /** Analyzes commands in a program's own language: `vim -c '!…'`, `psql -c '\! …'`. */
  inspectEmbeddedCommands(
    invocation: CommandInvocation,
    subcommand: string | null,
    given: UnresolvedCommand,
    traits: CommandTrait[],
  ): ShellRedirect[] {
    if (isWorkExhausted(this.#work)) return []; // This has been reported.
    const found = findEmbeddedCommands(
      invocation,
      subcommand,
      given.input?.printed ?? null,
      given.context.scope,
    );
    if (!found) return [];
    this.#work.characters -= found.characters;
    const { name, args } = invocation;
    const input = NETWORK_PROGRAM_PATTERN.test(name) ? NETWORK_COMMAND_INPUT : null;
    for (const { word, text } of found.runs)
      if (!isWorkExhausted(this.#work))
        this.inspectNestedCommand({ kind: 'code', word, text }, name, args, { ...given, input });
    if (isWorkExhausted(this.#work) || found.characters > MAX_CODE_CHARS)
      this.#sink.reportUnclear('it is too complex to be analyzed', given);
    if (found.readsUnknown && /^(?:at|batch|crontab|g?make|just|task)$/.test(name)) {
      traits.push('runs_input');
      this.#sink.reportUnclear('it runs its input as code, and the input is not known in advance', given);
    }
    return found.reads.map((path) => ({ operator: '<', target: createLiteralWord(path, given) }));
  }

  inspectNestedCommand(
    run: NestedCommand,
    name: string,
    args: readonly ShellWord[],
    given: UnresolvedCommand,
  ): void {
    const around = createNestedCodeContext(given.context, name);
    if (run.kind === 'words') {
      for (const words of predictArguments(name, args, run.words, given.input))
        this.#sink.analyze({ ...given, words, assignments: [], redirects: [], context: around });
      return;
    }
    const known = run.text === null ? toCodeWithVariables(run.word.pattern) : null;
    if (known !== null) this.inspectCode({ text: known, placing: given, name, input: given.input });
    if (run.text === null && run.word.unknown === 'program') return;
    const filledIn = predictArguments(name, args, [run.word, ...(run.args ?? [])], given.input);
    for (const [word, ...values] of filledIn) {
      const text = run.text === run.word.text ? (word?.text ?? null) : run.text;
      const isFilled = word !== run.word && text === null;
      // `parallel ::: 'rm x'` runs its arguments.
      const code =
        name === 'parallel' ? (run.text?.replace(/^:::+\+? /, '') ?? null) : isFilled ? null : text;
      this.inspectCode({ text: code, placing: given, name, input: given.input, args: values });
    }
    if (!run.word.certain && run.text !== null && run.word.unknown !== null)
      this.#sink.reportUnclear('it runs code that is assembled at run time', given);
  }

  inspectCode({ text, placing, name, input = null, args }: CodeText): void {
    if (text === null) {
      this.#sink.reportUnclear('it runs code that is not known in advance', placing);
      return;
    }
    const { start, end, context } = placing;
    const scope = args && args.length > 0 ? new ShellScope(context.scope, args) : context.scope;
    this.#reader.text(text, {
      ...createNestedCodeContext(context, name),
      scope,
      input,
      place: context.place ?? { start, end },
    });
  }
}

/** Code with its interpreter. */
interface InterpretedText {
  readonly text: string | null;
  readonly interpreter: string;
  /** Positional parameters, starting with `$0`. */
  readonly args?: readonly ShellWord[];
}

interface CodeText {
  readonly text: string | null;
  readonly placing: CodeLocation;
  readonly name: string;
  readonly input?: CommandInput | null;
  /** Positional parameters, starting with `$0`. */
  readonly args?: readonly ShellWord[];
}
