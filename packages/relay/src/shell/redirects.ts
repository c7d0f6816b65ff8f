import type { ShellRedirect } from './command.ts';
import { createTextCommandOutput, createUnknownCommandOutput } from './command-output.ts';
import { joinSegmentTexts, readAssignedValue, readShellWords, type WordReadContext } from './read-word.ts';
import type { SyntaxNode } from './shell-parser.ts';
import type { CommandInput, CommandOutput, ShellWord, UnknownTextSource, WordSegment } from './shell-word.ts';

/**
 * Returns the redirects, and the words that the grammar parsed as further redirect targets although they are
 * arguments.
 */
export function readRedirects(
  nodes: readonly SyntaxNode[],
  source: WordReadContext,
): { readonly redirects: ShellRedirect[]; readonly words: ShellWord[] } {
  const redirects: ShellRedirect[] = [];
  const words: ShellWord[] = [];
  for (const node of nodes) {
    if (node.field === 'argument') words.push(...readShellWords(node, source));
    if (node.type !== 'file_redirect') continue;
    const operator = node.children.find(({ type }) => /^[<>&|]+$/.test(type))?.type ?? '>';
    const [target, ...rest] = node.children.filter(({ field }) => field === 'destination');
    const [word] = target ? readShellWords(target, source) : [];
    if (word) redirects.push({ operator, target: word });
    for (const destination of rest)
      if (!isDescriptor(destination, source.text)) words.push(...readShellWords(destination, source));
  }
  return { redirects, words };
}

/**
 * Whether a node is a file descriptor, such as `0` in `>& file 0>&1`, that the grammar parses as a target.
 */
function isDescriptor({ type, end }: SyntaxNode, text: string): boolean {
  return type === 'number' && /^[<>]/.test(text.slice(end, end + 1));
}

/**
 * Returns the standard input that redirects provide. Null if they provide none. The last redirect applies. Records the
 * input of other file descriptors, as in `exec 3< <(curl x); sh <&3`.
 */
export function readRedirectInputs(
  nodes: readonly SyntaxNode[],
  source: WordReadContext,
): CommandInput | null {
  let standard: CommandInput | null = null;
  for (const node of nodes) {
    const input = readRedirectInput(node, source);
    const descriptor = node.children.find(({ type }) => type === 'file_descriptor');
    const number = descriptor ? source.text.slice(descriptor.start, descriptor.end) : '0';
    if (input !== null && number !== '0') source.scope.setDescriptor(number, input);
    else standard = input ?? standard;
  }
  return standard;
}

/** Returns the input that a redirect provides. Null if it provides none. */
export function readRedirectInput(node: SyntaxNode, source: WordReadContext): CommandInput | null {
  if (node.type === 'herestring_redirect') return { kind: 'text', printed: readHereString(node, source) };
  if (node.type === 'heredoc_redirect') return { kind: 'text', printed: readHeredoc(node, source) };
  if (node.type !== 'file_redirect') return null;
  const target = node.children.find(({ field }) => field === 'destination');
  if (target && node.children.some(({ type }) => type === '<&'))
    return source.scope.findDescriptor(source.text.slice(target.start, target.end));
  if (!node.children.some(({ type }) => type === '<')) return null;
  if (target?.type === 'process_substitution') return { kind: 'pipe', printed: source.outputOf(target) };
  const [word] = target ? readShellWords(target, source) : [];
  const written = word?.text == null ? null : source.scope.fileAt(word.text);
  return {
    kind: 'file',
    printed: written ? createTextCommandOutput(written.text) : createUnknownCommandOutput('data'),
  };
}

/** Returns the text that a here-string passes to a command. */
function readHereString({ children }: SyntaxNode, source: WordReadContext): CommandOutput {
  const pieces = readAssignedValue(children.at(-1), source);
  const text = joinSegmentTexts(pieces);
  return text === null
    ? createUnknownCommandOutput(findUnknownSource(pieces))
    : createTextCommandOutput(`${text}\n`);
}

/** The source of unknown text in segments. A text that is too long is computed. */
function findUnknownSource(pieces: readonly WordSegment[]): UnknownTextSource {
  const unknown = pieces.find(({ text }) => text === null);
  return unknown ? (unknown.unknown ?? 'variable') : 'computed';
}

function readHeredoc({ children }: SyntaxNode, source: WordReadContext): CommandOutput {
  const start = children.find(({ type }) => type === 'heredoc_start');
  const body = children.find(({ type }) => type === 'heredoc_body');
  if (!start || !body) return createUnknownCommandOutput('computed');
  const raw = source.text.slice(body.start, body.end);
  const isQuoted = /['"\\]/.test(source.text.slice(start.start, start.end));
  const text = children[0]?.type === '<<-' ? raw.replaceAll(/^\t+/gm, '') : raw;
  if (isQuoted) return createTextCommandOutput(text);
  const active = body.children.filter(({ type }) => /expansion|substitution/.test(type));
  if (active.length === 0) return createTextCommandOutput(unescapeHeredoc(text));
  return expandHeredoc(body, active, source);
}

/**
 * Returns the command substitutions in backticks that here-documents contain. The grammar treats them as
 * text.
 */
export function findHeredocBackticks(redirects: readonly SyntaxNode[], text: string): readonly string[] {
  return redirects.flatMap(({ type, children }) => {
    const start = children.find((child) => child.type === 'heredoc_start');
    const body = children.find((child) => child.type === 'heredoc_body');
    if (type !== 'heredoc_redirect' || !start || !body) return [];
    if (/['"\\]/.test(text.slice(start.start, start.end))) return [];
    return text.slice(body.start, body.end).match(/(?<!\\)`[^`]*`/g) ?? [];
  });
}

/** Expands a here-document whose expansions are known. Environment variables remain as written. */
function expandHeredoc(
  body: SyntaxNode,
  active: readonly SyntaxNode[],
  source: WordReadContext,
): CommandOutput {
  let text = '';
  let at = body.start;
  for (const node of active) {
    const pieces = readAssignedValue(node, source);
    const unknown = findUnknownSource(pieces);
    const value = joinSegmentTexts(pieces);
    if (value === null && unknown !== 'variable' && unknown !== 'program')
      return createUnknownCommandOutput(unknown);
    text +=
      unescapeHeredoc(source.text.slice(at, node.start)) + (value ?? source.text.slice(node.start, node.end));
    at = node.end;
  }
  return createTextCommandOutput(text + unescapeHeredoc(source.text.slice(at, body.end)));
}

function unescapeHeredoc(text: string): string {
  return text.replaceAll(/\\([$`\\])/g, '$1');
}
