import { printed } from './escapes.ts';
import type { Word } from './word.ts';

/**
 * What a command prints when that is a constant; null when nobody can tell. `input` is what it reads, null when
 * that is unknown. Knows the ways in which commands are spelled to be piped into a shell.
 */
export function constantOutput(name: string, args: readonly Word[], input: string | null): string | null {
  const texts: string[] = [];
  for (const { text, glob } of args) {
    if (text === null || glob) return null;
    texts.push(text);
  }
  switch (name) {
    case 'echo':
      return echoed(texts);
    case 'printf':
      return formatted(texts);
    case 'cat':
    case 'tee':
      return texts.every((text) => text === '-') ? input : null;
    case 'base64':
      return texts.some((text) => /^(?:-[dD]|--decode)$/.test(text)) ? decoded(input, 'base64') : null;
    case 'xxd':
      return texts.some((text) => /^-\w*r/.test(text)) ? decoded(input, 'hex') : null;
    case 'rev':
      return input === null ? null : input.replaceAll(/[^\n]+/g, (line) => [...line].reverse().join(''));
    case 'which':
    case 'type':
      return texts.at(-1) ?? null;
    case 'command':
      return texts[0] === '-v' ? (texts[1] ?? null) : null;
    default:
      return null;
  }
}

function echoed(texts: readonly string[]): string {
  const options = texts.findIndex((text) => !/^-[neE]+$/.test(text));
  const words = options === -1 ? [] : texts.slice(options);
  const interprets = texts.slice(0, Math.max(0, options)).some((text) => text.includes('e'));
  const line = words.join(' ');
  return interprets ? printed(line) : line;
}

function formatted(texts: readonly string[]): string | null {
  const [format, ...values] = texts[0] === '--' ? texts.slice(1) : texts;
  if (format === undefined || format.startsWith('-')) return null;
  const pieces = printed(format).split('%s');
  if (pieces.some((piece) => piece.replaceAll('%%', '').includes('%'))) return null;
  if (pieces.length === 1) return (pieces[0] ?? '').replaceAll('%%', '%');
  // The format is used again until the values are gone.
  let out = '';
  for (let at = 0; at < Math.max(1, values.length); at += pieces.length - 1)
    for (const [n, piece] of pieces.entries())
      out += (n === 0 ? '' : (values[at + n - 1] ?? '')) + piece.replaceAll('%%', '%');
  return out;
}

function decoded(input: string | null, encoding: 'base64' | 'hex'): string | null {
  return input === null ? null : Buffer.from(input.replaceAll(/\s/g, ''), encoding).toString('utf8');
}
