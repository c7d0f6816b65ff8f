import { parseBodyJson } from './body-messages.ts';

/** Parses and indents the JSON text of a stored body without changing its content. Pure. */

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,]|[^\s"[\]{}:,]+/g;
const MAX_INDENT = 100;

/**
 * Parses a JSON object or array. Returns null for other text, and if the parsed value differs from the text:
 * `JSON.parse` rounds large numbers, removes repeated members and moves members with integer names.
 */
export function parseExactJson(text: string): object | null {
  const value = parseBodyJson(text);
  if (typeof value !== 'object' || value === null) return null;
  // The same string can be escaped in several ways.
  const exact = tokensOf(text).map((token) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token,
  );
  return exact.join('') === JSON.stringify(value) ? value : null;
}

/** Indents the text of a JSON object or array, and keeps each number and string as written. Returns other text as is. */
export function formatJsonText(text: string): string {
  const value = parseBodyJson(text);
  if (typeof value !== 'object' || value === null) return text;
  const tokens = tokensOf(text);
  let depth = 0;
  const newLine = () => `\n${' '.repeat(Math.min(2 * depth, MAX_INDENT))}`;
  return tokens
    .map((token, index) => {
      if (isOpening(token)) {
        depth += 1;
        return isClosing(tokens[index + 1]) ? token : token + newLine();
      }
      if (isClosing(token)) {
        depth -= 1;
        return isOpening(tokens[index - 1]) ? token : newLine() + token;
      }
      if (token === ',') return token + newLine();
      return token === ':' ? ': ' : token;
    })
    .join('');
}

function tokensOf(text: string): readonly string[] {
  return text.match(TOKEN) ?? [];
}

const isOpening = (token: string | undefined) => token === '{' || token === '[';
const isClosing = (token: string | undefined) => token === '}' || token === ']';
