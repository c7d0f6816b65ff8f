import { analyzeAwkOrSed, isAwkOrSed } from './awk-and-sed.ts';
import { createLiteralWord, type ShellWord } from './shell-word.ts';
import type { CommandInvocation, CommandUnwrapResult } from './unwrap-command.ts';

/** Options of interpreters whose value is code in a language that is not parsed. */
const CODE_OPTIONS: Readonly<Record<string, RegExp>> = {
  python: /^-[a-zA-Z]*c/,
  pypy: /^-[a-zA-Z]*c/,
  perl: /^-(?!M)[a-zA-Z0-9]*[eE]/,
  ruby: /^-(?![rI])[a-zA-Z]*e/,
  node: /^(?:-[a-z]*[ep]|--(?:eval|print)\b)/,
  nodejs: /^(?:-[a-z]*[ep]|--(?:eval|print)\b)/,
  bun: /^(?:-[ep]|--(?:eval|print)\b)/,
  tsx: /^(?:-[ep]|--(?:eval|print)\b)/,
  'ts-node': /^(?:-[a-z]*[ep]|--(?:eval|print)\b)/,
  mongosh: /^--eval\b/,
  deno: /^--eval\b/,
  ipython: /^-c/,
  guile: /^-c/,
  sbcl: /^--eval\b/,
  clojure: /^(?:-e|--eval\b)/,
  clj: /^(?:-e|--eval\b)/,
  bb: /^(?:-e|--eval\b)/,
  janet: /^-e/,
  octave: /^--?eval\b/,
  gnuplot: /^-e/,
  maxima: /^--batch-string\b/,
  raku: /^-[a-z]*e/,
  ocaml: /^-e/,
  kotlin: /^-e/,
  swift: /^-e/,
  php: /^(?:-[rBRE]|--(?:run|process-code)\b)/,
  lua: /^-e/,
  luajit: /^-e/,
  rscript: /^-e/,
  r: /^-e/,
  julia: /^(?:-[eE]|--(?:eval|print)\b)/,
  elixir: /^(?:-e|--(?:eval|rpc-eval)\b)/,
  erl: /^-eval/,
  ghc: /^-e/,
  groovy: /^-e/,
  scala: /^-e/,
  osascript: /^-e/,
  emacs: /^--?(?:eval|execute)\b/,
  emacsclient: /^(?:-e|--eval)\b/,
  powershell: /^-(?!f(?:i(?:l(?:e)?)?)?$)/i,
  pwsh: /^-(?!f(?:i(?:l(?:e)?)?)?$)/i,
};

/** Interpreters that read code from their input if they have no file argument. */
const READS_INPUT = new Set(Object.keys(CODE_OPTIONS));
READS_INPUT.delete('emacs');
READS_INPUT.delete('emacsclient');
READS_INPUT.delete('erl');

const UNANALYZED_CODE = 'it runs code in a language that cannot be analyzed';

/**
 * Determines what an interpreter of a language other than shell runs. Null if the command is not such an
 * interpreter.
 */
export function analyzeInterpreter(invocation: CommandInvocation): CommandUnwrapResult | null {
  const { args } = invocation;
  // `python3.12` is `python`.
  const name = /^(?:python|pypy|perl|ruby|lua|php)(?=[\d.]*$)/.exec(invocation.name)?.[0] ?? invocation.name;
  if (isAwkOrSed(name)) return analyzeAwkOrSed(name, args);
  const [first, ...rest] = args;
  if (first?.text === 'eval' && EVAL_PROGRAMS.has(name))
    return createCodeResult(name, rest.filter(({ text }) => !text?.startsWith('-')).slice(0, 1));
  if (first?.text === 'run' && SOURCE_RUNNERS.has(name)) return createInputResult(rest);
  if (name === 'deno' && first?.text === 'repl') return analyzeInterpreter({ name, args: rest });
  if (name === 'python' && isModuleOption(first)) return analyzeModule(name, rest);
  if (name === 'powershell' && /^[^-]\S*\s/.test(first?.text ?? '')) return createCodeResult(name, args);
  if (name === 'source' || name === '.') return analyzeSource(args);
  const options = Object.hasOwn(CODE_OPTIONS, name) ? CODE_OPTIONS[name] : undefined;
  if (options && REPEATED_CODE_OPTIONS.has(name)) {
    const words = args.flatMap(({ text }, at) =>
      options.test(text ?? '') ? codeWords(text ?? '', at, args) : [],
    );
    if (words.length > 0) return createCodeResult(name, words);
  }
  if (options === undefined && !READS_INPUT.has(name)) return null;
  for (const [at, word] of args.entries()) {
    const { text } = word;
    if (text !== null && options?.test(text)) return createCodeResult(name, codeWords(text, at, args));
    // The first argument that is not an option is the program. Later arguments belong to the program.
    if (text === null || !text.startsWith('-')) break;
    if (VALUE_OPTIONS.test(text)) return optionsWithValues(name, args, options);
  }
  return READS_INPUT.has(name) ? createInputResult(args) : null;
}

