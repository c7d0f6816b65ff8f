import { normalizeCommandName } from './command.ts';
import {
  createTextCommandOutput,
  createUnknownCommandOutput,
  DATA_PROGRAMS,
  predictCommandOutput,
} from './command-output.ts';
import { readShellWords, type WordReadContext } from './read-word.ts';
import { readRedirectInput } from './redirects.ts';
import type { SyntaxNode } from './shell-parser.ts';
import type { ShellScope } from './shell-scope.ts';
import type { CommandOutput, ShellWord } from './shell-word.ts';
import { mergeAdjacentWords } from './syntax-tree-words.ts';

/** Predicts the output of a substitution. Its commands are collected when the walk reaches them. */
export function predictSubstitutionOutput(node: SyntaxNode, source: WordReadContext): CommandOutput {
  if (node.type === 'file_redirect')
    return readRedirectInput(node, source)?.printed ?? createUnknownCommandOutput('data');
  if (node.type !== 'pipeline') return predictStageOutput(node, null, source);
  let printed: CommandOutput | null = null;
  for (const stage of node.children)
    if (/^[a-z]/.test(stage.type)) printed = predictStageOutput(stage, printed, source);
  return printed ?? createUnknownCommandOutput('computed');
}

function predictStageOutput(
  node: SyntaxNode,
  input: CommandOutput | null,
  source: WordReadContext,
): CommandOutput {
  const body =
    node.type === 'redirected_statement' ? node.children.find(({ field }) => field === 'body') : node;
  if (body?.type !== 'command') return createUnknownCommandOutput('computed');
  const words = mergeAdjacentWords(body.children, source.text).flatMap((word) =>
    readShellWords(word, source),
  );
  const redirected = node.children.map((child) => readRedirectInput(child, source)?.printed);
  const from = redirected.findLast((printed) => printed !== undefined);
  return predictOutput(words, from ?? input, source.scope);
}

/** Predicts the output of a command in a substitution. The output of functions and aliases is not predicted. */
function predictOutput(
  words: readonly ShellWord[],
  input: CommandOutput | null,
  scope: ShellScope,
): CommandOutput {
  const [name, ...args] = words;
  if (name?.text == null || scope.findFunction(name.text) || scope.findAlias(name.text) !== null)
    return createUnknownCommandOutput('computed');
  const files = args.flatMap(({ text }) => (text === null ? [] : (scope.fileAt(text) ?? [])));
  const [file] = files;
  if (file && args.length === 1 && name.text === 'cat') return createTextCommandOutput(file.text);
  const program = normalizeCommandName(name.text);
  // The code determines the content of the file.
  if (files.some(({ text }) => text !== null) && DATA_PROGRAMS.has(program))
    return createUnknownCommandOutput('computed');
  return predictCommandOutput(program, args, input);
}
