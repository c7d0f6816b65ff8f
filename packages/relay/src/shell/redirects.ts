import type { Redirect } from './command.ts';
import { outputText, unknownText } from './output.ts';
import { readValue, readWords, textOf, type WordSource } from './read-word.ts';
import type { Node } from './tree.ts';
import type { Printed, Word } from './word.ts';

/** What a command finds at its input. */
export interface Input {
  readonly kind: 'pipe' | 'text' | 'file';
  readonly printed: Printed;
}

/** Targets, and the words that the grammar took for further targets. */
export function readRedirects(
  nodes: readonly Node[],
  source: WordSource,
): { readonly redirects: Redirect[]; readonly words: Word[] } {
  const redirects: Redirect[] = [];
  const words: Word[] = [];
  for (const node of nodes) {
    if (node.field === 'argument') words.push(...readWords(node, source));
    if (node.type !== 'file_redirect') continue;
    const operator = node.children.find(({ type }) => /^[<>&|]+$/.test(type))?.type ?? '>';
    const [target, ...rest] = node.children.filter(({ field }) => field === 'destination');
    const [word] = target ? readWords(target, source) : [];
    if (word) redirects.push({ operator, target: word });
    for (const destination of rest)
      if (!isDescriptor(destination, source.text)) words.push(...readWords(destination, source));
  }
  return { redirects, words };
}

/** `0` in `>& file 0>&1`, which the grammar takes for a further target. */
function isDescriptor({ type, end }: Node, text: string): boolean {
  return type === 'number' && /^[<>]/.test(text.slice(end, end + 1));
}

/** What a redirect gives to read; null when it gives nothing. */
export function inputOf(node: Node, source: WordSource): Input | null {
  if (node.type === 'herestring_redirect') return { kind: 'text', printed: hereText(node, source) };
  if (node.type === 'heredoc_redirect') return { kind: 'text', printed: heredoc(node, source) };
  if (node.type !== 'file_redirect') return null;
  if (!node.children.some(({ type }) => type === '<')) return null;
  const target = node.children.find(({ field }) => field === 'destination');
  if (target?.type === 'process_substitution') return { kind: 'pipe', printed: source.outputOf(target) };
  const [word] = target ? readWords(target, source) : [];
  const written = word?.text == null ? null : source.scope.fileAt(word.text);
  return { kind: 'file', printed: written ? outputText(written.text) : unknownText('data') };
}

export function hereText({ children }: Node, source: WordSource): Printed {
  const pieces = readValue(children.at(-1), source);
  const text = textOf(pieces);
  return text === null
    ? unknownText(pieces.find((piece) => piece.text === null)?.unknown ?? 'variable')
    : outputText(text);
}

function heredoc({ children }: Node, source: WordSource): Printed {
  const start = children.find(({ type }) => type === 'heredoc_start');
  const body = children.find(({ type }) => type === 'heredoc_body');
  if (!start || !body) return unknownText('made');
  const raw = source.text.slice(body.start, body.end);
  const isQuoted = /['"\\]/.test(source.text.slice(start.start, start.end));
  const text = children[0]?.type === '<<-' ? raw.replaceAll(/^\t+/gm, '') : raw;
  if (isQuoted) return outputText(text);
  const active = body.children.filter(({ type }) => /expansion|substitution/.test(type));
  if (active.length === 0) return outputText(text);
  return withExpansions(body, active, source);
}

/** Substitutions between backticks in here-documents, which the grammar takes for text. */
export function backticks(redirects: readonly Node[], text: string): readonly string[] {
  return redirects.flatMap(({ type, children }) => {
    const start = children.find((child) => child.type === 'heredoc_start');
    const body = children.find((child) => child.type === 'heredoc_body');
    if (type !== 'heredoc_redirect' || !start || !body) return [];
    if (/['"\\]/.test(text.slice(start.start, start.end))) return [];
    return text.slice(body.start, body.end).match(/(?<!\\)`[^`]*`/g) ?? [];
  });
}

/** The value of a here-document whose expansions are known; variables of the environment stay as they are written. */
function withExpansions(body: Node, active: readonly Node[], source: WordSource): Printed {
  let text = '';
  let at = body.start;
  for (const node of active) {
    const pieces = readValue(node, source);
    const unknown = pieces.find((piece) => piece.text === null)?.unknown ?? 'variable';
    const value = textOf(pieces);
    if (value === null && unknown !== 'variable' && unknown !== 'own') return unknownText(unknown);
    text += source.text.slice(at, node.start) + (value ?? source.text.slice(node.start, node.end));
    at = node.end;
  }
  return outputText(text + source.text.slice(at, body.end));
}
