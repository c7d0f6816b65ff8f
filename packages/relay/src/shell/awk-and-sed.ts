import { findPrograms, type ProgramSyntax } from './awk-and-sed-programs.ts';
import type { ShellWord } from './shell-word.ts';
import type { CommandUnwrapResult, NestedCommand } from './unwrap-command.ts';

const AWK: ProgramSyntax = {
  values: 'eEfFvilW',
  attached: 'dDLop',
  long: {
    '--source': 'e',
    '--exec': 'E',
    '--file': 'f',
    '--field-separator': 'F',
    '--assign': 'v',
    '--include': 'i',
    '--load': 'l',
  },
  longPrefix: 'W',
  last: 'E',
  code: 'e',
  files: 'fE',
  included: 'i',
};
const SED: ProgramSyntax = {
  values: 'efl',
  attached: 'iI',
  long: { '--expression': 'e', '--file': 'f', '--line-length': 'l', '--in-place': 'i' },
  permutes: true,
  code: 'e',
  files: 'f',
  included: '',
};
const PROGRAM_SYNTAXES: Readonly<Record<string, ProgramSyntax>> = {
  awk: AWK,
  gawk: AWK,
  mawk: AWK,
  nawk: AWK,
  sed: SED,
  gsed: SED,
};

/** Whether the interpreter's first operand is its program: `awk -f file` runs the same as `awk 'program'`. */
export function hasProgramArgument(interpreter: string): boolean {
  return Object.hasOwn(PROGRAM_SYNTAXES, interpreter);
}

/** Analyzes all programs that the arguments of awk or sed name. */
export function analyzeAwkOrSed(name: string, args: readonly ShellWord[]): CommandUnwrapResult | null {
  const syntax = PROGRAM_SYNTAXES[name];
  if (!syntax) return null;
  const { code, files, readsInput } = findPrograms(args, syntax);
  const found = code.map(syntax === SED ? analyzeSedScript : analyzeAwkProgram);
  return {
    nested: found.flatMap(({ nested }) => nested),
    traits: found.flatMap(({ traits }) => traits),
    unclearReasons: found.flatMap(({ unclearReasons }) => unclearReasons),
    foreign: found.flatMap(({ foreign = [] }) => foreign),
    reads: found.flatMap(({ reads = [] }) => reads),
    files,
    readsInput,
  };
}

const NO_COMMANDS: CommandUnwrapResult = { nested: [], traits: [], unclearReasons: [], readsInput: false };
const UNANALYZED_CODE = 'it runs code in a language that cannot be analyzed';

/** Matches awk programs that run commands or read their output. */
const AWK_RUNS = /\bsystem\s*\(|\|\s*&?\s*"|"\s*\|\s*&?\s*getline|\bprint[^;\n]*\|/;

/** Analyzes an awk program. Its strings may be commands and files. */
function analyzeAwkProgram(program: ShellWord): CommandUnwrapResult {
  const { text } = program;
  if (text === null) return NO_COMMANDS;
  if (AWK_RUNS.test(text))
    return {
      ...NO_COMMANDS,
      nested: awkCommands(program),
      traits: ['runs_code'],
      foreign: [program],
      unclearReasons: findAwkUnclear(text),
    };
  return /getline/.test(text) ? { ...NO_COMMANDS, foreign: [program] } : NO_COMMANDS;
}

/** Finds literals that awk passes to a shell. */
function awkCommands(program: ShellWord): NestedCommand[] {
  const commands = /\bsystem\s*\(\s*"([^"]*)"|"([^"]*)"\s*\|\s*&?\s*getline|\|\s*&?\s*"([^"]*)"/g;
  return [...(program.text ?? '').matchAll(commands)].map(
    ([, one, two, three]): NestedCommand => ({
      kind: 'code',
      word: program,
      text: one ?? two ?? three ?? '',
    }),
  );
}

/** Finds commands that awk builds from fields or variables. */
function findAwkUnclear(program: string): string[] {
  const isLiteral = /\bsystem\s*\(\s*"[^"]*"\s*\)|"[^"]*"\s*\|\s*&?\s*getline|\|\s*&?\s*"[^"]*"/.test(
    program,
  );
  return isLiteral ? [] : [UNANALYZED_CODE];
}

/** Matches sed scripts with the command or flag `e`. */
const SED_RUNS = /(?:^|[;{}\d$/\n])\s*e(?:\s|$)|\/[gpiImMw\d]*e[gpiImM\d]*\s*(?:$|[;}\n])/;

/** Analyzes a sed script: commands that run or read something. */
function analyzeSedScript(script: ShellWord): CommandUnwrapResult {
  const text = script.text ?? '';
  const reads = [...text.matchAll(/(?:^|[;{}\d$/\n])\s*[rR]\s+([^;\n}]+)/g)].map(([, file = '']) =>
    file.trim(),
  );
  if (!SED_RUNS.test(text)) return { ...NO_COMMANDS, reads };
  const commands = [...text.matchAll(/(?:^|[;{}\d$/\n])\s*e\s+([^;\n}]+)/g)].map(([, one = '']) => one);
  const nested = commands.map((one): NestedCommand => ({ kind: 'code', word: script, text: one }));
  const isEmpty = /^\d*e\s*$/.test(text);
  return {
    ...NO_COMMANDS,
    nested,
    reads,
    traits: ['runs_code'],
    unclearReasons: nested.length > 0 || isEmpty ? [] : [UNANALYZED_CODE],
  };
}
