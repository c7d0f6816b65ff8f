import { createRequire } from 'node:module';

type Re2 = typeof import('@bufbuild/re2');

let loaded: Re2 | null = null;

/**
 * A regular expression (RE2: linear in the text, no back-references) that is looked for anywhere in a text.
 *
 * @throws Error with the parser's words
 */
export function compileRegularExpression(source: string): (text: string) => boolean {
  loaded ??= load();
  const compiled = loaded.RE2JS.compile(source);
  return (text) => compiled.test(text);
}

/** Loaded by the first expression: a process without rules does not pay for it. */
function load(): Re2 {
  const library: Re2 = createRequire(import.meta.url)('@bufbuild/re2');
  return library;
}
