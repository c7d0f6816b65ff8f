/** A string in code of another language, with its position. */
export interface CodeLiteral {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Calls that write, move or delete the file that their first argument names. */
const FIRST_ARGUMENT_CALL =
  /(?:(?:\b(?:os|fs|fsp|fsPromises|promises|shutil|File|FileUtils|IO|Deno|Bun)|\))\s*\.\s*(?:re(?:move|name)\w*|replace|move\w*|unlink\w*|rm\w*|mkdir\w*|makedirs|truncate\w*|chmod\w*|chown\w*|(?:bin)?write\w*|append\w*|delete|touch|output\w*)|\b(?:(?:write|append)File\w*|createWriteStream|file_put_contents|unlink\w*|rename(?:Sync)?|rmtree|rm(?:dir)?Sync|mkdirSync|to_(?:csv|json|parquet|excel)))\s*\(?\s*[rbfu]?$/;
/** Calls that write the file that their second argument names. */
const SECOND_ARGUMENT_CALL =
  /\b(?:copy\w*|cp(?:Sync)?|move\w*|rename\w*|replace|symlink\w*|link(?:Sync)?)\s*\([^()\n]{0,80},\s*[rbfu]?$/;
const OPENING_CALL = /\bopen\w*\s*\(\s*[rbfu]?$/;
const WRITE_MODE = /^\s*,\s*(?:mode\s*=\s*)?["'](?:[rbtU]*[wax+]|\+?>)/;
/** Perl's `open(F, '>', 'file')`. */
const PERL_OPENING_CALL = /\bopen\b[^()\n]{0,40}\(?[^()\n]{0,40},\s*["']\+?>{1,2}["']\s*,\s*$/;
/** Methods of a path, after the value. */
const PATH_METHOD =
  /^\s*\)*\s*\.\s*(?:write_(?:text|bytes)|unlink|touch|mkdir|rmdir|rename|replace_with|chmod|open\(\s*["'][rbt]*[wax+])/;
const ASSIGNED_VARIABLE =
  /(?:^|[^\w.$])([A-Za-z_$][\w$]{0,60})\s*(?::[^=\n]{1,40})?=\s*(?:(?:pathlib\.)?Path\s*\(\s*)?[rbfu]?$/;
const IDENTIFIER = /[A-Za-z_$][\w$]*/g;
/** Number of characters before and after a value that show how code uses it. */
const CONTEXT_CHARACTERS = 120;

/**
 * Returns the literals in code of another language that name files that the code writes: as arguments of calls that
 * write, or in variables that are such arguments.
 */
export function findWrittenLiterals(code: string, literals: readonly CodeLiteral[]): readonly string[] {
  const written = new Set<string>();
  const values = new Map<string, string[]>();
  for (const literal of literals) {
    const { text, start, end } = literal;
    if (isWritten(code, literal)) written.add(text);
    const before = codeBefore(code, start);
    const [, redirected] = /^\+?>{1,2}\s*(\S.*)$/s.exec(text) ?? [];
    if (redirected !== undefined && /\bopen\b/.test(before)) written.add(redirected);
    const [, name] = ASSIGNED_VARIABLE.exec(before) ?? [];
    if (name !== undefined && end > start) values.set(name, [...(values.get(name) ?? []), text]);
  }
  if (values.size === 0) return [...written];
  for (const { 0: name, index: start } of code.matchAll(IDENTIFIER)) {
    const texts = values.get(name);
    if (texts && isWritten(code, { start, end: start + name.length }))
      for (const text of texts) written.add(text);
  }
  return [...written];
}

function isWritten(code: string, { start, end }: Pick<CodeLiteral, 'start' | 'end'>): boolean {
  const before = codeBefore(code, start);
  const after = code.slice(end, end + CONTEXT_CHARACTERS);
  return (
    FIRST_ARGUMENT_CALL.test(before) ||
    SECOND_ARGUMENT_CALL.test(before) ||
    PERL_OPENING_CALL.test(before) ||
    (OPENING_CALL.test(before) && WRITE_MODE.test(after)) ||
    PATH_METHOD.test(after)
  );
}

function codeBefore(code: string, at: number): string {
  return code.slice(Math.max(0, at - CONTEXT_CHARACTERS), at);
}