/** Programs that run the argument of their subcommand `eval`. */
const EVAL_PROGRAMS = new Set(['deno', 'crystal']);
/** Programs that compile and run the source file after their subcommand `run`. */
const SOURCE_RUNNERS = new Set(['deno', 'go', 'dart', 'crystal']);
/** Interpreters that run every option with code, also after other arguments. */
const REPEATED_CODE_OPTIONS = new Set([
  'emacs',
  'emacsclient',
  'osascript',
  'sbcl',
  'octave',
  'gnuplot',
  'mongosh',
  'clojure',
  'clj',
]);

function isModuleOption(word: ShellWord | undefined): boolean {
  return /^-[bBdEiIOPqsSuvx]*m$/.test(word?.text ?? '');
}

/** Analyzes `python -m module`. Some modules run code from their arguments or input. */
function analyzeModule(name: string, [module, ...args]: readonly ShellWord[]): CommandUnwrapResult {
  if (module?.text == null) return NO_COMMANDS;
  if (module.text === 'timeit') {
    const code = args.filter(({ text }) => text === null || /\W/.test(text.replace(/^-+/, '')));
    return code.length > 0 ? createCodeResult(name, code) : NO_COMMANDS;
  }
  if (module.text === 'code') return { ...NO_COMMANDS, readsInput: true };
  return { ...NO_COMMANDS, files: [createLiteralWord(`${module.text.replaceAll('.', '/')}.py`, module)] };
}

/** Options of interpreters that take the next word as their value. */
const VALUE_OPTIONS = /^(?:-[WXrIMSCdt]|--(?:require|import|loader|input-type|env-file|conditions))$/;

function optionsWithValues(
  name: string,
  args: readonly ShellWord[],
  options: RegExp | undefined,
): CommandUnwrapResult | null {
  for (let at = 0; at < args.length; at += 1) {
    const text = args[at]?.text ?? null;
    if (text !== null && options?.test(text)) return createCodeResult(name, codeWords(text, at, args));
    if (text === null || !text.startsWith('-')) break;
    if (VALUE_OPTIONS.test(text)) at += 1;
  }
  return READS_INPUT.has(name) ? createInputResult(args) : null;
}

/** Languages whose code is not analyzed. */
const UNREAD_LANGUAGES = /^(?:powershell|pwsh|erl|ghc|elixir|scala)$/;

/** The code of an option: the next word, or the text after `=` or after the option letter. */
function codeWords(option: string, at: number, args: readonly ShellWord[]): readonly ShellWord[] {
  const [, attached] =
    /^--[\w-]+=(.+)$/s.exec(option) ?? /^-[a-zA-Z0-9]*[ceEpr](.*\W.*)$/s.exec(option) ?? [];
  const word = attached === undefined ? args[at + 1] : args[at];
  if (!word) return [];
  return [attached === undefined ? word : { ...word, text: attached }];
}

function createCodeResult(name: string, words: readonly ShellWord[]): CommandUnwrapResult {
  const isUnread = words.length === 0 || UNREAD_LANGUAGES.test(name);
  return {
    ...NO_COMMANDS,
    traits: ['runs_code'],
    unclearReasons: isUnread ? [UNANALYZED_CODE] : [],
    foreign: isUnread ? [] : words,
  };
}

const NO_COMMANDS: CommandUnwrapResult = { nested: [], traits: [], unclearReasons: [], readsInput: false };

function createInputResult(args: readonly ShellWord[]): CommandUnwrapResult {
  const file = args.find(({ text }) => text === null || text === '-' || !text.startsWith('-'));
  const readsInput = file === undefined || file.text === '-' || file.text === '/dev/stdin';
  // Deno downloads a script and runs it.
  const isDownloaded = /^https?:\/\//i.test(file?.text ?? '');
  const traits = isDownloaded ? (['runs_input'] as const) : [];
  return { ...NO_COMMANDS, traits, readsInput, files: file && !readsInput ? [file] : [] };
}

function analyzeSource(args: readonly ShellWord[]): CommandUnwrapResult {
  const [file] = args;
  return { ...NO_COMMANDS, readsInput: file?.text === '/dev/stdin', files: file ? [file] : [] };
}
