const SIMPLE_ESCAPE_CHARACTERS: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const NUMERIC_ESCAPE =
  /^(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c([\s\S]))/;

/** Returns the value of `$'…'` in bash ("ANSI-C Quoting" in its manual). A NUL ends the string. */
export function unescapeAnsiC(text: string): string {
  return unescapeBackslashes(text).replace(/\0[\s\S]*$/, '');
}

function unescapeBackslashes(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char !== '\\') {
      out += char;
      continue;
    }
    const next = text.charAt(at + 1);
    const number = NUMERIC_ESCAPE.exec(text.slice(at + 1, at + 10));
    if (number) {
      out += unescapeNumber(number);
      at += number[0].length;
    } else {
      out += SIMPLE_ESCAPE_CHARACTERS[next] ?? (/['"\\?]/.test(next) ? next : `\\${next}`);
      at += 1;
    }
  }
  return out;
}

function unescapeNumber([, hex, short, long, octal, control]: RegExpExecArray): string {
  if (control !== undefined) return String.fromCharCode((control.codePointAt(0) ?? 0) & 0x1f);
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
  const code = Number.parseInt(hex ?? short ?? long ?? '0', 16);
  return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
}

/**
 * Returns the value of text in double quotes, where a backslash escapes only `$`, a backtick, `"` and `\`. A
 * backslash before a line break removes the line break.
 */
export function unescapeDoubleQuoted(text: string): string {
  return text.replaceAll(/\\([$`"\\]|\n)/g, (_, char: string) => (char === '\n' ? '' : char));
}

/**
 * Replaces the backslash escapes of `printf` and `echo -e`. Accepts octal escapes both as `\NNN` and as `\0NNN`. NUL
 * characters remain in the result.
 */
export function unescapePrintf(text: string): string {
  return unescapeBackslashes(text.replaceAll(/\\0([0-7]{1,3})/g, '\\$1'));
}

/**
 * Returns the code of a backtick substitution that contains nested substitutions, without their escapes. The grammar
 * parses nested substitutions as text. Returns null if there are none.
 */
export function readNestedBackticks(substitution: string): string | null {
  return /^`[\s\S]*\\`/.test(substitution) ? substitution.slice(1, -1).replaceAll(/\\([`$\\])/g, '$1') : null;
}
