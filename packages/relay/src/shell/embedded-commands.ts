import {
  EMBEDDED_COMMAND_PATTERNS,
  EMBEDDED_FILE_PATTERNS,
  EMBEDDED_INTERPRETERS,
  type EmbeddedInterpreter,
  type EmbeddedLanguage,
} from './embedded-languages.ts';
import { MAX_CODE_CHARS } from './shell-parser.ts';
import type { ShellScope } from './shell-scope.ts';
import { EMPTY_SHELL_WORD, type ShellWord } from './shell-word.ts';
import type { CommandInvocation } from './unwrap-command.ts';

/**
 * The shell commands that a program runs, and the files that it reads, because of code in the
 * program's own language.
 */
export interface EmbeddedCommands {
  /** Strings with shell code, and the words that contain them. */
  readonly runs: readonly CommandText[];
  readonly reads: readonly string[];
  /** Whether the program reads code in its own language from unknown input. */
  readonly readsUnknown: boolean;
  /** Number of characters of the code. Code of more than `MAX_CODE_CHARS` is not searched. */
  readonly characters: number;
}

/**
 * Finds code in a program's own language (such as awk) in its arguments and input. Returns the shell commands that
 * this code runs and the files that it reads. Returns null if the program does not interpret such a language.
 */
export function findEmbeddedCommands(
  { name, args }: CommandInvocation,
  subcommand: string | null,
  input: { readonly text: string | null } | null,
  scope: ShellScope,
): EmbeddedCommands | null {
  const key = [`${name} ${subcommand}`, name].find((one) => Object.hasOwn(EMBEDDED_INTERPRETERS, one));
  const interpreter = key === undefined ? undefined : EMBEDDED_INTERPRETERS[key];
  if (!interpreter) return null;
  const { language } = interpreter;
  const texts = [
    ...findOptionTexts(args, interpreter),
    ...findOperandTexts(args, interpreter, key !== name),
    ...findFileTexts(args, interpreter, scope),
  ];
  const takesInput = input !== null && readsInput(args, interpreter);
  const characters = [...texts, ...(takesInput ? [input] : [])].reduce(
    (sum, { text }) => sum + (text?.length ?? 0),
    0,
  );
  // The work of some expressions grows with the square of the length.
  if (characters > MAX_CODE_CHARS) return { runs: [], reads: [], readsUnknown: false, characters };
  const runs = texts.flatMap(({ word, text, language: own = language }): CommandText[] => {
    // Text that is too long is computed.
    const isUnclear = word.unknown === 'computed' || (language === 'shell' && word.unknown !== 'program');
    if (text === null) return isUnclear ? [{ word, text }] : [];
    return extractEmbeddedCommands(text, own).map((one) => ({ word, text: one }));
  });
  const reads = texts.flatMap(({ text }): readonly string[] =>
    text === null ? [] : extractFiles(text, language),
  );
  const [first] = args;
  if (takesInput && input.text !== null && first === undefined)
    reads.push(...extractFiles(input.text, language));
  if (takesInput && input.text !== null)
    for (const text of extractEmbeddedCommands(input.text, language))
      runs.push({ word: first ?? EMPTY_SHELL_WORD, text });
  if (takesInput && input.text !== null && first !== undefined)
    reads.push(...extractFiles(input.text, language));
  return { runs, reads, readsUnknown: takesInput && input.text === null, characters };
}

/**
 * Returns the shell commands in code of an embedded language, such as a script that is written to a
 * file and then run.
 */
export function extractEmbeddedCommands(text: string, language: EmbeddedLanguage): readonly string[] {
  return EMBEDDED_COMMAND_PATTERNS[language].flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(([, command]) => (command === undefined ? [] : [command.trim()])),
  );
}

