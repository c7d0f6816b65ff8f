import type { CodeContext } from './code-context.ts';
import type { ShellAnalysis } from './command.ts';
import { CommandAnalyzer } from './command-analyzer.ts';
import { MAX_CODE_CHARS, type RemainingAnalysisWork, type ShellParser } from './shell-parser.ts';
import { ShellScope } from './shell-scope.ts';
import { createLiteralWord } from './shell-word.ts';
import { SyntaxTreeVisitor } from './syntax-tree-visitor.ts';

/** The shell that interprets the code. */
export type ShellDialect = 'bash' | 'sh' | 'zsh' | 'powershell' | 'cmd' | 'fish' | 'unknown';

/** Limits of the analysis. Commands from agents are far below them. */
const WORK_LIMITS: RemainingAnalysisWork = {
  parserCallbacks: 64,
  parserReads: 2_000,
  nodes: 6_000,
  visits: 8_000,
  commands: 200,
  characters: 40_000,
};
/** Maximum nesting depth of code in code: `sh -c "sh -c …"`. */
const MAX_NESTING = 12;

/** Characters that are invisible or that change the displayed order of others (UTR 36, section 2.5). */
const HIDDEN_CHARACTERS =
  /[\0-\x08\x0b-\x1f\x7f\u00ad\u061c\u200b-\u200c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|(?<!\p{Extended_Pictographic}|\ufe0f)\u200d/u;
/**
 * Commands that a shell interprets as words, by dialect. In PowerShell, `,` separates words, and `. x` runs a script.
 */
const PLAIN_COMMAND_BY_DIALECT: Readonly<Record<string, RegExp>> = {
  cmd: /^[\w./:+\\-]+(?: [\w./:=,+\\ @-]*)?$/,
  powershell: /^(?!\. )[\w./:=+\\ ~-]+$/,
};
/** Commands that all other shells interpret as words. */
const OTHER_PLAIN_COMMAND = /^[\w./:=@,+%\\ -]+$/;

const ROOT_CONTEXT = { via: [], input: null, place: null, depth: 0 } as const;

/**
 * Determines which commands a shell would run for the code `text`. Returns every simple command without its
 * wrappers, and the parts of the code that cannot be analyzed. Never throws. The amount of work is limited for
 * any input.
 */
export function analyzeShellCode(
  grammar: ShellParser,
  text: string,
  dialect: ShellDialect = 'bash',
): ShellAnalysis {
  const work = { ...WORK_LIMITS };
  const invoker: CommandAnalyzer = new CommandAnalyzer(work, {
    text: read,
    body: ({ body, text: code }, around) =>
      void new SyntaxTreeVisitor(code, around, invoker).visit(body, around.input),
  });

  function read(code: string, around: CodeContext): void {
    const place = around.place ?? { start: 0, end: code.length };
    work.characters -= code.length;
    if (code.length > MAX_CODE_CHARS || work.characters < 0 || around.depth > MAX_NESTING)
      return invoker.reportUnclear('it is too long or too deeply nested to be analyzed', place);
    if (HIDDEN_CHARACTERS.test(code)) return invoker.reportUnclear('it contains invisible characters', place);
    const root = grammar.parse(code, work);
    if (typeof root === 'string')
      return invoker.reportUnclear(
        root === 'syntax' ? 'its syntax is not valid or not supported' : 'it is too complex to be analyzed',
        place,
      );
    new SyntaxTreeVisitor(code, around, invoker).visit(root, around.input);
  }

  const around: CodeContext = { ...ROOT_CONTEXT, scope: new ShellScope(null, [], invoker.variables) };
  if (dialect === 'bash' || dialect === 'sh' || dialect === 'zsh') read(text, around);
  else if (
    text.length <= MAX_CODE_CHARS &&
    (PLAIN_COMMAND_BY_DIALECT[dialect] ?? OTHER_PLAIN_COMMAND).test(text)
  )
    analyzePlainCommand(text, invoker, around);
  else
    invoker.reportUnclear(`its shell dialect "${dialect}" cannot be analyzed`, {
      start: 0,
      end: text.length,
    });
  invoker.codeInspector.inspectUncalledFunctions();
  const { commands, unclear, variables } = invoker;
  return { text, commands, unclear, variables };
}

/** Analyzes a simple command for a shell without a grammar, where `\` is part of paths. */
function analyzePlainCommand(text: string, invoker: CommandAnalyzer, around: CodeContext): void {
  const words = [...text.matchAll(/[^ ]+/g)].map(([word], n) => {
    const start = text.indexOf(word, n);
    return createLiteralWord(word, { start, end: start + word.length });
  });
  const place = { start: 0, end: text.length, context: around };
  // In cmd and PowerShell, `type` prints the content of files.
  const files = words[0]?.text?.toLowerCase() === 'type' ? words.slice(1) : [];
  const redirects = files.map((target) => ({ operator: '<', target }));
  invoker.analyze({ words, assignments: [], redirects, input: null, ...place });
}
