import { type AwkOrSedPrograms, type AwkOrSedSyntax, findAwkOrSedPrograms } from './awk-and-sed-programs.ts';
import { findAwkCommands, isExternalAwkLibrary, listAwkIncludeCandidates } from './awk-program.ts';
import { quoteShellWord } from './git-commands.ts';
import { hasWildcard, isUnknownPattern } from './glob.ts';
import { findSedEffects } from './sed-script.ts';
import type { ShellWord } from './shell-word.ts';
import type { CommandUnwrapResult, NestedCommand } from './unwrap-command.ts';

const AWK: AwkOrSedSyntax = {
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
  libraries: 'l',
};
const SED: AwkOrSedSyntax = {
  values: 'efl',
  attached: 'iI',
  long: { '--expression': 'e', '--file': 'f', '--line-length': 'l', '--in-place': 'i' },
  permutes: true,
  code: 'e',
  files: 'f',
  included: '',
  libraries: '',
};
const PROGRAM_SYNTAXES: Readonly<Record<string, AwkOrSedSyntax>> = {
  awk: AWK,
  gawk: AWK,
  mawk: AWK,
  nawk: AWK,
  sed: SED,
  gsed: SED,
};

/**
 * Returns whether an interpreter is awk or sed. Both run the program in their first operand, or in a file that
 * the option `-f` names.
 */
export function isAwkOrSed(interpreter: string): boolean {
  return Object.hasOwn(PROGRAM_SYNTAXES, interpreter);
}

/**
 * Analyzes all programs that the arguments of awk or sed contain or name. Returns null for any other command.
 */
export function analyzeAwkOrSed(name: string, args: readonly ShellWord[]): CommandUnwrapResult | null {
  const syntax = PROGRAM_SYNTAXES[name];
  if (!syntax) return null;
  const programs = findAwkOrSedPrograms(args, syntax);
  const found = syntax === SED ? [analyzeSedScript(programs)] : programs.code.map(analyzeAwkProgram);
  return {
    nested: found.flatMap(({ nested }) => nested),
    traits: found.flatMap(({ traits }) => traits),
    unclearReasons: [
      ...found.flatMap(({ unclearReasons }) => unclearReasons),
      ...(programs.code.some(isComputed) ? [UNANALYZED_CODE] : []),
      ...(programs.libraries.some(({ text }) => isExternalAwkLibrary(text)) ? [UNANALYZED_CODE] : []),
    ],
    foreign: found.flatMap(({ foreign = [] }) => foreign),
    reads: found.flatMap(({ reads = [] }) => reads),
    writes: found.flatMap(({ writes = [] }) => writes),
    files: [...programs.files.flatMap(withAwkSuffix), ...found.flatMap(({ files = [] }) => files)],
    readsInput: programs.readsInput,
  };
}

/** Whether no part of a program is known, for example because it is too long. */
function isComputed({ pattern, unknown }: ShellWord): boolean {
  return unknown === 'computed' && isUnknownPattern(pattern);
}

function withAwkSuffix(file: ShellWord): ShellWord[] {
  return file.text === null ? [file] : listAwkIncludeCandidates(file.text).map((text) => ({ ...file, text }));
}

const NO_COMMANDS: CommandUnwrapResult = { nested: [], traits: [], unclearReasons: [], readsInput: false };
const UNANALYZED_CODE = 'it runs code in a language that cannot be analyzed';

/** Analyzes an awk program. Its strings may be commands and files. */
function analyzeAwkProgram(word: ShellWord): CommandUnwrapResult {
  const program = word.text ?? word.pattern;
  const { commands, pipes, included, writes, isUnclear } = findAwkCommands(program);
  // The output of a program that is given nothing is unknown.
  const producers = pipes.map(({ text, command }) =>
    text === null ? `awk | ${command}` : `printf %s ${quoteShellWord({ ...word, text })} | ${command}`,
  );
  const nested = [...commands, ...producers].map((text) => toCode(text, word));
  const runs = nested.length > 0 || isUnclear;
  return {
    ...NO_COMMANDS,
    nested,
    writes: writes.filter((path) => !hasWildcard(path)),
    files: included.map((path) => ({ ...word, text: path })),
    traits: runs ? ['runs_code'] : [],
    foreign: runs || program.includes('getline') ? [{ ...word, text: program }] : [],
    unclearReasons: isUnclear ? [UNANALYZED_CODE] : [],
  };
}

/** Code with a part that is not known is not known. */
function toCode(text: string, word: ShellWord): NestedCommand {
  return { kind: 'code', word, text: hasWildcard(text) ? null : text };
}

/** Analyzes a sed script: commands that run or read something. Its parts are joined by newlines. */
function analyzeSedScript({ code, operands }: AwkOrSedPrograms): CommandUnwrapResult {
  const [word] = code;
  if (!word) return NO_COMMANDS;
  const script = code.map(({ text, pattern }) => text ?? pattern).join('\n');
  const { commands, reads, writes, runsLines, runsChangedLines } = findSedEffects(script);
  const inputs = operands.filter((operand) => !code.includes(operand));
  const isEmpty = inputs.length > 0 && inputs.every(({ text }) => text === '/dev/null');
  const isUnclear = runsChangedLines || (runsLines && !isEmpty);
  return {
    ...NO_COMMANDS,
    nested: commands.map((text) => toCode(text, word)),
    reads: reads.filter((path) => !hasWildcard(path)),
    writes: writes.filter((path) => !hasWildcard(path)),
    traits: commands.length > 0 || runsLines || runsChangedLines ? ['runs_code'] : [],
    unclearReasons: isUnclear ? [UNANALYZED_CODE] : [],
  };
}