function extractFiles(text: string, language: EmbeddedLanguage): readonly string[] {
  const pattern = EMBEDDED_FILE_PATTERNS[language];
  if (!pattern) return [];
  return [...text.matchAll(pattern)].flatMap(([, one, other, more]) =>
    (one ?? other ?? more ?? '')
      .trim()
      .split(/\s+/)
      .map((path) => path.replaceAll(/^['"]|['"]$/g, ''))
      .filter(Boolean),
  );
}

interface CommandText {
  readonly word: ShellWord;
  readonly text: string | null;
  readonly language?: EmbeddedLanguage;
}

/** Files with such commands that the code wrote or that a program prints. */
function findFileTexts(
  args: readonly ShellWord[],
  { files = [], defaultFiles = [], fileOperands }: EmbeddedInterpreter,
  scope: ShellScope,
): CommandText[] {
  const named = args.filter(
    ({ text }, at) => files.includes(args[at - 1]?.text ?? '') || (fileOperands && !/^-/.test(text ?? '')),
  );
  const given = named.flatMap((word): CommandText[] => {
    if (word.process) return [{ word, text: word.process.text }];
    const written = word.text === null ? null : scope.fileAt(word.text);
    return written ? [{ word, text: written.text }] : [];
  });
  const others = named.length > 0 ? [] : defaultFiles.flatMap((path) => scope.fileAt(path) ?? []);
  return [...given, ...others.map(({ text }) => ({ word: EMPTY_SHELL_WORD, text }))];
}

function findOptionTexts(args: readonly ShellWord[], { options = [] }: EmbeddedInterpreter): CommandText[] {
  const texts: CommandText[] = [];
  for (const [at, word] of args.entries()) {
    const { text } = word;
    const next = args[at + 1];
    if (text === null) continue;
    for (const option of options) {
      const isCluster =
        /^-\w$/.test(option) && /^-[a-zA-Z]{2,4}$/.test(text) && text.endsWith(option.charAt(1));
      if ((text === option || isCluster) && next)
        texts.push({ word: next, text: option === 'stuff' ? typedText(next.text) : next.text });
      else if (text.startsWith(`${option}=`)) texts.push({ word, text: text.slice(option.length + 1) });
    }
  }
  return texts;
}

/** The arguments without options, such as the keys of `tmux send-keys`. */
function withoutOptions(args: readonly ShellWord[]): readonly ShellWord[] {
  let at = 0;
  while (at < args.length && /^-./.test(args[at]?.text ?? ''))
    at += /^-[tNc]$/.test(args[at]?.text ?? '') ? 2 : 1;
  return args.slice(at);
}

const KEY_NAME = /^(?:Enter|C-[a-z]|M-.|Space|Tab|Escape|BSpace|Up|Down|Left|Right)$/;

/** The text that the keys of `screen -X stuff` type. */
function typedText(text: string | null): string | null {
  return text === null ? null : text.replaceAll(/\\[nr]|\^M|\\01[25]/g, '\n');
}

function findOperandTexts(
  args: readonly ShellWord[],
  { operands, operandLanguage }: EmbeddedInterpreter,
  isSubcommand: boolean,
): CommandText[] {
  if (operands === undefined) return [];
  const plain = args.filter(({ text }) => text === null || !/^-./.test(text));
  if (operands === 'all') return plain.map((word) => ({ word, text: word.text }));
  if (operands === 'rest') {
    // Keys are typed one after the other: `send-keys 'git push' Enter`.
    const typed = withoutOptions(args.slice(isSubcommand ? 1 : 0));
    const [word] = typed;
    if (!word) return [];
    const text = typed.map((one) =>
      one.text === 'Space' ? ' ' : KEY_NAME.test(one.text ?? '') ? '\n' : one.text,
    );
    return [
      {
        word,
        text: text
          .join('')
          .replaceAll(/[\r\n]+/g, '\n')
          .trim(),
      },
    ];
  }
  return plain.flatMap((word) => {
    const [, text] = operands.exec(word.text ?? '') ?? [];
    return text === undefined ? [] : [{ word, text, ...(operandLanguage && { language: operandLanguage }) }];
  });
}

/** The input as a file, also in the same word as the option for files: `make -f-`. */
const INPUT_FILE = /^(?:-f|-t|--\w+=)?(?:-|\/dev\/stdin)$/;

function readsInput(args: readonly ShellWord[], { input }: EmbeddedInterpreter): boolean {
  if (input === 'always') return true;
  // The grammar drops a `-` before a here-document.
  if (input === 'dash')
    return args.some(({ text }) => INPUT_FILE.test(text ?? '')) || args.at(-1)?.text === '-f';
  return input === 'without operands' && args.every(({ text }) => text?.startsWith('-'));
}
