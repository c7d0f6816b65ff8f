import { ANY_TEXT_WILDCARD } from './glob.ts';
import type { ShellWord } from './shell-word.ts';

/**
 * Converts the pattern in grep's arguments to glob patterns (see glob.ts) that match at least the
 * same lines. Example: `^\.env$` becomes `.env`. Returns null if the arguments do not restrict the
 * lines, for example with `-v`.
 */
export function convertGrepPatternToLineGlobs(
  args: readonly Pick<ShellWord, 'text'>[],
): readonly string[] | null {
  const options = args.filter(({ text }) => text?.startsWith('-'));
  if (options.some(({ text }) => /^-(?!-)\w*[vef]|^--(?:invert|regexp|file)/.test(text ?? ''))) return null;
  const operands = args.filter(({ text }) => !text?.startsWith('-'));
  const expression = operands[0]?.text;
  if (expression == null || operands.length !== 1 || expression.length > 100) return null;
  const alternatives = expression.split(/\\?\|/).map(toLinePattern);
  return alternatives.every((one) => one !== null) ? alternatives : null;
}

function toLinePattern(expression: string): string | null {
  const start = expression.startsWith('^') ? '' : ANY_TEXT_WILDCARD;
  const end = /(?<!\\)\$$/.test(expression) ? '' : ANY_TEXT_WILDCARD;
  const body = expression.replace(/^\^/, '').replace(/(?<!\\)\$$/, '');
  if (/[()+{}]|\\[A-Za-z]|(?<!\.)\*/.test(body)) return null;
  const pattern = body
    .replaceAll(/\.\*/g, ANY_TEXT_WILDCARD)
    .replaceAll(/\[[^\]]*\]|(?<!\\)\./g, '\uE002')
    .replaceAll('\\', '');
  return start + pattern + end;
}
